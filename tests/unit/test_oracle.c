/* SPDX-License-Identifier: BSD-3-Clause */
/* test_oracle.c - the oracle would notice: its operation is associative and its operands cannot be
 * exchanged, left out or taken twice unseen; no two ranks, items or turns have equal values.
 */
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t compose(uint64_t left, uint64_t right)
{
    oracle_compose(&left, &right, 1);
    return right;
}

static void composition_is_associative_and_keeps_the_order(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        oracle o = {.p = 3, .noncommutative = true, .turn = i};
        uint64_t a = oracle_sent(&o, 0, 0, i), b = oracle_sent(&o, 1, 0, i);
        uint64_t c = oracle_sent(&o, 2, 0, i);

        assert_true(compose(compose(a, b), c) == compose(a, compose(b, c)));
        assert_true(compose(a, b) != compose(b, a));
        assert_true(compose(compose(a, b), c) != compose(a, c));
        assert_true(compose(a, compose(a, b)) != compose(a, b));
    }
}

static void sums_of_all_ranks_are_in_rank_order(void **state)
{
    oracle o = {.kind = COLL_KINDS, .p = 4};
    uint64_t sum = 0, composed;

    (void)state;
    for (int r = 0; r < 4; r++)
        sum += oracle_sent(&o, r, 0, 5);
    assert_true(oracle_allreduce(&o, 2, 0, 5) == sum);
    o.noncommutative = true;
    composed = oracle_sent(&o, 0, 0, 5);
    for (int r = 1; r < 4; r++)
        composed = compose(composed, oracle_sent(&o, r, 0, 5));
    assert_true(oracle_allreduce(&o, 2, 0, 5) == composed);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void values_differ(void **state)
{
    enum { N = 12 };
    static uint64_t all[N * N * N * N];
    int n = 0;

    (void)state;
    for (int from = 0; from < N; from++)
        for (int to = 0; to < N; to++)
            for (int i = 0; i < N; i++)
                for (int turn = 0; turn < N; turn++) {
                    oracle o = {.p = N, .turn = turn};
                    all[n++] = oracle_sent(&o, from, to, i);
                }
    qsort(all, (size_t)n, sizeof *all, compare);
    for (int i = 1; i < n; i++)
        assert_true(all[i - 1] != all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composition_is_associative_and_keeps_the_order),
        cmocka_unit_test(sums_of_all_ranks_are_in_rank_order),
        cmocka_unit_test(values_differ),
    };

    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
