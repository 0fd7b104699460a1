/* SPDX-License-Identifier: BSD-3-Clause */
/* test_machine_model.c - smaller machines that stand for one. */
#include "topo/shape.h"
#include "tune/machine_model.h"

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
    assert_true(shape_locations(shape, p, at, why, sizeof why));
    assert_non_null(t = topo_make(at, p));
    free(at);
    return t;
}

/* The first nodes, of so many ranks each. */
static void check(const char *shape, int p, int nodes, int ranks, int expected)
{
    topo *t = machine(shape, p);
    machine_model whole, made;

    machine_model_make(&whole, p, t, true);
    assert_true(machine_model_make_smaller(&made, &whole, nodes, ranks, true));
    assert_int_equal(made.p, expected);
    assert_int_equal(machine_model_nodes(&made), nodes);
    machine_model_free(&made);
    machine_model_free(&whole);
    topo_free(t);
}

static void smaller_machines_have_the_first_nodes(void **state)
{
    (void)state;
    check("node:8", 64, 3, 4, 12);
    check("node:8@cyclic", 64, 3, 4, 12);
    check("node:8", 64, 8, 2, 16);
    check("node:9,5", 64, 4, 3, 12);   /* of 9 and of 5 as many */
    check("node:9,5", 64, 4, 6, 22);   /* 6, and all of 5 */
    check("node:30", 1000, 6, 12, 72); /* the last node, which has 10, is not among them */
    check("node:100", 100, 1, 16, 16);
}

static void ranks_keep_their_order(void **state)
{
    topo *t = machine("node:4@cyclic", 32);
    machine_model whole, made;

    (void)state;
    machine_model_make(&whole, 32, t, true);
    assert_int_equal(machine_model_largest_node(&whole), 4);
    assert_true(machine_model_make_smaller(&made, &whole, 3, 2, true));
    for (int r = 0; r < made.p; r++)
        assert_int_equal(made.t->node[r], r % 3);
    assert_int_equal(made.fold.n, 2);
    machine_model_free(&made);
    machine_model_free(&whole);
    topo_free(t);
}

static void regions_inside_nodes_stay(void **state)
{
    static const char *const shapes[] = {"node:8 package:2", "node:64 package:2"};

    (void)state;
    for (int i = 0; i < 2; i++) { /* also of one node */
        topo *t = machine(shapes[i], 64);
        int nodes = t->nodes > 1 ? 3 : 1;
        machine_model whole, made;
        machine_model_make(&whole, 64, t, true);
        assert_true(machine_model_make_smaller(&made, &whole, nodes, 4, true));
        assert_int_equal(made.p, 4 * nodes);
        assert_int_equal(made.t->level[made.t->nlevels - 1].kind, TOPO_PACKAGE);
        for (int r = 0; r < made.p; r++)
            assert_int_equal(made.t->level[made.t->nlevels - 1].region[r], r / 2);
        machine_model_free(&made);
        machine_model_free(&whole);
        topo_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_machines_have_the_first_nodes),
        cmocka_unit_test(ranks_keep_their_order),
        cmocka_unit_test(regions_inside_nodes_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
