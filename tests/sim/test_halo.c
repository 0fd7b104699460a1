/* SPDX-License-Identifier: BSD-3-Clause */
/* test_halo.c - neighborhood collectives that join what leaves a node, on random directed graphs
 * and machines: each block at its place, and as many messages between nodes as there must be. */
#include "algos/halo.h"
#include "sim/graph_data.h"
#include "sim/machine.h"
#include "sim/must.h"
#include "sim/sim.h"
#include "tune/halo_estimate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_RANKS = 64 };

typedef struct run {
    graph_data w;
    const algo *a;
    const topo *t;
    int parameter;
    uint64_t seed;
    sim_rank ranks[MOST_RANKS];
    int64_t *list[MOST_RANKS], *exchanged[MOST_RANKS], words[MOST_RANKS];
    int messages;                  /* between nodes */
    int64_t items;                 /* in them */
    halo_leaving from[MOST_RANKS]; /* each node; in items */
} run;

static void run_fail(const run *u, const char *what)
{
    char machine[4000];

    topo_draw(u->t, machine, sizeof machine);
    fail_msg("%s %s:%d p %d count %d seed %llu: %s\n%s", coll_kind_name(u->w.kind), u->a->name,
             u->parameter, u->w.p, (int)u->w.count, (unsigned long long)u->seed, what, machine);
}

static void count(void *context, int from, int to, int64_t size)
{
    run *u = context;

    if (u->t->node[from] == u->t->node[to])
        return;
    u->messages++;
    u->items += size;
    u->from[u->t->node[from]].messages++;
    u->from[u->t->node[from]].bytes += size;
}

/* ---- what must have been sent ---- */

/* Pairs (rank, node) or (node, node) with data on their way. */
static int pairs(const run *u, bool of_ranks)
{
    static bool seen[MOST_RANKS][MOST_RANKS];
    int n = 0;

    memset(seen, 0, sizeof seen);
    for (const edge *e = u->w.edges; e < u->w.edges + u->w.nedges; e++) {
        int a = u->t->node[e->from], b = u->t->node[e->to];
        bool *s = &seen[of_ranks ? e->from : a][b];
        if (a == b || e->length == 0 || *s)
            continue;
        *s = true;
        n++;
    }
    return n;
}

/* ---- the size exchange ---- */

/* Bytes are halves of items here. */
static int64_t *list_of(const run *u, int rank, int groups)
{
    const side *out = &u->w.out[rank], *in = &u->w.in[rank];
    int64_t *received = sim_zeroed((size_t)in->n + 1, sizeof *received), *list, n = 0;
    int64_t *first = sim_zeroed((size_t)out->n + 1, sizeof *first);
    byte_range *range = sim_zeroed((size_t)out->n * GRAPH_RANGES + 1, sizeof *range);
    coll_neighbors neighbors;

    graph_data_call(&u->w, rank, &neighbors);
    for (int i = 0; i < in->n; i++)
        received[i] = 2 * in->counts[i];
    for (int i = 0; i < out->n; i++) {
        const byte_range *of = out->edge[i] < 0 ? NULL : u->w.edges[out->edge[i]].range;
        for (int k = 0; of && k < GRAPH_RANGES; k++)
            range[n++] = (byte_range){2 * of[k].at, 2 * of[k].length};
        first[i + 1] = n;
    }
    list = halo_list(&neighbors, u->t, groups, rank, &(halo_blocks){received, first, range});
    free(received);
    free(first);
    free(range);
    return list;
}

static void begin_round(run *u, int rank, int round)
{
    coll_neighbors n;
    coll c = graph_data_call(&u->w, rank, &n);
    int64_t *found;
    sched *s = NULL;

    c.parameter = u->parameter;
    c.exchanged_sizes = u->exchanged[rank];
    if (algo_compile_size_exchange(u->a, &c, round, u->t, &s) != SCHED_OK || sched_check(s))
        run_fail(u, "the size exchange does not compile");
    found = sim_zeroed((size_t)(u->words[rank] + s->extent[SPACE_RECV]), sizeof *found);
    if (u->words[rank])
        memcpy(found, u->exchanged[rank], (size_t)u->words[rank] * sizeof *found);
    free(u->exchanged[rank]);
    u->exchanged[rank] = found;
    u->ranks[rank] =
        (sim_rank){.sched = s,
                   .buffer = {[SPACE_SEND] = u->list[rank], [SPACE_RECV] = found + u->words[rank]},
                   .count = {[SPACE_SEND] = 1, [SPACE_RECV] = 1}};
    u->words[rank] += s->extent[SPACE_RECV];
}

static void run_round(run *u, int round, const sim_options *as)
{
    sim_options o = *as;
    sim_result result;

    o.size[SPACE_SEND] = o.size[SPACE_RECV] = o.size[SPACE_SCRATCH] = sizeof(int64_t);
    for (int r = 0; r < u->w.p; r++)
        begin_round(u, r, round);
    sim_run(u->ranks, u->w.p, &o, &result);
    if (result.error[0])
        run_fail(u, result.error);
    for (int r = 0; r < u->w.p; r++)
        sched_free((sched *)u->ranks[r].sched);
}

/* Lists stay inside the nodes; then a rank sends at most a message to each group of a node, and
 * another one where it has pieces. */
static void exchange(run *u, const sim_options *o)
{
    int most = u->t->nodes > 1 ? pairs(u, true) * halo_groups(u->parameter) : 0;

    for (int r = 0; r < u->w.p; r++)
        u->list[r] = list_of(u, r, halo_groups(u->parameter));
    for (int i = 0; i < u->a->rounds; i++) {
        run_round(u, i, o);
        if (u->messages > (i < HALO_LISTS ? 0 : most))
            run_fail(u, "messages of the size exchange");
        u->items = u->messages = 0;
        memset(u->from, 0, sizeof u->from);
    }
    for (int r = 0; r < u->w.p; r++) {
        free(u->list[r]);
        if (u->t->nodes == 1) {
            free(u->exchanged[r]);
            u->exchanged[r] = NULL;
        }
    }
}

static void compile_rank(run *u, int rank)
{
    coll_neighbors n;
    coll c = graph_data_call(&u->w, rank, &n);
    sched *s = NULL;

    c.parameter = u->parameter;
    c.exchanged_sizes = u->exchanged[rank];
    c.exchanged_rounds = u->a->rounds;
    if (algo_compile(u->a, FORM_STEP, &c, u->t, &s) != SCHED_OK)
        run_fail(u, "does not compile");
    if (sched_check(s))
        run_fail(u, sched_check(s));
    u->ranks[rank] =
        (sim_rank){.sched = s,
                   .buffer = {[SPACE_SEND] = u->w.out[rank].buffer,
                              [SPACE_RECV] = u->w.in[rank].buffer,
                              [SPACE_SCRATCH] = sim_zeroed((size_t)s->extent[SPACE_SCRATCH],
                                                           sizeof(uint64_t) / 2)},
                   .count = {[SPACE_SEND] = graph_data_sent(&u->w, rank),
                             [SPACE_RECV] = graph_data_received(&u->w),
                             [SPACE_SCRATCH] = 1}};
}

/* Which of the groups of its node a rank is in. */
static int group_of(const run *u, int rank)
{
    int before = 0, members = 0;

    for (int r = 0; r < u->w.p; r++) {
        members += u->t->node[r] == u->t->node[rank];
        before += r < rank && u->t->node[r] == u->t->node[rank];
    }
    return halo_group(before, members, halo_groups(u->parameter));
}

static bool is_same_group(const run *u, int a, int b)
{
    return u->t->node[a] == u->t->node[b] && (u->parameter < 2 || group_of(u, a) == group_of(u, b));
}

/* Items of a rank that a group needs, from this edge on. */
static int64_t items_needed(const run *u, const edge *first)
{
    static bool seen[1 << 14];
    int64_t items = 0;

    memset(seen, 0, sizeof seen);
    for (const edge *e = first; e < u->w.edges + u->w.nedges; e++) {
        bool counts = e->from == first->from && is_same_group(u, e->to, first->to);
        for (int k = 0; counts && k < GRAPH_RANGES; k++)
            for (int64_t i = 0; i < e->range[k].length; i++) {
                items += !seen[e->range[k].at + i];
                seen[e->range[k].at + i] = true;
            }
    }
    return items;
}

/* The union of what is needed, of each group. */
static int64_t items_leaving(const run *u)
{
    int64_t items = 0;

    for (const edge *e = u->w.edges; e < u->w.edges + u->w.nedges; e++) {
        bool first = u->t->node[e->from] != u->t->node[e->to];
        for (const edge *x = u->w.edges; first && x < e; x++)
            first = x->from != e->from || !is_same_group(u, x->to, e->to);
        items += first ? items_needed(u, e) : 0;
    }
    return items;
}

static void check_messages(const run *u)
{
    bool partner = u->a == &algo_neighbor_alltoall_partner;
    int exact = pairs(u, partner);

    if (u->t->nodes == 1               ? u->messages != 0
        : partner || u->parameter == 1 ? u->messages != exact
                                       : u->messages < exact || u->messages > exact * u->parameter)
        run_fail(u, "messages between nodes");
    if (u->t->nodes > 1 && u->items != items_leaving(u))
        run_fail(u, "items between nodes");
}

/* What HALO_LISTS rounds find in a node, with lists for one group of each node. */
static int64_t *lists_of_node(const run *u, int node)
{
    int64_t *all = NULL;
    size_t words = 0;

    for (int i = 0; i < HALO_LISTS * u->w.p; i++) {
        int rank = i % u->w.p;
        int64_t *list = u->t->node[rank] == node ? list_of(u, rank, 1) : NULL;
        size_t n = i < u->w.p ? HALO_HEAD : (size_t)(list ? halo_list_words(list[0], list[1]) : 0);
        if (!list)
            continue;
        all = sim_must(realloc(all, (words + n) * sizeof *all));
        memcpy(all + words, list, n * sizeof *list);
        words += n;
        free(list);
    }
    return all;
}

/* Exact, but for bytes of several groups, which are at most what they can be. */
static void check_leaving(const run *u, const halo_leaving *known, int node)
{
    const halo_leaving *linear = &known[0], *one = &known[1], *form = &known[2];
    int64_t right = 2 * u->from[node].bytes, groups = halo_groups(u->parameter);

    if (form->messages != u->from[node].messages)
        run_fail(u, "a node estimates another number of messages");
    if (form->bytes < right || form->bytes > linear->bytes || form->bytes > groups * one->bytes ||
        (groups == 1 && form->bytes > right))
        run_fail(u, "a node estimates too few bytes, or too many");
}

/* What a node knows before it is chosen is what leaves it, and its ranks estimate the same. */
static void check_estimate(const run *u)
{
    const halo_form forms[] = {
        {ALGO_neighbor_alltoall_linear, 0},
        {ALGO_neighbor_alltoall_node, 1},
        {(int)(u->parameter > 0 ? ALGO_neighbor_alltoall_node : ALGO_neighbor_alltoall_partner),
         u->parameter}};
    int64_t *lists[MOST_RANKS] = {NULL}, time[MOST_RANKS][3], again[3]; /* of each node */

    for (int r = 0; u->t->nodes > 1 && r < u->w.p; r++) {
        int node = u->t->node[r];
        bool first = !lists[node];
        halo_leaving leaving[3];
        coll_neighbors n;
        coll c = graph_data_call(&u->w, r, &n);
        if (first)
            lists[node] = lists_of_node(u, node);
        c.exchanged_sizes = lists[node];
        if (!halo_estimate(&c, u->t, constants_builtin("fast"), forms, 3, 0, 1,
                           first ? time[node] : again, leaving))
            run_fail(u, "no estimate");
        if (!first && memcmp(again, time[node], sizeof again) != 0)
            run_fail(u, "ranks of a node estimate other times");
        check_leaving(u, leaving, node);
    }
    for (int node = 0; node < u->t->nodes; node++)
        free(lists[node]);
}

static void run_one(const algo *a, int parameter, coll_kind kind, const topo *t, int size, int most,
                    uint64_t seed)
{
    run u = {.a = a, .t = t, .parameter = parameter, .seed = seed};
    sim_options o = {.seed = seed,
                     .sends = (sim_sends)(seed % SIM_SENDS),
                     .traffic = count,
                     .context = &u,
                     .size = {sizeof(uint64_t), sizeof(uint64_t), sizeof(uint64_t) / 2}};
    sim_result r;

    graph_data_make(&u.w, kind, t->p, size, most, seed);
    exchange(&u, &o);
    for (int rank = 0; rank < t->p; rank++)
        compile_rank(&u, rank);
    sim_run(u.ranks, t->p, &o, &r);
    if (r.error[0] || r.finished != t->p)
        run_fail(&u, r.error);
    if (!graph_data_arrived(&u.w))
        run_fail(&u, "wrong data");
    check_messages(&u);
    check_estimate(&u);
    for (int rank = 0; rank < t->p; rank++) {
        sched_free((sched *)u.ranks[rank].sched);
        free(u.ranks[rank].buffer[SPACE_SCRATCH]);
        free(u.exchanged[rank]);
    }
    graph_data_free(&u.w);
}

static void every_form(const topo *t, int size, int most, uint64_t seed)
{
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        if (!coll_has((coll_kind)kind, COLL_NEIGHBORS))
            continue;
        run_one(&algo_neighbor_alltoall_partner, 0, (coll_kind)kind, t, size, most, seed);
        for (int k = 1; k <= 3; k++)
            run_one(&algo_neighbor_alltoall_node, k, (coll_kind)kind, t, size, most, seed);
    }
}

static void on_random_machines(void **state)
{
    uint64_t random = 41;

    (void)state;
    for (int p = 1; p <= MOST_RANKS; p++)
        for (int turn = 0; turn < 4; turn++) {
            topo *t = random_machine(p, &random);
            every_form(t, turn * turn, 6, (uint64_t)(p * 10 + turn));
            topo_free(t);
        }
}

static void on_regular_machines(void **state)
{
    static const char *const shapes[] = {"node:1", "node:4", "node:4@cyclic", "node:3", "node:64"};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int p = 1; p <= MOST_RANKS; p += 3) {
            topo *t = machine(shapes[i], p);
            every_form(t, 5, 6, (uint64_t)p);
            topo_free(t);
        }
}

/* More messages from one rank to another than there are tags for. */
static void an_edge_may_be_there_two_hundred_times(void **state)
{
    (void)state;
    for (int p = 2; p <= 5; p++)
        for (int turn = 0; turn < 10; turn++) {
            topo *t = machine(turn % 2 ? "node:2" : "node:1", p);
            every_form(t, 3, 200, (uint64_t)(7000 + p * 100 + turn));
            topo_free(t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_random_machines),
        cmocka_unit_test(on_regular_machines),
        cmocka_unit_test(an_edge_may_be_there_two_hundred_times),
    };

    return cmocka_run_group_tests_name("halo", tests, NULL, NULL);
}
