/* SPDX-License-Identifier: BSD-3-Clause */
/* test_topo.c - shapes, switch files, partitions and distances. */
#include "topo/shape.h"
#include "topo/switches.h"
#include "topo/topo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static topo *machine(const char *shape, int p)
{
    location *at = malloc((size_t)p * sizeof *at);
    char why[200] = "";
    topo *t;

    if (!shape_places(shape, p, at, why, sizeof why))
        fail_msg("%s: %s", shape, why);
    t = topo_make(at, p);
    assert_non_null(t);
    assert_null(topo_check(t));
    free(at);
    return t;
}

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
    assert_true(shape_places("node:4 package:2", 16, all, why, sizeof why));
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
static void places_may_lie_apart(void **state)
{
    struct {
        location at;
        uint64_t other;
    } told[12];
    location at[12];
    char why[100];
    topo *t;

    (void)state;
    assert_true(shape_places("node:4@cyclic package:2", 12, at, why, sizeof why));
    memset(told, 0xff, sizeof told);
    for (int r = 0; r < 12; r++)
        told[r].at = at[r];
    t = topo_make_apart(&told[0].at, sizeof told[0], 12);
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
        assert_false(shape_places(bad[i].shape, 8, at, why, sizeof why));
        if (!strstr(why, bad[i].says))
            fail_msg("%s: %s", bad[i].shape, why);
    }
}

/* ---- files ---- */

static char name[] = "/tmp/tutti-test-topo-XXXXXX";

static void write_file(const char *text)
{
    FILE *file;

    strcpy(name, "/tmp/tutti-test-topo-XXXXXX");
    file = fdopen(mkstemp(name), "w");
    fputs(text, file);
    fclose(file);
}

static void a_file_names_every_ranks_place(void **state)
{
    location at[5];
    char why[200];
    topo *t;

    (void)state;
    write_file("b 0 0\na 0\r\nb 0 1\nb 1 0\na 0");
    assert_true(shape_places(name, 5, at, why, sizeof why));
    t = topo_make(at, 5);
    assert_null(topo_check(t));
    assert_int_equal(t->nodes, 2);
    assert_string_equal(t->host[0], "b");
    assert_int_equal(t->node[4], 1);
    assert_int_equal(topo_distance(t, 0, 2), 4); /* one package, two NUMA nodes */
    assert_int_equal(topo_distance(t, 0, 3), 5);
    topo_free(t);
    assert_false(shape_places(name, 6, at, why, sizeof why));
    assert_non_null(strstr(why, "5 lines, for 6 ranks"));
    remove(name);
    write_file("a\n\nb\n");
    assert_false(shape_places(name, 3, at, why, sizeof why));
    assert_non_null(strstr(why, "line 2: empty"));
    remove(name);
    write_file("a 0 0 0 0 7\n");
    assert_false(shape_places(name, 1, at, why, sizeof why));
    assert_non_null(strstr(why, "line 1: more than"));
    remove(name);
}

static void lists_of_nodes_are_read_as_slurm_does(void **state)
{
    (void)state;
    assert_int_equal(switches_match("n1,n2", "n2"), 1);
    assert_int_equal(switches_match("n1,n2", "n12"), 0);
    assert_int_equal(switches_match("n[00-17,20],login1", "n07"), 1);
    assert_int_equal(switches_match("n[00-17,20],login1", "n7"), 0);
    assert_int_equal(switches_match("n[00-17,20],login1", "n20"), 1);
    assert_int_equal(switches_match("n[00-17,20],login1", "n18"), 0);
    assert_int_equal(switches_match("n[00-17,20],login1", "login1"), 1);
    assert_int_equal(switches_match("n[1-100]", "n57"), 1);
    assert_int_equal(switches_match("n[1-100]", "n057"), 0);
    assert_int_equal(switches_match("n[1-2]-ib", "n2-ib"), 1);
    assert_int_equal(switches_match("n[1-2]-ib", "n2-eth"), 0);
    assert_int_equal(switches_match("n[1-2", "n2"), -1);
    assert_int_equal(switches_match("n[]", "n2"), -1);
    assert_int_equal(switches_match("n[5-2]", "n2"), -1);
    assert_int_equal(switches_match("n1,,n2", "n2"), -1);
}

static void slurms_topology_file_gives_distances(void **state)
{
    static const char *const hosts[] = {"n0",        "n3.cluster.org", "n4",     "n9",
                                        "elsewhere", "nowhere",        "alone0", "alone1"};
    location at[8];
    char why[200];
    topo *t;

    (void)state;
    write_file("# two leaves\n"
               "SwitchName=leaf0 Nodes=n[0-3] LinkSpeed=100\n"
               "switchname=leaf1 nodes=n[4-7]\n\n"
               "SwitchName=leaf2 Nodes=n[8-9] # another spine\n"
               "SwitchName=spine0 Switches=leaf[0-1]\n"
               "SwitchName=spine1 Switches=leaf2\n"
               "SwitchName=island Nodes=alone[0-1]\n");
    memset(at, 0, sizeof at);
    for (int r = 0; r < 8; r++) {
        at[r].node = (uint64_t)r + 1;
        assert_true(switches_above(name, hosts[r], at[r].switches, why, sizeof why));
    }
    t = topo_make(at, 8);
    assert_null(topo_check(t));
    assert_int_equal(topo_distance(t, 0, 1), 10);
    assert_int_equal(topo_distance(t, 0, 2), 20);
    assert_int_equal(topo_distance(t, 0, 3), 30);
    assert_int_equal(topo_distance(t, 3, 4), 30);
    assert_int_equal(topo_distance(t, 4, 5), 30); /* neither is on a switch */
    assert_int_equal(topo_distance(t, 6, 7), 10); /* on one that is below no other */
    assert_int_equal(topo_distance(t, 6, 0), 30);
    topo_free(t);
    remove(name);
    write_file("SwitchName=a Nodes=n[1-\n");
    assert_false(switches_above(name, "n1", at[0].switches, why, sizeof why));
    assert_non_null(strstr(why, "line 1: a malformed list"));
    remove(name);
    write_file("SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b\n");
    assert_false(switches_above(name, "n1", at[0].switches, why, sizeof why));
    assert_non_null(strstr(why, "is above itself"));
    remove(name);
    write_file("SwitchName=a\n");
    assert_false(switches_above(name, "n1", at[0].switches, why, sizeof why));
    assert_non_null(strstr(why, "line 1: neither Nodes= nor Switches="));
    remove(name);
    assert_false(switches_above(name, "n1", at[0].switches, why, sizeof why));
}

static void expect_refused(const char *file, const char *expected)
{
    uint64_t above[TOPO_SWITCHES];
    char why[200] = "";

    if (switches_above(file, "n1", above, why, sizeof why) || !strstr(why, expected))
        fail_msg("%s: expected '%s', got '%s'", file, expected, why);
}

static void what_is_no_topology_file_is_refused(void **state)
{
    static const char *const lines[][2] = {
        {"SwitchName= Nodes=n1\n", "line 1: SwitchName= has no value"},
        {"SwitchName=a Nodes=\n", "line 1: Nodes= or Switches= has no value"},
        {"SwitchName=a Switches=\n", "line 1: Nodes= or Switches= has no value"},
        {"# one\nNodes=n1\n", "line 2: SwitchName= is missing"}};
    char text[400];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        write_file(lines[i][0]);
        expect_refused(name, lines[i][1]);
        remove(name);
    }
    snprintf(text, sizeof text, "SwitchName=%0256d Nodes=n1\n", 7);
    write_file(text);
    expect_refused(name, "line 1: the name of a switch has more than 255 characters");
    remove(name);
    expect_refused("/dev/zero", "/dev/zero line 1: longer than 64 KiB, or not text");
    expect_refused("/tmp", "/tmp: Is a directory");
}

static void a_topology_file_has_an_end(void **state)
{
    enum { LINES = 1 << 15 };
    FILE *f;

    (void)state;
    write_file("");
    f = fopen(name, "w");
    for (int i = 0; i < LINES; i++)
        fprintf(f, "SwitchName=a Nodes=n1 Comment=%0600d\n", i);
    fclose(f);
    expect_refused(name, "the file has more than 16 MiB");
    remove(name);
}

static void sizes_of_any_number_place_ranks(void **state)
{
    location at[5];
    char why[200];

    (void)state;
    assert_true(shape_places("node:2147483647 package:2147483647", 5, at, why, sizeof why));
    for (int r = 0; r < 5; r++) {
        assert_int_equal(at[r].node, at[0].node);
        assert_int_equal(at[r].inside[TOPO_PACKAGE], r);
    }
    assert_true(shape_places("node:2147483647@cyclic package:2147483647@cyclic numa:2147483647", 5,
                             at, why, sizeof why));
    assert_true(shape_places("switch:2147483647 node:1 core:2147483647", 5, at, why, sizeof why));
    assert_false(shape_places("node:2147483648", 5, at, why, sizeof why));
    assert_false(shape_places("/tmp", 5, at, why, sizeof why));
    assert_non_null(strstr(why, "Is a directory"));
    assert_false(shape_places("/dev/zero", 5, at, why, sizeof why));
    assert_non_null(strstr(why, "line 1: too long, or not text"));
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
        cmocka_unit_test(shapes_place_ranks_as_they_say),
        cmocka_unit_test(levels_that_do_not_differ_are_not_there),
        cmocka_unit_test(a_part_of_the_ranks_cuts_regions),
        cmocka_unit_test(places_may_lie_apart),
        cmocka_unit_test(runs_of_ranks_need_no_list_of_members),
        cmocka_unit_test(distances_grow_with_what_is_between),
        cmocka_unit_test(bad_shapes_say_what_is_wrong),
        cmocka_unit_test(a_file_names_every_ranks_place),
        cmocka_unit_test(lists_of_nodes_are_read_as_slurm_does),
        cmocka_unit_test(slurms_topology_file_gives_distances),
        cmocka_unit_test(what_is_no_topology_file_is_refused),
        cmocka_unit_test(a_topology_file_has_an_end),
        cmocka_unit_test(sizes_of_any_number_place_ranks),
        cmocka_unit_test(a_drawing_fits_its_room),
    };

    return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}
