/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_print.c - a schedule as text, one line per step.
 *
 *   step  kind  peer    tag  data                         after
 *      1  RECV  <- 2      0  recv[2]                      -
 *      2  SEND  -> 1      1  recv[2]                      1
 */
#include "nbc/sched/sched.h"

#include <inttypes.h>
#include <stdlib.h>

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

/* The steps that each one waits for: of step i list[at[i] .. at[i + 1] - 1], ascending. */
typedef struct before {
    int32_t *at, *list;
} before;

static bool before_make(before *b, const sched *s)
{
    b->at = calloc((size_t)s->nsteps + 2, sizeof *b->at);
    b->list = malloc(((size_t)s->nedges + 1) * sizeof *b->list);
    if (!b->at || !b->list)
        return false;
    for (int k = 0; k < s->nedges; k++)
        b->at[s->succ[k] + 2]++;
    for (int i = 0; i < s->nsteps; i++)
        b->at[i + 2] += b->at[i + 1];
    for (int i = 0; i < s->nsteps; i++)
        for (int k = s->succ_at[i]; k < s->succ_at[i + 1]; k++)
            b->list[b->at[s->succ[k] + 1]++] = i; /* ends as the step's end */
    return true;
}

static void before_free(before *b)
{
    free(b->at);
    free(b->list);
}

static void print_after(FILE *out, const before *b, int index)
{
    for (int k = b->at[index]; k < b->at[index + 1]; k++)
        fprintf(out, "%s%d", k == b->at[index] ? " " : ",", b->list[k]);
    fprintf(out, "%s\n", b->at[index] == b->at[index + 1] ? " -" : "");
}

bool sched_print(FILE *out, const sched *s, const char *unit)
{
    before b;

    if (!before_make(&b, s)) {
        before_free(&b);
        return false;
    }
    fprintf(out, "%d step%s, %d message%s, %d dependenc%s; data in %ss\n", s->nsteps,
            s->nsteps == 1 ? "" : "s", s->nmessages, s->nmessages == 1 ? "" : "s", s->nedges,
            s->nedges == 1 ? "y" : "ies", unit);
    fprintf(out, "%5s  %-6s  %-7s  %3s  %-28s after\n", "step", "kind", "peer", "tag", "data");
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];

        fprintf(out, "%5d  %-6s  ", i, kinds[st->kind]);
        if (step_is_message(st))
            fprintf(out, "%s %-4d  %3d  ", st->kind == STEP_SEND ? "->" : "<-", st->peer, st->tag);
        else
            fprintf(out, "%-7s  %3s  ", "", "");
        print_data(out, s, st);
        print_after(out, &b, i);
    }
    before_free(&b);
    return true;
}
