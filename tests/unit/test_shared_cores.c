/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shared_cores.c - what `auto` takes where more ranks are on a node than it has cores. */
#include "algos/algo.h"
#include "tune/planner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { RANKS = 8, CORES = 2 };

static constants on_shared_cores(void)
{
    constants k = *constants_builtin("fast");

    k.cores = CORES;
    return constants_shared(&k, RANKS);
}

static const char *taken(coll_kind kind, int64_t bytes, const constants *k)
{
    static char text[100];
    static const algo_set nothing;
    coll call = {.kind = kind, .p = RANKS};
    forecast best;

    assert_true(planner_best(&call, bytes, &nothing, NULL, k, &best));
    select_print(&best.choice, text, sizeof text);
    return text;
}

/* What is cut into pieces where each rank has a core. */
static void messages_between_ranks_on_shared_cores_are_whole(void **state)
{
    constants k = *constants_builtin("fast"), shared = on_shared_cores();

    (void)state;
    assert_string_not_equal(taken(COLL_bcast, 65536, &k), "binomial");
    assert_string_equal(taken(COLL_bcast, 65536, &shared), "binomial");
    assert_string_equal(taken(COLL_bcast, 1 << 20, &shared), "binomial");
}

/* Calls one after the other overlap along a chain, and it has the fewest messages. */
static void scans_of_ranks_on_shared_cores_go_along_the_chain(void **state)
{
    constants k = *constants_builtin("fast"), shared = on_shared_cores();

    (void)state;
    assert_string_equal(taken(COLL_scan, 8, &k), "recursive_doubling");
    assert_string_equal(taken(COLL_scan, 8, &shared), "chain:1");
    assert_string_equal(taken(COLL_exscan, 8192, &shared), "chain:1");
}

/* Does it stand before the other one in algos.def, and take no longer than that? */
static bool is_simpler(const forecast *f, const forecast *other, int64_t most)
{
    return f->executed && !f->longer && f->choice.algo < other->choice.algo && f->time <= most;
}

/* Of what takes up to an eighth longer than the fastest the first one of algos.def is taken, and
 * the others stay in their order. Returns whether that is not the fastest one. */
static bool check_first(coll_kind kind, int64_t bytes, const constants *k)
{
    static forecast list[PLANNER_MOST];
    forecast_call call = {.kind = kind, .p = RANKS, .bytes = bytes, .k = k};
    int n = planner_list(&call, list);
    int64_t least = list[0].time;

    assert_true(n > 1);
    for (int i = 1; i < n; i++)
        if (list[i].executed && list[i].time < least)
            least = list[i].time;
    assert_true(list[0].executed && list[0].time <= least + least / 8);
    for (int i = 1; i < n; i++)
        assert_false(is_simpler(&list[i], &list[0], least + least / 8));
    for (int i = 2; i < n; i++)
        assert_true(planner_score(&list[i - 1]) <= planner_score(&list[i]));
    return list[0].time > least;
}

static void a_simpler_one_may_take_an_eighth_longer(void **state)
{
    static const coll_kind kinds[] = {COLL_bcast,    COLL_gather, COLL_allgather,
                                      COLL_alltoall, COLL_reduce, COLL_allreduce};
    constants k = on_shared_cores();
    int simpler = 0;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int64_t bytes = 64; bytes <= 1 << 20; bytes *= 4)
            simpler += check_first(kinds[i], bytes, &k);
    assert_true(simpler > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_between_ranks_on_shared_cores_are_whole),
        cmocka_unit_test(scans_of_ranks_on_shared_cores_go_along_the_chain),
        cmocka_unit_test(a_simpler_one_may_take_an_eighth_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
