/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shape.c - made-up machines: each rank is where the shape says, or a file with one line for
 * each rank; a wrong shape or file is refused with the reason. */
#include "sim/machine.h"
#include "topo/shape.h"
#include "topo/topo.h"
#include "unit/temp_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* "00112" */
static void assert_regions(const char *shape, int level, topo_kind kind, const char *expected)
{
    int p = (int)strlen(expected);
    topo *t = machine(shape, p);

    assert_true(level < t->nlevels);
    assert_int_equal(t->level[level].kind, kind);
    for (int r = 0; r < p; r++)
        assert_int_equal(t->level[level].region[r], expected[r] - '0');
    topo_free(t);
}

static void shapes_place_ranks_as_they_say(void **state)
{
    (void)state;
    assert_regions("node:4", 0, TOPO_NODE, "0000111122");
    assert_regions("node:4@cyclic", 0, TOPO_NODE, "0120120120");
    assert_regions("node:3,1,2", 0, TOPO_NODE, "0001223334556");
    assert_regions("node:3,1,2@cyclic", 0, TOPO_NODE, "012020");
    assert_regions("node:4 package:2", 1, TOPO_PACKAGE, "00112233");
    assert_regions("node:4 package:2@cyclic", 1, TOPO_PACKAGE, "01012323");
    assert_regions("node:4@cyclic package:2", 1, TOPO_PACKAGE, "01012323");
    assert_regions("node:3 package:2", 1, TOPO_PACKAGE, "001223");
    assert_regions("package:3", 0, TOPO_PACKAGE, "001122");
    assert_regions("node:8 package:2@cyclic numa:2", 2, TOPO_NUMA, "0101232345456767");
    assert_regions("switch:2 node:2", 0, TOPO_SWITCH, "0000111122");
    assert_regions("switch:2 node:2", 1, TOPO_NODE, "0011223344");
    assert_regions("node:8 numa:2 l3:2", 0, TOPO_NUMA, "00001111");
    assert_regions("node:8 numa:2 l3:2", 1, TOPO_L3, "00112233");
}

static void sizes_of_any_number_place_ranks(void **state)
{
    location at[5];
    char why[200];

    (void)state;
    assert_true(shape_locations("node:2147483647 package:2147483647", 5, at, why, sizeof why));
    for (int r = 0; r < 5; r++) {
        assert_int_equal(at[r].node, at[0].node);
        assert_int_equal(at[r].inside[TOPO_PACKAGE], r);
    }
    assert_true(shape_locations("node:2147483647@cyclic package:2147483647@cyclic numa:2147483647",
                                5, at, why, sizeof why));
    assert_true(
        shape_locations("switch:2147483647 node:1 core:2147483647", 5, at, why, sizeof why));
    assert_false(shape_locations("node:2147483648", 5, at, why, sizeof why));
    assert_false(shape_locations("/tmp", 5, at, why, sizeof why));
    assert_non_null(strstr(why, "Is a directory"));
    assert_false(shape_locations("/dev/zero", 5, at, why, sizeof why));
    assert_non_null(strstr(why, "line 1: too long, or not text"));
}

static void bad_shapes_say_what_is_wrong(void **state)
{
    static const struct {
        const char *shape, *says;
    } bad[] = {
        {"node:0", "node:0: the size must be a number from 1 on"},
        {"node:", "the size must be a number"},
        {"node:4,", "the size must be a number"},
        {"node:4x", "the size must be a number"},
        {"node:99999999999", "the size must be a number"},
        {"knot:4", "knot:4: no such level; there are switch, node, package"},
        {"package:2 node:4", "node:4: levels go from coarse to fine"},
        {"node:4 node:2", "levels go from coarse to fine, each once"},
        {"node:4@random", "only @cyclic may follow"},
        {"switch:2@cyclic node:4", "not after a switch"},
        {"package:2,3", "only nodes may be of several sizes"},
        {"switch:2", "nodes must follow"},
        {"node:4 package", "package: a word must be a level and a size"},
        {"", "neither a shape such as node:4 nor a file that can be read"},
        {"./no-such-file", "nor a file that can be read: No such file"},
    };
    location at[8];
    char why[200];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(shape_locations(bad[i].shape, 8, at, why, sizeof why));
        if (!strstr(why, bad[i].says))
            fail_msg("%s: %s", bad[i].shape, why);
    }
}

static void a_file_names_every_ranks_place(void **state)
{
    location at[5];
    char why[200];
    topo *t;

    (void)state;
    temp_file_write("b 0 0\na 0\r\nb 0 1\nb 1 0\na 0");
    assert_true(shape_locations(temp_file, 5, at, why, sizeof why));
    t = topo_make(at, 5);
    assert_null(topo_check(t));
    assert_int_equal(t->nodes, 2);
    assert_string_equal(t->host[0], "b");
    assert_int_equal(t->node[4], 1);
    assert_int_equal(topo_distance(t, 0, 2), 4); /* one package, two NUMA nodes */
    assert_int_equal(topo_distance(t, 0, 3), 5);
    topo_free(t);
    assert_false(shape_locations(temp_file, 6, at, why, sizeof why));
    assert_non_null(strstr(why, "5 lines, for 6 ranks"));
    remove(temp_file);
    temp_file_write("a\n\nb\n");
    assert_false(shape_locations(temp_file, 3, at, why, sizeof why));
    assert_non_null(strstr(why, "line 2: empty"));
    remove(temp_file);
    temp_file_write("a 0 0 0 0 7\n");
    assert_false(shape_locations(temp_file, 1, at, why, sizeof why));
    assert_non_null(strstr(why, "line 1: more than"));
    remove(temp_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_place_ranks_as_they_say),
        cmocka_unit_test(sizes_of_any_number_place_ranks),
        cmocka_unit_test(bad_shapes_say_what_is_wrong),
        cmocka_unit_test(a_file_names_every_ranks_place),
    };

    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
