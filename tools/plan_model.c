/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_model.c - see plan.h. What papers reckon with, beside the estimate: an overview, no promise.
 *
 *   Hockney    alpha * messages + beta * bytes, on the critical path (algo.cost)
 *   (1), (2)   the same of the rank for which it is most, counted in its schedule: all messages
 *              alike; local and other ones apart
 *   (3), (4)   (2) as a formula, of Bruck's allgather and of the locality-aware one
 *
 * Numbers are those of Bienz, Gautam, Kharel, EuroMPI/USA 2022. alpha is the way of an empty
 * message with both ends, beta what a byte of one message takes.
 */
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct line {
    double alpha, beta;
} line;

typedef struct message_kinds {
    const int *region; /* of each rank; NULL: all messages are of one kind */
    line local, far;
    double each; /* ranks in a region, or 0: not the same in all */
} message_kinds;

/* What a rank sends. */
typedef struct traffic {
    double messages, bytes;
} traffic;

static line line_of(const constants *k, way w)
{
    const way_constants *c = &k->way[w];

    return (line){.alpha = c->latency + 2 * c->overhead, .beta = 1 / c->bandwidth};
}

static double time_of(line l, traffic t)
{
    return l.alpha * t.messages + l.beta * t.bytes;
}

/* Local is what is inside a region, as the algorithms have it. */
static message_kinds find_message_kinds(const request *r, const constants *k)
{
    const topo *t = r->topo;
    int level = topo_regions(t);
    bool network = t && t->nodes > 1;
    message_kinds x = {.far = line_of(k, network ? WAY_NETWORK : WAY_NODE)};

    if (!t || level == t->nlevels)
        return x;
    x.region = t->level[level].region;
    x.local = line_of(k, t->level[level].kind == TOPO_NODE ? WAY_NODE : WAY_INNER);
    x.each = t->level[level].least == t->level[level].most ? t->level[level].most : 0;
    return x;
}

/* ---- what is sent ---- */

static double bytes_of(const sched *s, const step *st, int64_t count, int64_t item)
{
    int64_t sum = 0;

    for (int k = 0; k < st->n; k++) {
        interval x = s->list[st->first + k];
        sum +=
            sched_items(s->parts, count, interval_end(x)) - sched_items(s->parts, count, x.offset);
    }
    return (double)(sum * item);
}

/* Count one rank's local and other messages. Empty parts are not sent, tokens are. */
static void count_rank(const request *r, const sched *s, int rank, const message_kinds *x,
                       traffic sum[2])
{
    int64_t item = coll_has(r->kind, COLL_REDUCES) ? (int64_t)sizeof(double) : 1;
    bool tokens = coll_shapes[r->kind].recv == COLL_NONE;

    sum[0] = sum[1] = (traffic){0, 0};
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        bool local = x->region && x->region[rank] == x->region[st->peer];
        double bytes;
        if (st->kind != STEP_SEND)
            continue;
        bytes = tokens ? 0 : bytes_of(s, st, r->bytes / item, item);
        sum[!local].messages += bytes > 0 || tokens;
        sum[!local].bytes += bytes;
    }
}

/* (1) and (2), of the ranks for which they are most. */
static bool count_all(const request *r, const message_kinds *x, double *alike, double *apart)
{
    *alike = *apart = 0;
    for (int k = 0; k < r->p; k++) {
        sched *s = plan_compile(r, k);
        traffic sum[2], both;
        if (!s)
            return false;
        count_rank(r, s, k, x, sum);
        sched_free(s);
        both = (traffic){sum[0].messages + sum[1].messages, sum[0].bytes + sum[1].bytes};
        *alike = fmax(*alike, time_of(x->far, both));
        *apart = fmax(*apart, time_of(x->local, sum[0]) + time_of(x->far, sum[1]));
    }
    return true;
}

/* ---- what is printed ---- */

static void print_time(double seconds, const char *what)
{
    printf("  %12.3f us  %s\n", 1e6 * seconds, what);
}

/* b: bytes of all blocks. The number of rounds is a whole one. */
static void print_bruck(const request *r, const message_kinds *x, double b)
{
    double rounds = ceil(log2((double)r->p));

    print_time(time_of(x->far, (traffic){rounds, b > 0 ? b - 1 : 0}),
               "(3) Bruck: log2(p) alpha + (b - 1) beta");
}

/* As printed, a local allgather counts as one message; the paper's text has log2 of its ranks. */
static void print_locality(const request *r, const message_kinds *x, double b)
{
    double regions = (double)r->p / x->each, rounds = 0;
    double more = b > 0 ? b - 1 : 0, far;

    for (double known = 1; known < regions; known *= x->each)
        rounds++;
    far = time_of(x->far, (traffic){rounds, b / x->each});
    print_time(far + time_of(x->local, (traffic){rounds + 1, more}),
               "(4) locality-aware Bruck, as printed: log_q(R) alpha + b/q beta + (log_q(R) + 1) "
               "alpha_l + (b - 1) beta_l");
    print_time(far + time_of(x->local, (traffic){ceil(log2(x->each)) * (rounds + 1), more}),
               "(4) with log2(q) messages in each local allgather, as its text says");
}

static void print_formulas(const request *r, const message_kinds *x)
{
    const char *name = algo_table[r->choice.algo]->name;
    double b = (double)r->bytes * r->p;
    bool locality = strcmp(name, "locality_bruck") == 0;

    if ((r->kind != COLL_allgather && r->kind != COLL_allgatherv) ||
        (!locality && strcmp(name, "bruck") != 0))
        return;
    print_bruck(r, x, b);
    if (locality && x->each > 1)
        print_locality(r, x, b);
    else if (locality)
        printf("  %15s  (4) is for regions of equal size\n", "-");
}

int plan_print_model(const request *r)
{
    const algo *a = algo_table[r->choice.algo];
    double bytes = coll_shapes[r->kind].recv == COLL_NONE ? 0 : (double)r->bytes, alike, apart;
    constants k;
    estimate e;
    message_kinds x;
    int failed = plan_find_machine(r, &k) ? plan_too_much(r, "--model") : 2;

    if (failed)
        return failed;
    x = find_message_kinds(r, &k);
    if (!plan_estimate(r, &k, &e) || !count_all(r, &x, &alike, &apart))
        return plan_fail("out of memory", "schedules");
    plan_print_title(r);
    printf(", %lld bytes, machine %s\n", (long long)r->bytes, plan_machine());
    print_time(1e-12 * (double)e.time, "estimate (--time)");
    if (a->cost) {
        algo_cost cost = a->cost(r->p, r->choice.parameter);
        print_time(time_of(x.far, (traffic){cost.messages, cost.blocks * bytes}),
                   "Hockney's model of the critical path, all messages as the farthest ones");
    }
    print_time(alike, "(1) the rank that sends most, all messages as the farthest ones");
    if (x.region)
        print_time(apart, "(2) the rank that sends most, local messages and others apart");
    print_formulas(r, &x);
    printf("  alpha %.3g us, beta %.3g us/KiB", 1e6 * x.far.alpha, 1024e6 * x.far.beta);
    if (x.region)
        printf("; local %.3g us, %.3g us/KiB", 1e6 * x.local.alpha, 1024e6 * x.local.beta);
    printf("\n");
    return 0;
}
