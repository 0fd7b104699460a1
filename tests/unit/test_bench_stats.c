/* SPDX-License-Identifier: BSD-3-Clause */
/* test_bench_stats.c - medians and their intervals, against tables of the binomial distribution. */
#include "stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 1000 };

/* 1, 2, ..., n in another order: order statistic k is k. */
static summary of(int n)
{
    static double values[MOST];

    for (int i = 0; i < n; i++)
        values[i] = 1 + (i * 7 + 3) % n; /* n is no multiple of 7 */
    return summarize(values, n);
}

static void interval_is_the_binomial_one(void **state)
{
    /* n, the first value of the interval, coverage: sums of binomials, computed elsewhere */
    static const struct {
        int n, low;
        double coverage;
    } table[] = {{6, 1, 0.96875},      {8, 1, 0.9921875},     {9, 2, 0.9609375},
                 {10, 2, 0.978515625}, {20, 6, 0.958610535},  {31, 10, 0.97055063},
                 {100, 40, 0.9647998}, {1000, 469, 0.9537088}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        summary s = of(table[i].n);
        assert_int_equal((int)s.low, table[i].low);
        assert_int_equal((int)s.high, table[i].n + 1 - table[i].low);
        assert_true(fabs(s.coverage - table[i].coverage) < 1e-6);
    }
}

static void few_values_have_their_extremes(void **state)
{
    summary s = of(5);

    (void)state;
    assert_int_equal((int)s.low, 1);
    assert_int_equal((int)s.high, 5);
    assert_true(fabs(s.coverage - 0.9375) < 1e-9);
    s = of(1);
    assert_int_equal((int)s.low, 1);
    assert_int_equal((int)s.high, 1);
    assert_true(s.coverage == 0);
}

static void median_is_the_middle(void **state)
{
    double odd[] = {5, 1, 9}, even[] = {4, 1, 3, 100};

    (void)state;
    assert_true(median(odd, 3) == 5);
    assert_true(median(even, 4) == 3.5);
    assert_true(of(100).median == 50.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_is_the_binomial_one),
        cmocka_unit_test(few_values_have_their_extremes),
        cmocka_unit_test(median_is_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
