/* SPDX-License-Identifier: BSD-3-Clause */
/* test_place.c - smaller and more even machines that stand for one. */
#include "topo/shape.h"
#include "tune/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static topo *machine(const char *shape, int p)
{
    location *at = calloc((size_t)p, sizeof *at);
    char why[200];
    topo *t;

    assert_non_null(at);
    assert_true(shape_places(shape, p, at, why, sizeof why));
    assert_non_null(t = topo_make(at, p));
    free(at);
    return t;
}

typedef void make(place *made, const place *whole);

static void even(place *made, const place *whole)
{
    place_make_even(made, whole);
}

static void thin(place *made, const place *whole)
{
    place_make_thin(made, whole, true);
}

/* It has so many nodes (0: there is none) of so many ranks, filled or dealt as the whole is. */
static void check(make *f, const char *shape, int p, int nodes, int ranks)
{
    topo *t = machine(shape, p);
    place whole, made;

    place_make(&whole, p, t, true);
    f(&made, &whole);
    assert_int_equal(made.p, nodes * ranks);
    for (int r = 0; r < made.p; r++)
        assert_int_equal(made.t->node[r], t->node[1] == t->node[0] ? r / ranks : r % nodes);
    if (nodes > 0)
        assert_int_equal(made.fold.n, ranks);
    place_free(&made);
    place_free(&whole);
    topo_free(t);
}

static void nodes_that_are_nearly_equal_become_equal(void **state)
{
    (void)state;
    check(even, "node:8", 61, 8, 8); /* the last one has 5 */
    check(even, "node:8", 58, 7, 8); /* 2 */
    check(even, "node:6,6,6,6,5@cyclic", 29, 5, 6);
    check(even, "node:5,5,5,4,4,4,4,4@cyclic", 35, 8, 4);
    check(even, "node:8", 64, 0, 0); /* they are */
    check(even, "node:9,5", 64, 0, 0);
    check(even, "node:8", 7, 0, 0);
    check(even, "node:8", 9, 0, 0); /* one node would be left */
}

static void thin_machines_have_as_many_nodes(void **state)
{
    (void)state;
    check(thin, "node:32", 192, 6, 10);
    check(thin, "node:32", 181, 6, 10);
    check(thin, "node:32@cyclic", 128, 4, 16);
    check(thin, "node:8", 64, 0, 0); /* not smaller */
    check(thin, "node:100", 100, 0, 0);
}

static void regions_inside_nodes_stay(void **state)
{
    topo *t = machine("node:8 package:4", 61 /* four of them in a node */);
    place whole, made;

    (void)state;
    place_make(&whole, 61, t, true);
    place_make_even(&made, &whole);
    assert_int_equal(made.t->level[made.t->nlevels - 1].kind, TOPO_PACKAGE);
    for (int r = 0; r < made.p; r++)
        assert_int_equal(made.t->level[made.t->nlevels - 1].region[r], r / 2);
    place_free(&made);
    place_free(&whole);
    topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_are_nearly_equal_become_equal),
        cmocka_unit_test(thin_machines_have_as_many_nodes),
        cmocka_unit_test(regions_inside_nodes_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
