/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pu.c - where the progress thread goes, on machines made up by hwloc. */
#include "topo/pu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Units are numbered so that 2c and 2c+1 are the hyper-threads of core c. */
static int pick(const char *machine, const char *mine, const char *used, const char *others)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t set[3];
    const char *text[] = {mine, used, others};
    int pu;

    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    for (int i = 0; i < 3; i++) {
        set[i] = hwloc_bitmap_alloc();
        assert_int_equal(hwloc_bitmap_list_sscanf(set[i], text[i]), 0);
    }
    pu = pu_pick(topology, set[0], set[1], set[2]);
    for (int i = 0; i < 3; i++)
        hwloc_bitmap_free(set[i]);
    hwloc_topology_destroy(topology);
    return pu;
}

static const char four_cores[] = "core:4 pu:2";

static void a_free_core_of_the_binding_is_taken(void **state)
{
    (void)state;
    assert_int_equal(pick(four_cores, "0-3", "0", "4-7"), 3);
    assert_int_equal(pick(four_cores, "0-7", "6-7", ""), 5);
    assert_int_equal(pick("core:4 pu:1", "2-3", "3", "0-1"), 2);
}

static void a_unit_that_another_process_may_use_is_not_taken(void **state)
{
    (void)state;
    assert_int_equal(pick(four_cores, "0-7", "0", "4-7"), 3);
    assert_int_equal(pick(four_cores, "0-3", "0", "0-7"), PU_NONE); /* nobody is bound */
}

static void without_a_free_core_the_sibling_hyper_thread_is_taken(void **state)
{
    (void)state;
    assert_int_equal(pick(four_cores, "4-5", "4", "0-3,6-7"), 5);
    assert_int_equal(pick(four_cores, "4", "4", "0,2,6"), 5); /* bound to one of the two */
    assert_int_equal(pick(four_cores, "4", "4", "0,2,5,6"), PU_NONE);
}

static void a_core_with_one_unit_has_no_sibling(void **state)
{
    (void)state;
    assert_int_equal(pick("core:2 pu:1", "1", "1", "0"), PU_NONE);
}

static void all_threads_of_the_process_are_spared(void **state)
{
    (void)state;
    assert_int_equal(pick(four_cores, "0-7", "0,2,4", ""), 7);
    assert_int_equal(pick(four_cores, "0-7", "0,2,4,6", ""), 7); /* a sibling */
    assert_int_equal(pick(four_cores, "0-7", "0-7", ""), PU_NONE);
}

static void this_machine_gives_a_unit_that_can_be_bound_to(void **state)
{
    int pu = pu_choose();

    (void)state;
    assert_true(pu >= PU_NONE);
    if (pu >= 0)
        assert_int_equal(pu_bind(pu), 0);
    assert_int_equal(pu_bind(1 << 20), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_core_of_the_binding_is_taken),
        cmocka_unit_test(a_unit_that_another_process_may_use_is_not_taken),
        cmocka_unit_test(without_a_free_core_the_sibling_hyper_thread_is_taken),
        cmocka_unit_test(a_core_with_one_unit_has_no_sibling),
        cmocka_unit_test(all_threads_of_the_process_are_spared),
        cmocka_unit_test(this_machine_gives_a_unit_that_can_be_bound_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
