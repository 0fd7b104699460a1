/* sched_print.c - a schedule as text, one line per step.
 *
 *   step  kind  peer    tag  data                         after
 *      1  RECV  <- 2      0  recv[2]                      -
 *      2  SEND  -> 1      1  recv[2]                      1
 */
#include "nbc/sched.h"

#include <inttypes.h>

static const char *const kinds[] = {"SEND", "RECV", "COPY", "REDUCE", "FENCE"};
static const char *const spaces[] = {"send", "recv", "scratch"};

static int print_interval(FILE *out, interval i)
{
    if (i.length == 1)
        return fprintf(out, "%s[%" PRId64 "]", spaces[i.space], (int64_t)i.offset);
    return fprintf(out, "%s[%" PRId64 "..%" PRId64 "]", spaces[i.space], (int64_t)i.offset,
                   interval_end(i) - 1);
}

static void print_data(FILE *out, const sched *s, const step *st)
{
    int width = 0;

    for (int i = 0; i < st->n; i++) {
        if (i)
            width += fprintf(out, "%s", step_is_message(st) ? " " : " -> ");
        width += print_interval(out, s->list[st->first + i]);
    }
    fprintf(out, "%*s", width < 28 ? 28 - width : 0, "");
}

static void print_after(FILE *out, const sched *s, int index)
{
    int n = 0;

    for (int i = 0; i < index; i++)
        for (int k = s->succ_at[i]; k < s->succ_at[i + 1]; k++)
            if (s->succ[k] == index)
                fprintf(out, "%s%d", n++ ? "," : " ", i);
    fprintf(out, "%s\n", n ? "" : " -");
}

void sched_print(FILE *out, const sched *s, const char *unit)
{
    fprintf(out, "%d steps, %d messages, %d dependencies; data in %ss\n", s->nsteps, s->nmessages,
            s->nedges, unit);
    fprintf(out, "%5s  %-6s  %-7s  %3s  %-28s after\n", "step", "kind", "peer", "tag", "data");
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];

        fprintf(out, "%5d  %-6s  ", i, kinds[st->kind]);
        if (step_is_message(st))
            fprintf(out, "%s %-4d  %3d  ", st->kind == STEP_SEND ? "->" : "<-", st->peer, st->tag);
        else
            fprintf(out, "%-7s  %3s  ", "", "");
        print_data(out, s, st);
        print_after(out, s, i);
    }
}
