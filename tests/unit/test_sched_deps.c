/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sched_deps.c - which steps of a schedule wait for which: because they name the same bytes,
 * and because of fences, throttling and rounds. */
#include "unit/sched_built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static bool depends(const sched *s, int later, int earlier)
{
    for (int k = s->succ_at[earlier]; k < s->succ_at[earlier + 1]; k++)
        if (s->succ[k] == later)
            return true;
    return false;
}

static void a_read_waits_for_the_write_of_its_bytes(void **state)
{
    sched_builder *b = sched_begin(4, FORM_STEP);

    (void)state;
    sched_recv(b, recv_run(0, 8), 1);
    sched_recv(b, recv_run(8, 8), 2);
    sched_send(b, recv_run(7, 2), 3); /* a byte of each */
    sched_send(b, recv_run(15, 1), 3);
    sched *s = commit(b);
    assert_true(depends(s, 2, 0));
    assert_true(depends(s, 2, 1));
    assert_false(depends(s, 3, 0));
    assert_true(depends(s, 3, 1));
    assert_int_equal(s->nready, 2);
    sched_free(s);
}

static void a_write_waits_for_all_readers_and_readers_do_not_wait_for_each_other(void **state)
{
    sched_builder *b = sched_begin(4, FORM_STEP);

    (void)state;
    sched_send(b, recv_run(0, 4), 1);
    sched_send(b, recv_run(2, 4), 2);
    sched_recv(b, recv_run(3, 1), 3);
    sched_recv(b, recv_run(3, 1), 3); /* write after write */
    sched *s = commit(b);
    assert_false(depends(s, 1, 0));
    assert_true(depends(s, 2, 0));
    assert_true(depends(s, 2, 1));
    assert_true(depends(s, 3, 2));
    assert_int_equal(s->nedges, 3);
    sched_free(s);
}

static void spaces_do_not_meet(void **state)
{
    sched_builder *b = sched_begin(2, FORM_STEP);

    (void)state;
    sched_copy(b, interval_make(SPACE_SEND, 0, 4), recv_run(0, 4));
    sched_send(b, interval_make(SPACE_SEND, 0, 4), 1);
    sched_recv(b, interval_make(SPACE_SCRATCH, 0, 4), 1);
    sched *s = commit(b);
    assert_int_equal(s->nedges, 0);
    assert_int_equal(s->extent[SPACE_SEND], 4);
    assert_int_equal(s->extent[SPACE_SCRATCH], 4);
    sched_free(s);
}

/* The same graph whether elements serve as segments (few) or the space is cut at interval ends. */
static void large_elements_counts_give_the_same_dependencies(void **state)
{
    enum { N = 40 };
    sched *s[2];

    (void)state;
    for (int large = 0; large < 2; large++) {
        int64_t unit = large ? 1000000007 : 1;
        sched_builder *b = sched_begin(4, FORM_STEP);
        for (int i = 0; i < N; i++) {
            int64_t at = i * 7 % 13 * unit, length = (1 + i % 3) * unit;
            if (i % 2)
                sched_send(b, recv_run(at, length), 1);
            else
                sched_recv(b, recv_run(at, length), 2);
        }
        s[large] = commit(b);
    }
    assert_int_equal(s[0]->nedges, s[1]->nedges);
    assert_memory_equal(s[0]->succ_at, s[1]->succ_at, (N + 1) * sizeof(int32_t));
    assert_memory_equal(s[0]->succ, s[1]->succ, (size_t)s[0]->nedges * sizeof(int32_t));
    sched_free(s[0]);
    sched_free(s[1]);
}

static void reduce_reads_and_writes_its_target(void **state)
{
    sched_builder *b = sched_begin(2, FORM_STEP);
    interval part = sched_scratch(b, 4), other = sched_scratch(b, 4);

    (void)state;
    assert_int_equal(other.offset, 4);
    sched_recv(b, part, 1);
    sched_reduce(b, part, recv_run(0, 4));
    sched_reduce(b, part, recv_run(0, 4));
    sched_recv(b, part, 1);
    sched *s = commit(b);
    assert_true(depends(s, 1, 0));
    assert_true(depends(s, 2, 1));
    assert_true(depends(s, 3, 1) && depends(s, 3, 2));
    sched_free(s);
}

static void a_fence_orders_everything_before_with_everything_after(void **state)
{
    sched_builder *b = sched_begin(4, FORM_STEP);

    (void)state;
    sched_send(b, recv_run(0, 1), 1);
    sched_recv(b, recv_run(1, 1), 1);
    sched_fence(b);
    sched_send(b, recv_run(2, 1), 1);
    sched_recv(b, recv_run(0, 1), 1); /* its dependency on step 0 is the fence's */
    sched_fence(b);
    sched_send(b, recv_run(5, 1), 1);
    sched *s = commit(b);
    assert_int_equal(s->nready, 2);
    assert_true(depends(s, 2, 0) && depends(s, 2, 1));
    assert_true(depends(s, 3, 2) && depends(s, 4, 2));
    assert_false(depends(s, 4, 0));
    assert_true(depends(s, 5, 3) && depends(s, 5, 4));
    assert_true(depends(s, 6, 5));
    sched_free(s);
}

static void exchange(sched_builder *b, int i, int peer)
{
    sched_send(b, interval_make(SPACE_SEND, i, 1), peer);
    sched_recv(b, recv_run(i, 1), peer);
}

/* Steps 2i and 2i + 1 send and receive. */
static void throttled_messages_wait_for_those_before_the_window(void **state)
{
    sched_builder *b = sched_begin(9, FORM_STEP);

    (void)state;
    sched_throttle(b, 2);
    for (int i = 0; i < 5; i++)
        exchange(b, i, i + 1);
    sched *s = commit(b);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++) {
            assert_int_equal(depends(s, 2 * i, 2 * k), k == i - 2);
            assert_int_equal(depends(s, 2 * i, 2 * k + 1), k == i - 2);
            assert_false(depends(s, 2 * i + 1, 2 * k));
            assert_int_equal(depends(s, 2 * i + 1, 2 * k + 1), k == i - 3);
        }
    sched_free(s);
}

/* In rounds a send waits for both messages before it, a receive for the one before; afterwards
 * nothing waits. */
static void rounds_go_one_after_the_other_until_they_end(void **state)
{
    sched_builder *b = sched_begin(9, FORM_STEP);

    (void)state;
    sched_rounds(b, true);
    for (int i = 0; i < 3; i++)
        exchange(b, i, i + 1);
    sched_rounds(b, false);
    exchange(b, 3, 4);
    sched *s = commit(b);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) {
            bool next = k == i - 1 && i < 3;
            assert_int_equal(depends(s, 2 * i, 2 * k), next);
            assert_int_equal(depends(s, 2 * i, 2 * k + 1), next);
            assert_false(depends(s, 2 * i + 1, 2 * k));
            assert_int_equal(depends(s, 2 * i + 1, 2 * k + 1), next);
        }
    sched_free(s);
}

/* Those of nothing do not count; steps from before the throttle do not either. */
static void throttling_counts_the_messages_that_there_are(void **state)
{
    sched_builder *b = sched_begin(9, FORM_STEP);

    (void)state;
    exchange(b, 0, 1);
    sched_throttle(b, 1);
    exchange(b, 1, 2);
    sched_send(b, interval_make(SPACE_SEND, 2, 0), 3);
    sched_send(b, interval_make(SPACE_SEND, 3, 1), 4);
    sched *s = commit(b);
    assert_int_equal(s->nsteps, 5);
    assert_int_equal(s->ndeps[2], 0);
    assert_int_equal(s->ndeps[3], 0);
    assert_true(depends(s, 4, 2));
    assert_true(depends(s, 4, 3));
    assert_int_equal(s->ndeps[4], 2);
    sched_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_waits_for_the_write_of_its_bytes),
        cmocka_unit_test(a_write_waits_for_all_readers_and_readers_do_not_wait_for_each_other),
        cmocka_unit_test(spaces_do_not_meet),
        cmocka_unit_test(large_elements_counts_give_the_same_dependencies),
        cmocka_unit_test(reduce_reads_and_writes_its_target),
        cmocka_unit_test(a_fence_orders_everything_before_with_everything_after),
        cmocka_unit_test(throttled_messages_wait_for_those_before_the_window),
        cmocka_unit_test(rounds_go_one_after_the_other_until_they_end),
        cmocka_unit_test(throttling_counts_the_messages_that_there_are),
    };

    return cmocka_run_group_tests_name("sched_deps", tests, NULL, NULL);
}
