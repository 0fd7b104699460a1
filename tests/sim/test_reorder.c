/* SPDX-License-Identifier: BSD-3-Clause */
/* test_reorder.c - new orders of ranks, on the machine and the mappings of the rank reordering
 * paper: what the data's way costs before and after, counted from what was executed.
 *
 * usage: test_reorder
 */
#include "between.h"
#include "sim/machine.h"
#include "topo/reorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

/* The mappings of the reordering paper, on 8 nodes of 2 packages of 4 cores. */
static const char *const mappings[] = {
    "node:8 package:2",               /* block-bunch */
    "node:8 package:2@cyclic",        /* block-scatter */
    "node:8@cyclic package:2",        /* cyclic-bunch */
    "node:8@cyclic package:2@cyclic", /* cyclic-scatter */
};

static int64_t weighted(const char *name, const char *shape, int p)
{
    static traffic f;
    topo *t = machine(shape, p);

    gather(name, FORM_STEP, 0, t, shape, &f);
    topo_free(t);
    return f.weighted;
}

/* Never worse; and where the ideal order is known, as good: the ring of the machine's own order has
 * each region's ranks in sequence; of the others, half of all data moves inside packages. */
static void a_new_order_shortens_the_way_of_the_data(void **state)
{
    static const char *const names[] = {"ring", "recursive_doubling", "bruck", "sparbit"};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t m = 0; m < 4; m++)
            for (int p = 16; p <= 64; p += i == 1 ? p : 12) {
                char name[40];
                snprintf(name, sizeof name, "reorder_%s", names[i]);
                int64_t before = weighted(names[i], mappings[m], p);
                int64_t after = weighted(name, mappings[m], p);
                assert_true(after <= before);
                if (i == 0 && p % 8 == 0)
                    assert_int_equal(after, weighted("ring", mappings[0], p));
                if (p == 64 && (i == 1 || i == 2))
                    assert_int_equal(after, weighted("recursive_doubling", mappings[3], p));
                if (p == 64 && i == 3)
                    assert_int_equal(after, weighted("sparbit", mappings[0], p));
            }
}

/* Leaders on other switches, and ranks of other packages. */
static void every_phase_of_hierarchical_is_reordered(void **state)
{
    const char *switches = "switch:4 node:4@cyclic", *packages = "node:8 package:2@cyclic";

    (void)state;
    assert_true(weighted("reorder_hierarchical", switches, 64) <
                weighted("hierarchical", switches, 64));
    assert_true(weighted("reorder_hierarchical", packages, 64) <
                weighted("hierarchical", packages, 64));
}

/* Of trees, what their messages say; the first rank stays first. */
static void a_new_order_shortens_trees(void **state)
{
    int order[64];

    (void)state;
    for (int pattern = 0; pattern < REORDER_PATTERNS; pattern++)
        for (size_t m = 0; m < 4; m++)
            for (int p = 1; p <= 64; p++) {
                topo *t = machine(mappings[m], p);
                int same[64];
                unsigned char seen[64] = {0};
                for (int r = 0; r < p; r++)
                    same[r] = r;
                assert_true(reorder_ranks((reorder_pattern)pattern, t, NULL, p, order));
                assert_int_equal(order[0], 0);
                for (int r = 0; r < p; r++)
                    seen[order[r]]++;
                for (int r = 0; r < p; r++)
                    assert_int_equal(seen[r], 1);
                assert_true(reorder_cost((reorder_pattern)pattern, t, order, p) <=
                            reorder_cost((reorder_pattern)pattern, t, same, p));
                if (p == 64 && pattern == REORDER_BROADCAST) /* nodes, packages, cores */
                    assert_int_equal(reorder_cost(REORDER_BROADCAST, t, order, p),
                                     7 * 10 + 8 * 5 + 48 * 4);
                topo_free(t);
            }
}

/* What the blocks, or vectors, of a tree to or from this root travel. */
static int64_t tree_weight(coll_kind kind, const char *name, const char *shape, int p, int root)
{
    static traffic f;
    topo *t = machine(shape, p);

    f = (traffic){.t = t, .count = 2};
    coll_run_do((coll_run){.a = find(kind, name),
                           .kind = kind,
                           .p = p,
                           .count = 2,
                           .root = root,
                           .topo = t,
                           .shape = shape,
                           .sends = SIM_MIXED,
                           .traffic = count_message,
                           .context = &f});
    topo_free(t);
    return f.weighted;
}

/* bcast and reduce over BBMH's tree, gather over BGMH's: never longer than over the tree of the
 * ranks in their order; with the first rank as root, as long as reorder.h says; with any root on
 * 64 ranks of 8 nodes, a message into each other node and each other package. */
static void trees_in_a_new_order_are_shorter(void **state)
{
    static const coll_kind kinds[] = {COLL_bcast, COLL_reduce, COLL_gather};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t m = 0; m < 4; m++)
            for (int p = 1; p <= 64; p += 9) {
                reorder_pattern pattern = i == 2 ? REORDER_GATHER : REORDER_BROADCAST;
                topo *t = machine(mappings[m], p);
                int order[64];
                int64_t after = tree_weight(kinds[i], "reorder_binomial", mappings[m], p, 0);

                assert_true(after <= tree_weight(kinds[i], "binomial", mappings[m], p, 0));
                assert_true(reorder_ranks(pattern, t, NULL, p, order));
                assert_int_equal(after, reorder_cost(pattern, t, order, p));
                topo_free(t);
                if (p == 64 && i < 2)
                    for (int root = 1; root < p; root += 13)
                        assert_int_equal(
                            tree_weight(kinds[i], "reorder_binomial", mappings[m], p, root),
                            7 * 10 + 8 * 5 + 48 * 4);
            }
}

/* The messages that the costs are computed from are those of the algorithms. */
static void costs_are_those_of_executed_schedules(void **state)
{
    static const struct {
        const char *name;
        reorder_pattern pattern;
    } pairs[] = {{"ring", REORDER_RING},
                 {"recursive_doubling", REORDER_DOUBLING},
                 {"bruck", REORDER_BRUCK},
                 {"sparbit", REORDER_SPARBIT}};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int p = 2; p <= 64; p++) {
            int same[64];
            topo *t;
            if (i == 1 && (p & (p - 1)))
                continue;
            t = machine(mappings[p % 4], p);
            for (int r = 0; r < p; r++)
                same[r] = r;
            assert_int_equal(reorder_cost(pairs[i].pattern, t, same, p),
                             weighted(pairs[i].name, mappings[p % 4], p));
            topo_free(t);
        }
}

/* One more message for initcomm where a rank moves, and no copy of what moves; copies for
 * endshuffle: the own block to scratch, and all to their places but for the own one in place. */
static void the_ways_to_keep_the_order_cost_what_they_say(void **state)
{
    topo *t = machine("node:4@cyclic", 16);
    int order[16], fixed = 0;

    (void)state;
    assert_true(reorder_ranks(REORDER_SPARBIT, t, NULL, 16, order));
    for (int i = 0; i < 16; i++)
        fixed += order[i] == i;
    assert_between(fixed, 1, 15);
    for (int in_place = 0; in_place < 2; in_place++)
        for (int k = 0; k < ORDERS; k++) {
            const int copies[] = {in_place ? 0 : 16, in_place ? 0 : fixed,
                                  16 * (in_place ? 16 : 17)};
            sim_result r = coll_run_do((coll_run){.a = find(COLL_allgather, "reorder_sparbit"),
                                                  .kind = COLL_allgather,
                                                  .p = 16,
                                                  .count = 1,
                                                  .order = (coll_order)k,
                                                  .topo = t,
                                                  .in_place = in_place});
            assert_int_equal(r.max_messages, k == ORDER_INITCOMM ? 5 : 4);
            assert_int_equal(r.copied, copies[k]);
        }
    topo_free(t);
}

/* Where the paper's heuristic finds nothing: ranks in blocks. */
static void a_gather_finds_room_for_its_subtrees(void **state)
{
    int order[64], same[64];
    topo *t = machine(mappings[0], 64);

    (void)state;
    for (int r = 0; r < 64; r++)
        same[r] = r;
    assert_true(reorder_always(REORDER_GATHER, t, NULL, 64, order));
    assert_true(reorder_cost(REORDER_GATHER, t, order, 64) >=
                reorder_cost(REORDER_GATHER, t, same, 64));
    assert_true(reorder_ranks(REORDER_GATHER, t, NULL, 64, order));
    assert_true(reorder_cost(REORDER_GATHER, t, order, 64) <
                reorder_cost(REORDER_GATHER, t, same, 64));
    topo_free(t);
}

/* On a topology that has been asked nothing before. */
static void expect_order(reorder_pattern pattern, const topo *t, const int *ranks, int n)
{
    int order[64], again[64];
    topo *fresh = machine(mappings[2], 64);

    assert_true(reorder_ranks(pattern, fresh, ranks, n, order));
    assert_true(reorder_ranks(pattern, t, ranks, n, again));
    assert_memory_equal(order, again, (size_t)n * sizeof *order);
    topo_free(fresh);
}

/* More of them than are kept: all ranks, some, and the same with another first one. */
static void what_was_found_is_found_again(void **state)
{
    topo *t = machine(mappings[2], 64);
    int ranks[64];

    (void)state;
    for (int round = 0; round < 3; round++)
        for (int pattern = 0; pattern < REORDER_PATTERNS; pattern++) {
            expect_order((reorder_pattern)pattern, t, NULL, 64);
            for (int left = 1; left < 5; left++) {
                int n = 64 - 8 * left;
                for (int i = 0; i < n; i++)
                    ranks[i] = i + left;
                expect_order((reorder_pattern)pattern, t, ranks, n);
                ranks[0] = 0;
                expect_order((reorder_pattern)pattern, t, ranks, n);
            }
        }
    topo_free(t);
}

static void where_all_are_as_far_the_order_stays(void **state)
{
    static const char *const shapes[] = {"node:64", "node:1", "node:8 package:2"};
    int order[64], ranks[8];

    (void)state;
    for (int i = 0; i < 8; i++)
        ranks[i] = 8 * i + i % 3;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int pattern = 0; pattern < REORDER_PATTERNS; pattern++) {
            topo *t = machine(shapes[i], 64);
            assert_true(reorder_ranks((reorder_pattern)pattern, t, ranks, 8, order));
            assert_memory_equal(order, ranks, sizeof ranks);
            topo_free(t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_order_shortens_the_way_of_the_data),
        cmocka_unit_test(every_phase_of_hierarchical_is_reordered),
        cmocka_unit_test(a_new_order_shortens_trees),
        cmocka_unit_test(trees_in_a_new_order_are_shorter),
        cmocka_unit_test(costs_are_those_of_executed_schedules),
        cmocka_unit_test(the_ways_to_keep_the_order_cost_what_they_say),
        cmocka_unit_test(a_gather_finds_room_for_its_subtrees),
        cmocka_unit_test(what_was_found_is_found_again),
        cmocka_unit_test(where_all_are_as_far_the_order_stays),
    };

    return cmocka_run_group_tests_name("reorder", tests, NULL, NULL);
}
