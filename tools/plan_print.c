/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_print.c - see plan.h.
 *
 * Data is named by what an element of it is: a block of a rank; a vector, or a part of one; a
 * token, which is no data.
 */
#include "critical_path.h"
#include "nbc/node/ring.h"
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void plan_print_title(const request *r)
{
    char name[128];

    select_print(&r->choice, name, sizeof name);
    printf("%s %s", coll_kind_name(r->kind), name);
    printf(", %d rank%s", r->p, r->p == 1 ? "" : "s");
    if (r->regions)
        printf(" on %s", r->regions);
}

const char *plan_unit(const request *r, const sched *s)
{
    if (coll_shapes[r->kind].recv == COLL_NONE)
        return "token";
    if (coll_is_vector(r->kind))
        return s->parts > 1 ? "part" : "vector";
    return s->parts > 1 ? "piece" : "block";
}

static const char *cut_of(const request *r, int parts)
{
    static char text[40];

    snprintf(text, sizeof text, coll_is_vector(r->kind) ? "%d parts a vector" : "%d pieces a block",
             parts);
    return text;
}

/* The check compares every step, and every interval, with every other. */
static bool is_checked(const sched *s)
{
    return s->nsteps <= 4096 && s->nintervals <= 16384;
}

/* The most that it can be: a run knows what the first of several rounds asks from the handshake,
 * and leaves out those for data that blocks have in common where there is none. */
static void print_exchange(const request *r)
{
    plan_exchange x = plan_count_exchange(r, r->rank);

    if (x.rounds > 0)
        printf("before it a size exchange: %s%d round%s, %" PRId64 " messages, %" PRId64
               " bytes received\n",
               x.rounds > 1 ? "at most " : "", x.rounds, x.rounds > 1 ? "s" : "", x.messages,
               8 * x.words);
}

int plan_print_rank(const request *r)
{
    sched *s = plan_compile(r, r->rank);
    const char *wrong = !s ? "no memory, or too large" : is_checked(s) ? sched_check(s) : NULL;

    plan_print_title(r);
    printf(", rank %d: ", r->rank);
    if (s && s->parts > 1)
        printf("%s, ", cut_of(r, s->parts));
    if (!wrong && !sched_print(stdout, s, plan_unit(r, s)))
        wrong = "out of memory";
    if (wrong)
        printf("broken: %s\n", wrong);
    else
        print_exchange(r);
    sched_free(s);
    return wrong != NULL;
}

typedef struct total {
    int64_t sum, least, most;
    bool begun;
} total;

static void add(total *t, int64_t value)
{
    if (!t->begun || value < t->least)
        t->least = value;
    if (value > t->most)
        t->most = value;
    t->sum += value;
    t->begun = true;
}

static void print_total(const char *name, const total *t)
{
    printf("  %-24s %12" PRId64 " %10" PRId64 " %10" PRId64 "\n", name, t->sum, t->least, t->most);
}

/* The same of data: "blocks sent". */
static void print_data(const char *unit, const char *what, const total *t)
{
    char name[40];

    snprintf(name, sizeof name, "%ss %s", unit, what);
    print_total(name, t);
}

/* Region of each rank, or NULL: all are in one. */
static const int *regions_of(const request *r)
{
    int level = topo_regions(r->topo);

    return r->topo && level < r->topo->nlevels ? r->topo->level[level].region : NULL;
}

/* Messages that cross regions, and their blocks. */
static void count_far(const sched *s, const int *region, int rank, int64_t *messages,
                      int64_t *blocks)
{
    for (int i = 0; region && i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (st->kind != STEP_SEND || region[st->peer] == region[rank])
            continue;
        ++*messages;
        for (int k = 0; k < st->n; k++)
            *blocks += (int64_t)s->list[st->first + k].length;
    }
}

/* Blocks that the steps of this kind send, copy or reduce. */
static int64_t blocks_of(const sched *s, step_kind kind)
{
    int64_t blocks = 0;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        int n = kind == STEP_SEND ? st->n : 1; /* the second interval is where they go */
        for (int k = 0; st->kind == kind && k < n; k++)
            blocks += (int64_t)s->list[st->first + k].length;
    }
    return blocks;
}

int64_t plan_step_bytes(const request *r, const sched *s, const step *st)
{
    int64_t sum = 0, bytes = coll_shapes[r->kind].recv == COLL_NONE ? 0 : r->bytes;

    for (int k = 0; k < st->n; k++) {
        interval i = s->list[st->first + k];
        sum +=
            sched_items(s->parts, bytes, interval_end(i)) - sched_items(s->parts, bytes, i.offset);
    }
    return sum;
}

/* Lines of the cache that a message in shared memory moves from one core to another: its data and
 * its stamps (nbc/node/ring.h). */
static int64_t lines_of(int64_t bytes)
{
    if (bytes <= RING_SMALL)
        return (int64_t)ring_lines(RING_OF_LINES, bytes);
    return (bytes + RING_LINE - 1) / RING_LINE + (bytes + RING_BLOCK - 1) / RING_BLOCK;
}

/* Those that this rank writes, or reads. Where nothing is known of nodes all ranks are on one. */
static int64_t count_lines(const request *r, const sched *s, int rank, step_kind kind)
{
    const int *region = regions_of(r);
    int64_t lines = 0;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (st->kind == kind && (!region || region[st->peer] == region[rank]))
            lines += lines_of(plan_step_bytes(r, s, st));
    }
    return lines;
}

typedef struct totals {
    total written, read;
    total steps, messages, blocks, far_messages, far_blocks, copies, reductions, edges, bytes;
    const char *unit;
    int parts;
} totals;

static void count_rank(totals *t, const request *r, const sched *s, int rank)
{
    int64_t sends = 0, crossing = 0, crossing_blocks = 0;

    for (int i = 0; i < s->nsteps; i++)
        sends += s->steps[i].kind == STEP_SEND;
    add(&t->steps, s->nsteps);
    add(&t->messages, sends);
    add(&t->blocks, blocks_of(s, STEP_SEND));
    count_far(s, regions_of(r), rank, &crossing, &crossing_blocks);
    add(&t->far_messages, crossing);
    add(&t->far_blocks, crossing_blocks);
    add(&t->copies, blocks_of(s, STEP_COPY));
    add(&t->reductions, blocks_of(s, STEP_REDUCE));
    if (r->bytes >= 0) {
        add(&t->written, count_lines(r, s, rank, STEP_SEND));
        add(&t->read, count_lines(r, s, rank, STEP_RECV));
    }
    add(&t->edges, s->nedges);
    add(&t->bytes, (int64_t)sched_memory(s));
    t->unit = plan_unit(r, s);
    t->parts = s->parts;
}

static void print_totals(const request *r, const totals *t)
{
    plan_print_title(r);
    if (t->parts > 1)
        printf(", %s", cut_of(r, t->parts));
    printf("\n  %-24s %12s %10s %10s\n", "", "all ranks", "least", "most");
    print_total("steps", &t->steps);
    print_total("messages sent", &t->messages);
    print_data(t->unit, "sent", &t->blocks);
    if (regions_of(r)) {
        print_total("messages between regions", &t->far_messages);
        print_data(t->unit, "between regions", &t->far_blocks);
    }
    print_data(t->unit, "copied", &t->copies);
    if (coll_has(r->kind, COLL_REDUCES))
        print_data(t->unit, "reduced", &t->reductions);
    if (r->bytes >= 0) {
        print_total("lines written in a node", &t->written);
        print_total("lines read in a node", &t->read);
    }
    print_total("dependencies", &t->edges);
    print_total("bytes of schedule", &t->bytes);
}

int plan_print_all(const request *r)
{
    const algo *a = algo_table[r->choice.algo];
    totals t = {0};
    int failed = plan_too_much(r, "--all");

    if (failed)
        return failed;
    for (int k = 0; k < r->p; k++) {
        sched *s = plan_compile(r, k);
        if (!s)
            return plan_fail("out of memory", "schedule");
        count_rank(&t, r, s, k);
        sched_free(s);
    }
    print_totals(r, &t);
    if (a->cost) {
        algo_cost cost = a->cost(r->p, r->choice.parameter);
        printf("  T = %g alpha + %g n beta on the critical path (Hockney model, n bytes a %s)\n",
               cost.messages, cost.blocks, t.parts > 1 ? "vector" : t.unit);
    }
    return 0;
}

/* s: the schedule of any rank */
static void print_path(const request *r, const critical_path *path, const sched *s)
{
    int64_t sum = 0;

    plan_print_title(r);
    printf("\n  critical path, in %s transfers", plan_unit(r, s));
    if (s->parts > 1)
        printf(", %d of them a vector", s->parts);
    printf("\n");
    printf("    %8" PRId64 "  longest chain of messages that need each other (%d message%s)\n",
           path->chain, path->messages, path->messages == 1 ? "" : "s");
    printf("    %8" PRId64 "  with one message at a time on each port of a rank: in, out, %s\n",
           path->on_ports, regions_of(r) ? "local and between regions" : "one region");
    for (int i = 0; i < path->nphases; i++)
        sum += path->phase_on_ports[i];
    if (path->nphases == 0)
        return;
    printf("    %8" PRId64 "  the same, if each phase waited for the end of the one before:", sum);
    for (int i = 0; i < path->nphases; i++)
        printf("%s %s %" PRId64, i ? "," : "", path->phase[i], path->phase_on_ports[i]);
    printf("\n");
}

int plan_print_critical_path(const request *r)
{
    int failed = plan_too_much(r, "--critical-path");
    sched **all = failed ? NULL : plan_compile_all(r);
    critical_path path;
    bool done = all && critical_path_find(all, r->p, r->topo, &path);

    if (failed)
        return failed;
    if (done)
        print_path(r, &path, all[0]);
    plan_free_all(r, all);
    return done ? 0 : plan_fail("out of memory", "schedules");
}
