/* SPDX-License-Identifier: BSD-3-Clause */
/* test_switches.c - files in the format of Slurm's topology.conf: the switches above each node and
 * the distances that follow from them; a wrong file is refused with the number of its line. */
#include "sim/machine.h"
#include "topo/switches.h"
#include "topo/topo.h"
#include "unit/temp_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

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
    temp_file_write("# two leaves\n"
                    "SwitchName=leaf0 Nodes=n[0-3] LinkSpeed=100\n"
                    "switchname=leaf1 nodes=n[4-7]\n\n"
                    "SwitchName=leaf2 Nodes=n[8-9] # another spine\n"
                    "SwitchName=spine0 Switches=leaf[0-1]\n"
                    "SwitchName=spine1 Switches=leaf2\n"
                    "SwitchName=island Nodes=alone[0-1]\n");
    memset(at, 0, sizeof at);
    for (int r = 0; r < 8; r++) {
        at[r].node = (uint64_t)r + 1;
        assert_true(switches_above(temp_file, hosts[r], at[r].switches, why, sizeof why));
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
    remove(temp_file);
    temp_file_write("SwitchName=a Nodes=n[1-\n");
    assert_false(switches_above(temp_file, "n1", at[0].switches, why, sizeof why));
    assert_non_null(strstr(why, "line 1: the list of names is malformed"));
    remove(temp_file);
    temp_file_write("SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b\n");
    assert_false(switches_above(temp_file, "n1", at[0].switches, why, sizeof why));
    assert_non_null(strstr(why, "is above itself"));
    remove(temp_file);
    temp_file_write("SwitchName=a\n");
    assert_false(switches_above(temp_file, "n1", at[0].switches, why, sizeof why));
    assert_non_null(strstr(why, "line 1: Nodes= or Switches= is missing"));
    remove(temp_file);
    assert_false(switches_above(temp_file, "n1", at[0].switches, why, sizeof why));
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
        temp_file_write(lines[i][0]);
        expect_refused(temp_file, lines[i][1]);
        remove(temp_file);
    }
    snprintf(text, sizeof text, "SwitchName=%0256d Nodes=n1\n", 7);
    temp_file_write(text);
    expect_refused(temp_file, "line 1: the name of a switch has more than 255 characters");
    remove(temp_file);
    expect_refused("/dev/zero", "/dev/zero line 1: longer than 64 KiB, or not text");
    expect_refused("/tmp", "/tmp: Is a directory");
}

static void a_topology_file_has_an_end(void **state)
{
    enum { LINES = 1 << 15 };
    FILE *f;

    (void)state;
    temp_file_write("");
    f = fopen(temp_file, "w");
    for (int i = 0; i < LINES; i++)
        fprintf(f, "SwitchName=a Nodes=n1 Comment=%0600d\n", i);
    fclose(f);
    expect_refused(temp_file, "the file has more than 16 MiB");
    remove(temp_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_nodes_are_read_as_slurm_does),
        cmocka_unit_test(slurms_topology_file_gives_distances),
        cmocka_unit_test(what_is_no_topology_file_is_refused),
        cmocka_unit_test(a_topology_file_has_an_end),
    };

    return cmocka_run_group_tests_name("switches", tests, NULL, NULL);
}
