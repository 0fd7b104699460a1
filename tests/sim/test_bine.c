/* SPDX-License-Identifier: BSD-3-Clause */
/* test_bine.c - what Bine trees are for: on nodes of consecutive ranks fewer bytes cross between
 * nodes, counted from what was executed; and the properties of their butterfly.
 *
 * usage: test_bine
 */
#include "algos/bine.h"
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 128, LARGEST = 4096 }; /* ranks: that run, and of a butterfly alone */

/* Of all messages: items times distance, where ranks lie on a ring; and items that cross nodes of
 * so many consecutive ranks. */
typedef struct crossing {
    int p;
    int64_t distance, between[MOST];
} crossing;

static void count_crossing(void *context, int from, int to, int64_t size)
{
    crossing *c = context;
    int d = abs(from - to);

    c->distance += size * (d < c->p - d ? d : c->p - d);
    for (int node = 1; node < c->p; node++)
        c->between[node] += from / node != to / node ? size : 0;
}

static void add_run(crossing *c, coll_kind kind, const char *name, int p, int root)
{
    c->p = p;
    coll_run_do((coll_run){
        .a = find(kind, name),
        .kind = kind,
        .p = p,
        .count = coll_shapes[kind].send == COLL_ONE && coll_shapes[kind].recv == COLL_ONE ? p : 1,
        .root = root,
        .sends = SIM_EAGER,
        .traffic = count_crossing,
        .context = c});
}

/* The sum over all roots, if there is one. */
static crossing *count(coll_kind kind, const char *name, int p)
{
    static crossing many[2], *c;

    c = c == &many[0] ? &many[1] : &many[0];
    *c = (crossing){.p = p};
    for (int root = 0; root < (coll_has(kind, COLL_ROOTED) ? p : 1); root++)
        add_run(c, kind, name, p, root);
    return c;
}

/* For nodes of every size. Where most ranks are on one node, there may be nothing to be gained. */
static void check_less(coll_kind kind, const char *than, int p)
{
    const crossing *bine = count(kind, "bine", p), *other = count(kind, than, p);

    for (int node = 1; node < p; node++)
        if (bine->between[node] > other->between[node] ||
            (node > 1 && node <= p / 2 && bine->between[node] == other->between[node]))
            fail_msg("%s p %d nodes of %d: %d items cross, %d with %s", coll_kind_name(kind), p,
                     node, (int)bine->between[node], (int)other->between[node], than);
}

static void fewer_bytes_cross_nodes_of_any_size(void **state)
{
    (void)state;
    for (int p = 8; p <= MOST; p *= 2) {
        check_less(COLL_bcast, "binomial", p);
        check_less(COLL_allgather, "recursive_doubling", p);
        check_less(COLL_allgather, "sparbit", p);
        check_less(COLL_allreduce, "rabenseifner", p);
        check_less(COLL_allreduce, "recursive_doubling", p);
        check_less(COLL_allreduce, "circulant", p);
    }
}

/* What bine.h says. */
static void a_bcast_leaves_nodes_with_70_to_86_percent(void **state)
{
    const crossing *bine = count(COLL_bcast, "bine", 64),
                   *other = count(COLL_bcast, "binomial", 64);

    (void)state;
    for (int node = 2; node <= 32; node++) {
        assert_true(bine->between[node] * 100 >= other->between[node] * 70);
        assert_true(bine->between[node] * 100 <= other->between[node] * 86);
    }
}

/* Distances are (2^(k+1) +- 1) / 3 in place of 2^k. What rounding adds is a third at most for each
 * of p blocks, which is sent p - 1 times. */
static void check_distance(coll_kind kind, const char *than, int p)
{
    const crossing *bine = count(kind, "bine", p), *other = count(kind, than, p);

    assert_true(bine->distance * 3 <= other->distance * 2 + (int64_t)p * (p - 1));
    assert_true(bine->distance * 3 >= other->distance * 2);
}

static void bytes_travel_two_thirds_as_far(void **state)
{
    (void)state;
    for (int p = 8; p <= MOST; p *= 2) {
        check_distance(COLL_bcast, "binomial", p);
        check_distance(COLL_allgather, "sparbit", p);
    }
}

static void eight_ranks_meet_at_distances_of_1_1_and_3(void **state)
{
    static const int with[3][8] = {
        {1, 0, 3, 2, 5, 4, 7, 6}, {7, 2, 1, 4, 3, 6, 5, 0}, {3, 6, 5, 0, 7, 2, 1, 4}};

    (void)state;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 8; i++)
            assert_int_equal(bine_partner(i, k, 8), with[k][i]);
}

/* No two members have the same number; partners meet each other, and have the same first bits in
 * their numbers, but for the last of these. */
static void check_butterfly(int p)
{
    static bool seen[LARGEST];

    memset(seen, 0, sizeof seen);
    for (int i = 0; i < p; i++) {
        group g = {.size = p, .index = i};
        butterfly f = bine_butterfly(&g);

        assert_true(f.at >= 0 && f.at < p && !seen[f.at]);
        seen[f.at] = true;
        for (int k = 0; k < f.rounds; k++) {
            int with = f.with[k], shift = f.rounds - 1 - k;
            assert_int_equal(bine_partner(with, k, p), i);
            assert_int_equal(bine_number(with, p) >> shift, f.at >> shift ^ 1);
        }
    }
}

static void halves_of_a_butterfly_are_ranges_of_numbers(void **state)
{
    (void)state;
    for (int p = 1; p <= LARGEST; p *= 2)
        check_butterfly(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_bytes_cross_nodes_of_any_size),
        cmocka_unit_test(a_bcast_leaves_nodes_with_70_to_86_percent),
        cmocka_unit_test(bytes_travel_two_thirds_as_far),
        cmocka_unit_test(eight_ranks_meet_at_distances_of_1_1_and_3),
        cmocka_unit_test(halves_of_a_butterfly_are_ranges_of_numbers),
    };

    return cmocka_run_group_tests_name("bine", tests, NULL, NULL);
}
