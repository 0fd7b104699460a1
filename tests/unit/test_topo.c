/* SPDX-License-Identifier: BSD-3-Clause */
/* test_topo.c - the levels and regions that the locations of the ranks give, the distances between
 * ranks, and the drawing for people. */
#include "sim/machine.h"
#include "topo/shape.h"
#include "topo/topo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void levels_that_do_not_differ_are_not_there(void **state)
{
    topo *t = machine("none", 5);

    (void)state;
    assert_int_equal(t->nlevels, 0);
    assert_int_equal(t->nodes, 1);
    assert_int_equal(topo_regions(t), 0);
    topo_free(t);
    t = machine("node:1", 5); /* one rank a node: levels, but none for algorithms */
    assert_int_equal(t->nlevels, 1);
    assert_int_equal(topo_regions(t), 1);
    topo_free(t);
    t = machine("node:8 package:2", 8); /* all on one node */
    assert_int_equal(t->level[0].kind, TOPO_PACKAGE);
    assert_int_equal(topo_regions(t), 0);
    topo_free(t);
    t = machine("switch:2 node:4 package:1", 16);
    assert_int_equal(t->nlevels, 2);
    assert_int_equal(topo_regions(t), 1); /* switches are for distances */
    topo_free(t);
    t = machine("node:1", 1);
    assert_int_equal(t->nlevels, 0);
    topo_free(t);
    assert_int_equal(topo_regions(NULL), 0);
}

static void a_part_of_the_ranks_cuts_regions(void **state)
{
    location all[16], some[4];
    char why[100];
    topo *t;

    (void)state;
    assert_true(shape_locations("node:4 package:2", 16, all, why, sizeof why));
    for (int i = 0; i < 4; i++)
        some[i] = all[15 - 5 * i]; /* ranks 15, 10, 5, 0: one on each node */
    t = topo_make(some, 4);
    assert_int_equal(t->nodes, 4);
    assert_int_equal(topo_regions(t), t->nlevels);
    topo_free(t);
    some[1] = all[14];
    t = topo_make(some, 4); /* 15, 14, 5, 0 */
    assert_null(topo_check(t));
    assert_int_equal(t->level[0].n, 3);
    assert_int_equal(t->level[0].least, 1);
    assert_int_equal(t->level[0].most, 2);
    topo_free(t);
}

/* As the first exchange has them: among other things of each rank. */
static void locations_may_lie_apart(void **state)
{
    struct {
        location at;
        uint64_t other;
    } sent[12];
    location at[12];
    char why[100];
    topo *t;

    (void)state;
    assert_true(shape_locations("node:4@cyclic package:2", 12, at, why, sizeof why));
    memset(sent, 0xff, sizeof sent);
    for (int r = 0; r < 12; r++)
        sent[r].at = at[r];
    t = topo_make_apart(&sent[0].at, sizeof sent[0], 12);
    assert_null(topo_check(t));
    assert_int_equal(t->nlevels, 2);
    for (int r = 0; r < 12; r++)
        assert_int_equal(t->node[r], r % 3);
    assert_string_equal(t->host[2], "node2");
    topo_free(t);
}

static void runs_of_ranks_need_no_list_of_members(void **state)
{
    topo *t = machine("node:4 package:2@cyclic", 12);

    (void)state;
    assert_null(t->level[0].member);
    assert_non_null(t->level[1].member);
    assert_int_equal(topo_member(&t->level[0], 7), 7);
    assert_int_equal(topo_member(&t->level[1], 1), 2);
    assert_ptr_equal(t->node, t->level[0].region);
    topo_free(t);
}

static void distances_grow_with_what_is_between(void **state)
{
    topo *t = machine("switch:2 node:8 package:2 numa:2 l3:2", 32);

    (void)state;
    assert_int_equal(topo_distance(t, 3, 3), 0);
    assert_int_equal(topo_distance(t, 0, 1), 3); /* NUMA node; one rank in each L3 */
    assert_int_equal(topo_distance(t, 0, 2), 4);
    assert_int_equal(topo_distance(t, 0, 4), 5);
    assert_int_equal(topo_distance(t, 0, 8), 10);
    assert_int_equal(topo_distance(t, 0, 16), 20);
    topo_free(t);
    t = machine("node:8", 16); /* nothing known of what is inside */
    assert_int_equal(topo_distance(t, 0, 7), 5);
    assert_int_equal(topo_distance(t, 7, 8), 10);
    topo_free(t);
}

static void a_drawing_fits_its_room(void **state)
{
    topo *t = machine("node:4 package:2", 6);
    char all[1000], part[40];
    size_t n = topo_draw(t, all, sizeof all);

    (void)state;
    assert_int_equal(n, strlen(all));
    assert_non_null(strstr(all, "6 ranks on 2 nodes"));
    assert_non_null(strstr(all, "node 1 (node1): ranks 4-5\n"));
    assert_non_null(strstr(all, "package 0: ranks 0-1\n"));
    assert_int_equal(topo_draw(t, part, sizeof part), n);
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_memory_equal(part, all, sizeof part - 1);
    assert_int_equal(topo_draw(t, NULL, 0), n);
    topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_that_do_not_differ_are_not_there),
        cmocka_unit_test(a_part_of_the_ranks_cuts_regions),
        cmocka_unit_test(locations_may_lie_apart),
        cmocka_unit_test(runs_of_ranks_need_no_list_of_members),
        cmocka_unit_test(distances_grow_with_what_is_between),
        cmocka_unit_test(a_drawing_fits_its_room),
    };

    return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}
