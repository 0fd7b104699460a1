/* SPDX-License-Identifier: BSD-3-Clause */
/* test_here.c - what a binding says of the location of a process, on machines made up by hwloc. */
#include "topo/here.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* "1 1 - 3": package, NUMA node, L3, core; - is not known. */
static void assert_location(const char *machine, const char *binding, const int32_t expected[4])
{
    hwloc_topology_t topology;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int32_t inside[TOPO_KINDS];

    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    assert_int_equal(hwloc_bitmap_list_sscanf(set, binding), 0);
    here_inside(topology, set, inside);
    for (int i = 0; i < 4; i++)
        assert_int_equal(inside[TOPO_PACKAGE + i], expected[i]);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
}

#define LOCATION(...) ((const int32_t[4]){__VA_ARGS__})

/* Units 0-15: two packages of two NUMA nodes of one L3 of two cores of two hyper-threads. */
static const char server[] = "pack:2 [numa] l3:2 core:2 pu:2";

static void a_core_is_in_one_of_everything(void **state)
{
    (void)state;
    assert_location(server, "0", LOCATION(0, 0, 0, 0));
    assert_location(server, "14-15", LOCATION(1, 1, 3, 7));
}

static void a_wider_binding_is_in_less(void **state)
{
    (void)state;
    assert_location(server, "4-7", LOCATION(0, 0, 1, -1)); /* an L3 */
    assert_location(server, "0-7", LOCATION(0, 0, -1, -1));
    assert_location(server, "0-15", LOCATION(-1, -1, -1, -1)); /* not bound */
    assert_location(server, "6-9", LOCATION(-1, -1, -1, -1));  /* across packages */
}

static void what_the_machine_does_not_have_is_not_known(void **state)
{
    (void)state;
    assert_location("core:4 pu:1", "2", LOCATION(-1, 0, -1, 2));
}

static void this_process_is_somewhere(void **state)
{
    location one, two;

    (void)state;
    here_describe(&one);
    here_describe(&two);
    assert_memory_equal(&one, &two, sizeof one);
    assert_int_not_equal(one.node, 0);
    assert_true(strlen(one.host) > 0);
    assert_int_equal(one.switches[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_is_in_one_of_everything),
        cmocka_unit_test(a_wider_binding_is_in_less),
        cmocka_unit_test(what_the_machine_does_not_have_is_not_known),
        cmocka_unit_test(this_process_is_somewhere),
    };

    return cmocka_run_group_tests_name("here", tests, NULL, NULL);
}
