/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rest.c - how a waiting thread gives its processor away, on a clock of our own: sched_yield,
 * nanosleep and clock_gettime are replaced, so the test does not depend on how busy the machine is.
 */
#include "between.h"
#include "nbc/process/rest.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <cmocka.h>

/* The last three in ns. */
enum { RESTS = 10000, BURST = 256, QUICK = 500, OTHER = 5000, SLICE = 8 * 1000 * 1000 };

static long long now, yield_takes;
static int yields, naps;

int sched_yield(void)
{
    yields++;
    now += yield_takes;
    return 0;
}

int nanosleep(const struct timespec *t, struct timespec *rest_of_it)
{
    (void)rest_of_it;
    naps++;
    now += t->tv_nsec;
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return 0;
}

static void rest_often(long long takes, bool keeps_waiting)
{
    now = yields = naps = 0;
    yield_takes = takes;
    for (int i = 0; i < RESTS; i++)
        rest(keeps_waiting ? i : 0);
}

static void quick_yields_are_never_naps(void **state)
{
    (void)state;
    rest_often(QUICK, true);
    assert_int_equal(yields, RESTS);
    assert_int_equal(naps, 0);
    assert_false(rest(0));
}

/* Nearly all rests are short then, and a long wait wakes up rarely, also where its length is not
 * told. */
static void slow_yields_are_followed_by_naps(void **state)
{
    (void)state;
    rest_often(SLICE, false);
    assert_true(yields >= 1 && yields <= RESTS / 100);
    assert_true(now / RESTS < SLICE / 40);
    rest_often(SLICE, true);
    assert_true(yields <= RESTS / 100);
    assert_true((now - (long long)yields * SLICE) / naps > 500 * 1000);
    now = naps = 0;
    for (int i = 0; i < RESTS; i++)
        rest(1);
    assert_true(now / naps > 500 * 1000);
}

/* What is found after a nap is often followed by more. */
static void between_naps_there_are_many_turns(void **state)
{
    (void)state;
    rest_often(SLICE, false);
    rest_often(SLICE, true);
    assert_between(naps, RESTS / BURST - 2, RESTS / BURST + 2);
}

/* Whatever the naps have left over, it ends. */
static void quick_yields_come_back_when_the_load_is_gone(void **state)
{
    (void)state;
    rest_often(SLICE, false);
    rest_often(QUICK, false);
    rest_often(QUICK, false);
    assert_int_equal(naps, 0);
}

/* A slow yield says nothing of other programs there; and each turn rests. */
static void who_shares_processors_never_naps(void **state)
{
    int idle = 0;

    (void)state;
    rest_share(true);
    rest_often(SLICE, true);
    assert_int_equal(yields, RESTS);
    assert_int_equal(naps, 0);
    yields = 0;
    for (int i = 0; i < RESTS; i++)
        rest_turn(&idle);
    assert_int_equal(yields, RESTS);
    rest_share(false);
}

/* And without that, after many. */
static void who_has_a_processor_looks_often_first(void **state)
{
    int idle = 0;

    (void)state;
    yields = 0;
    yield_takes = QUICK;
    for (int i = 0; i < rest_after() - 1; i++)
        rest_turn(&idle);
    assert_int_equal(yields, 0);
    rest_turn(&idle);
    assert_int_equal(yields, 1);
    assert_int_equal(idle, 0); /* it looks as often again */
}

/* The rank that is waited for has run meanwhile: the processor is its too. */
static void who_meets_another_rank_looks_less_often(void **state)
{
    int idle = 0;

    (void)state;
    rest_often(OTHER, false);
    assert_int_equal(naps, 0);
    assert_int_equal(rest_after(), 1);
    yields = 0;
    for (int i = 0; i < RESTS; i++)
        rest_turn(&idle);
    assert_int_equal(yields, RESTS);
    rest_often(SLICE, false); /* another program's slice says nothing of ranks */
    assert_int_equal(rest_after(), 1);
    rest_often(QUICK, false);
    assert_int_equal(rest_after(), REST_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_a_processor_looks_often_first),
        cmocka_unit_test(quick_yields_are_never_naps),
        cmocka_unit_test(slow_yields_are_followed_by_naps),
        cmocka_unit_test(between_naps_there_are_many_turns),
        cmocka_unit_test(quick_yields_come_back_when_the_load_is_gone),
        cmocka_unit_test(who_shares_processors_never_naps),
        cmocka_unit_test(who_meets_another_rank_looks_less_often),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
