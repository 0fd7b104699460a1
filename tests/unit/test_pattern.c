/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pattern.c - who meets whom, and which blocks travel in which round of Bruck's algorithm. */
#include "between.h"
#include "algos/bruck.h"
#include "algos/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MOST = 70 };

/* In a step each rank is sent to by the one that it thinks it receives from. */
static void partners_agree_in_every_step(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST; p++)
        for (int t = PATTERN_ROTATED; t <= PATTERN_SYMMETRIC; t++)
            for (int k = 0; k < p && (t != PATTERN_XOR || (p & (p - 1)) == 0); k++)
                for (int me = 0; me < p; me++) {
                    partners with = pattern_at((pattern)t, k, me, p);
                    assert_between(with.to, 0, p - 1);
                    assert_int_equal(pattern_at((pattern)t, k, with.to, p).from, me);
                    assert_true(t == PATTERN_ROTATED || with.to == with.from);
                }
}

static void everybody_meets_everybody_once(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST; p++)
        for (int t = PATTERN_ROTATED; t <= PATTERN_SYMMETRIC; t++)
            for (int me = 0; me < p && (t != PATTERN_XOR || (p & (p - 1)) == 0); me++) {
                int met[MOST] = {0};
                for (int k = 0; k < p; k++)
                    met[pattern_at((pattern)t, k, me, p).to]++;
                for (int other = 0; other < p; other++)
                    assert_int_equal(met[other], 1);
            }
}

/* An even number of ranks is done in p-1 steps without a pause, as in a tournament. */
static void an_even_number_meets_without_a_pause(void **state)
{
    (void)state;
    for (int p = 2; p <= MOST; p += 2)
        for (int k = 0; k < p - 1; k++)
            for (int me = 0; me < p; me++)
                assert_int_not_equal(pattern_at(PATTERN_SYMMETRIC, k, me, p).to, me);
}

static void runs_are_the_blocks_that_travel(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST; p++)
        for (int radix = 2; radix <= p + 1; radix++)
            for (bruck_round t = bruck_first(p, radix); bruck_valid(&t); bruck_next(&t)) {
                bool found[MOST] = {false};
                int sum = 0;
                for (int j = 0, n; (n = bruck_next_range(&t, &j)); j += n)
                    for (int i = j; i < j + n; i++)
                        found[i] = true;
                for (int j = 0; j < p; j++) {
                    assert_int_equal(found[j], bruck_moves(&t, j));
                    sum += found[j];
                }
                assert_int_equal(sum, bruck_count(&t));
                assert_true(sum > 0 && bruck_distance(&t) < p);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_agree_in_every_step),
        cmocka_unit_test(everybody_meets_everybody_once),
        cmocka_unit_test(an_even_number_meets_without_a_pause),
        cmocka_unit_test(runs_are_the_blocks_that_travel),
    };

    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
