/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom_shape.c - the names of machines in wisdom, such as node:8: different machines have
 * different names. */
#include "sim/machine.h"
#include "topo/topo.h"
#include "tune/wisdom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void assert_shape(const char *shape, int p, const char *expected)
{
    char text[WISDOM_SHAPE];
    topo *t = machine(shape, p);

    wisdom_shape(t, text, sizeof text);
    assert_string_equal(text, expected);
    topo_free(t);
}

static void shapes_tell_machines_apart(void **state)
{
    char text[WISDOM_SHAPE];

    (void)state;
    wisdom_shape(NULL, text, sizeof text);
    assert_string_equal(text, "one-place");
    assert_shape("none", 5, "one-place");
    assert_shape("node:8", 8, "one-place");
    assert_shape("node:8", 64, "node:8");
    assert_shape("node:8", 61, "node:8*7,5");
    assert_shape("node:3,1", 4, "node:3,1");
    assert_shape("node:1", 6, "node:1");
    assert_shape("node:8 package:2", 8, "package:4");
    assert_shape("node:8 package:2", 64, "node:8 package:4");
    assert_shape("node:8@cyclic", 64, "node:8@cyclic");
    assert_shape("node:3,1@cyclic", 8, "node:3,1,3,1@cyclic");
    assert_shape("node:8@cyclic package:2", 64, "node:8@cyclic package:4");
    assert_shape("node:8 package:2@cyclic", 64, "node:8 package:4@cyclic");
    assert_shape("switch:2 node:4", 16, "switch:8 node:4");
}

/* Two nodes with ranks in turn, of packages 3 + 1 and 2 + 2: in this order, whatever the lowest
 * ranks are. */
static void parts_are_listed_node_by_node(void **state)
{
    static const int packages[8] = {0, 0, 0, 0, 0, 1, 1, 1};
    char text[WISDOM_SHAPE];
    location at[8] = {0};
    topo *t;

    (void)state;
    for (int r = 0; r < 8; r++) {
        at[r].node = 1 + (uint64_t)r % 2;
        at[r].inside[TOPO_PACKAGE] = packages[r];
    }
    assert_non_null(t = topo_make(at, 8));
    wisdom_shape(t, text, sizeof text);
    assert_string_equal(text, "node:4@cyclic package:3,1,2*2");
    topo_free(t);
}

/* 0 1 1 0 is neither. */
static void any_other_order_has_a_hash(void **state)
{
    static const uint64_t nodes[2][6] = {{1, 2, 2, 1, 1, 2}, {1, 2, 2, 1, 2, 1}};
    char text[2][WISDOM_SHAPE];

    (void)state;
    for (int k = 0; k < 2; k++) {
        location at[6] = {0};
        topo *t;
        for (int r = 0; r < 6; r++)
            at[r].node = nodes[k][r];
        assert_non_null(t = topo_make(at, 6));
        wisdom_shape(t, text[k], sizeof text[k]);
        topo_free(t);
        assert_int_equal(strncmp(text[k], "node:3@", 7), 0);
        assert_int_equal(strlen(text[k]), 7 + 8);
    }
    assert_string_not_equal(text[0], text[1]);
}

static void long_shapes_have_a_hash(void **state)
{
    static const char *const shapes[] = {"node:4,2,1", "node:4,1,2"};
    char text[2][WISDOM_SHAPE];

    (void)state;
    for (int k = 0; k < 2; k++) {
        topo *t = machine(shapes[k], 280);
        wisdom_shape(t, text[k], sizeof text[k]);
        assert_int_equal(strncmp(text[k], "node:1-4 ~", 10), 0);
        assert_int_equal(strlen(text[k]), 10 + 16);
        topo_free(t);
    }
    assert_string_not_equal(text[0], text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_tell_machines_apart),
        cmocka_unit_test(parts_are_listed_node_by_node),
        cmocka_unit_test(any_other_order_has_a_hash),
        cmocka_unit_test(long_shapes_have_a_hash),
    };

    return cmocka_run_group_tests_name("wisdom_shape", tests, NULL, NULL);
}
