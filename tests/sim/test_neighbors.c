/* SPDX-License-Identifier: BSD-3-Clause */
/* test_neighbors.c - neighborhood collectives on random directed graphs, by all algorithms. */
#include "algos/algo.h"
#include "sim/graph_data.h"
#include "sim/sim.h"

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
    uint64_t seed;
    sim_sends sends;
    sim_rank ranks[MOST_RANKS];
} run;

static void run_fail(const run *u, const char *what)
{
    fail_msg("%s %s p %d count %d sends %d seed %llu: %s", coll_kind_name(u->w.kind), u->a->name,
             u->w.p, (int)u->w.count, u->sends, (unsigned long long)u->seed, what);
}

static void compile_rank(run *u, int rank)
{
    coll_neighbors n;
    coll c = graph_data_call(&u->w, rank, &n);
    sched *s = NULL;

    if (algo_compile(u->a, FORM_STEP, &c, NULL, &s) != SCHED_OK)
        run_fail(u, "does not compile");
    if (sched_check(s))
        run_fail(u, sched_check(s));
    u->ranks[rank] = (sim_rank){
        .sched = s,
        .buffer = {[SPACE_SEND] = u->w.out[rank].buffer, [SPACE_RECV] = u->w.in[rank].buffer},
        .count = {[SPACE_SEND] = graph_data_sent(&u->w, rank),
                  [SPACE_RECV] = graph_data_received(&u->w)}};
}

/* ---- what it costs ---- */

typedef struct costs {
    int64_t sent, copied;
    int most; /* messages of one rank */
} costs;

/* A message for each edge that bears data, a copy for each to oneself. */
static costs expected_costs(const graph_data *w)
{
    int messages[MOST_RANKS] = {0};
    costs k = {0};

    for (const edge *e = w->edges; e < w->edges + w->nedges; e++) {
        if (e->from == e->to) {
            k.copied += e->length;
        } else if (e->length > 0) {
            k.sent += e->length;
            k.most = ++messages[e->from] > k.most ? messages[e->from] : k.most;
        }
    }
    return k;
}

static void check_costs(const run *u, const sim_result *r)
{
    costs k = expected_costs(&u->w);

    if (r->sent != k.sent)
        run_fail(u, "items sent");
    if (r->copied != k.copied)
        run_fail(u, "items copied");
    if (r->max_messages != k.most)
        run_fail(u, "messages of a rank");
    if (r->critical_path != (k.most > 0))
        run_fail(u, "a message waits for another one");
    for (int i = 0; i < u->w.p; i++)
        if (u->ranks[i].sched->extent[SPACE_SCRATCH])
            run_fail(u, "scratch");
}

/* ---- run ---- */

static void run_one(const algo *a, coll_kind kind, int p, int count, int most, uint64_t seed)
{
    run u = {.a = a, .seed = seed, .sends = (sim_sends)(seed % SIM_SENDS)};
    sim_options o = {.seed = seed,
                     .sends = u.sends,
                     .size = {sizeof(uint64_t), sizeof(uint64_t), sizeof(uint64_t)}};
    sim_result r;

    graph_data_make(&u.w, kind, p, count, most, seed);
    for (int rank = 0; rank < p; rank++)
        compile_rank(&u, rank);
    sim_run(u.ranks, p, &o, &r);
    if (r.error[0] || r.finished != p)
        run_fail(&u, r.error);
    if (!graph_data_arrived(&u.w))
        run_fail(&u, "wrong data");
    check_costs(&u, &r);
    for (int rank = 0; rank < p; rank++)
        sched_free((sched *)u.ranks[rank].sched);
    graph_data_free(&u.w);
}

static void every_algorithm(int p, int count, int most, uint64_t seed)
{
    for (int i = 0; i < algo_count; i++)
        for (int kind = 0; kind < COLL_KINDS; kind++)
            if (coll_has((coll_kind)kind, COLL_NEIGHBORS) &&
                algo_serves(algo_table[i], (coll_kind)kind))
                run_one(algo_table[i], (coll_kind)kind, p, count, most, seed);
}

static void every_block_comes_over_its_edge(void **state)
{
    static const int counts[] = {0, 1, 5, 40};

    (void)state;
    for (int p = 1; p <= MOST_RANKS; p++)
        for (int i = 0; i < 4; i++)
            for (int turn = 0; turn < 3; turn++)
                every_algorithm(p, counts[i], 6, (uint64_t)(p * 100 + i * 10 + turn));
}

/* More messages from one rank to another than there are tags for. */
static void an_edge_may_be_there_two_hundred_times(void **state)
{
    (void)state;
    for (int p = 2; p <= 5; p++)
        for (int turn = 0; turn < 30; turn++)
            every_algorithm(p, 3, 200, (uint64_t)(7000 + p * 100 + turn));
}

/* A graph that says it sends to itself, and does not say that it receives. */
static void a_graph_that_does_not_match_is_refused(void **state)
{
    int me = 0, first = 0;
    coll_neighbors n = {.ndestinations = 1, .sources = &me, .destinations = &me, .order = &first};
    coll c = {
        .kind = COLL_neighbor_alltoall, .p = 1, .neighbors = &n, .send.count = 1, .recv.count = 1};
    sched *s = NULL;

    (void)state;
    assert_int_equal(
        algo_compile(algo_table[ALGO_neighbor_alltoall_linear], FORM_STEP, &c, NULL, &s),
        SCHED_BAD_STEP);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_comes_over_its_edge),
        cmocka_unit_test(an_edge_may_be_there_two_hundred_times),
        cmocka_unit_test(a_graph_that_does_not_match_is_refused),
    };

    return cmocka_run_group_tests_name("neighbors", tests, NULL, NULL);
}
