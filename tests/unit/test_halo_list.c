/* SPDX-License-Identifier: BSD-3-Clause */
/* test_halo_list.c - do both ends of all edges have the same length? */
#include "algos/halo_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t balance(const int64_t *list, int rank)
{
    uint64_t sum = 0;

    assert_true(halo_list_balance(list, rank, &sum));
    return sum;
}

static void lengths_at_both_ends_are_compared_in_order(void **state)
{
    const int64_t out[] = {2, 0, 1, 4, 4, 0, 1, 8, 8, 0};

    assert_true(balance(out, 0) + balance((int64_t[]){0, 2, 0, 4, 0, 8}, 1) == 0);
    assert_true(balance(out, 0) + balance((int64_t[]){0, 2, 0, 8, 0, 4}, 1) != 0);
}

static void differences_at_two_edges_do_not_cancel(void **state)
{
    const int64_t at0[] = {1, 0, 4, 37708, 37708, 0}, at6[] = {0, 1, 4, 71496};
    const int64_t at4[] = {1, 1, 6, 71504, 71504, 0, 0, 37716};

    assert_true(balance(at0, 0) + balance(at4, 4) + balance(at6, 6) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_at_both_ends_are_compared_in_order),
        cmocka_unit_test(differences_at_two_edges_do_not_cancel),
    };

    return cmocka_run_group_tests_name("halo_list", tests, NULL, NULL);
}
