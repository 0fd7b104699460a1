/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sched.c - the builder: dependencies, messages, errors. */
#include "nbc/sched/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static interval recv_run(int64_t offset, int64_t length)
{
    return interval_make(SPACE_RECV, offset, length);
}

static sched *commit(sched_builder *b)
{
    sched *s = NULL;

    assert_int_equal(sched_commit(b, &s), SCHED_OK);
    assert_null(sched_check(s));
    return s;
}

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

static void ends_of_a_local_step_may_not_overlap(void **state)
{
    static void (*const add[])(sched_builder *, interval, interval) = {sched_copy, sched_reduce};

    (void)state;
    for (int i = 0; i < 2; i++) {
        sched_builder *b = sched_begin(2, FORM_STEP);
        sched *s;

        add[i](b, recv_run(0, 4), recv_run(4, 4));
        add[i](b, recv_run(3, 4), recv_run(0, 4));
        assert_int_equal(sched_commit(b, &s), SCHED_OK);
        assert_string_equal(sched_check(s), "the ends of a local step overlap");
        sched_free(s);
    }
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

static void adjacent_intervals_of_a_message_are_merged_and_empty_ones_dropped(void **state)
{
    sched_builder *b = sched_begin(2, FORM_STEP);

    (void)state;
    sched_open(b, STEP_SEND, 1);
    sched_add(b, recv_run(0, 3));
    sched_add(b, recv_run(50, 0));
    sched_add(b, recv_run(3, 2));
    sched_add(b, recv_run(9, 1));
    sched_close(b);
    sched_send(b, recv_run(20, 0), 1);               /* no message at all */
    sched_copy(b, recv_run(30, 0), recv_run(40, 0)); /* nor a copy */
    sched *s = commit(b);
    assert_int_equal(s->nsteps, 1);
    assert_int_equal(s->nmessages, 1);
    assert_int_equal(s->steps[0].n, 2);
    assert_int_equal(s->list[0].length, 5);
    assert_int_equal(s->list[1].offset, 9);
    assert_int_equal(s->extent[SPACE_RECV], 10);
    sched_free(s);
}

static void messages_are_numbered_for_each_peer_and_direction(void **state)
{
    sched_builder *b = sched_begin(3, FORM_STEP);

    (void)state;
    sched_send(b, recv_run(0, 1), 1);
    sched_send(b, recv_run(1, 1), 2);
    sched_send(b, recv_run(2, 1), 1);
    sched_recv(b, recv_run(3, 1), 1);
    sched *s = commit(b);
    assert_int_equal(s->steps[0].tag, 0);
    assert_int_equal(s->steps[1].tag, 0);
    assert_int_equal(s->steps[2].tag, 1);
    assert_int_equal(s->steps[3].tag, 0);
    assert_int_equal(s->nqueues, 3);
    assert_int_equal(s->steps[0].queue, s->steps[2].queue);
    assert_int_not_equal(s->steps[0].queue, s->steps[3].queue);
    sched_free(s);
}

static void ready_steps_are_receives_then_sends_then_copies(void **state)
{
    sched_builder *b = sched_begin(2, FORM_STEP);

    (void)state;
    sched_copy(b, interval_make(SPACE_SEND, 0, 1), recv_run(0, 1));
    sched_send(b, interval_make(SPACE_SEND, 0, 1), 1);
    sched_recv(b, recv_run(1, 1), 1);
    sched *s = commit(b);
    assert_int_equal(s->nready, 3);
    assert_int_equal(s->ready[0], 2);
    assert_int_equal(s->ready[1], 1);
    assert_int_equal(s->ready[2], 0);
    sched_free(s);
}

static void the_first_error_is_kept(void **state)
{
    sched *s = (sched *)1;
    sched_builder *b = sched_begin(2, FORM_STEP);

    (void)state;
    sched_send(b, recv_run(-1, 2), 1);
    sched_send(b, recv_run(0, 1), 0);
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);
    assert_ptr_equal(s, (sched *)1);

    b = sched_begin(2, FORM_STEP);
    sched_send(b, recv_run(0, 1), 2); /* no such rank */
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);

    b = sched_begin(2, FORM_STEP);
    sched_open(b, STEP_SEND, 1); /* never closed */
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);

    b = sched_begin(2, FORM_STEP);
    sched_copy(b, recv_run(0, 0), recv_run(0, 1)); /* something out of nothing */
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);
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

static void the_send_buffer_is_not_written(void **state)
{
    sched *s = NULL;
    sched_builder *b = sched_begin(2, FORM_STEP);

    (void)state;
    sched_recv(b, interval_make(SPACE_SEND, 0, 1), 1);
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);
    b = sched_begin(2, FORM_STEP);
    sched_copy(b, recv_run(0, 1), interval_make(SPACE_SEND, 0, 1));
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);
    b = sched_begin(2, FORM_STEP);
    sched_throttle(b, 0);
    assert_int_equal(sched_commit(b, &s), SCHED_BAD_STEP);
}

static void a_local_step_that_waits_is_the_tail_of_a_flat_schedule(void **state)
{
    sched_builder *b = sched_begin(2, FORM_STEP);
    sched *s;

    (void)state;
    sched_recv(b, recv_run(0, 1), 1);
    sched_reduce(b, interval_make(SPACE_SEND, 0, 1), recv_run(0, 1));
    sched_send(b, interval_make(SPACE_SEND, 0, 1), 1);
    s = commit(b);
    assert_true(s->flat && s->tail == 1);
    sched_free(s);

    b = sched_begin(2, FORM_STEP);
    sched_recv(b, recv_run(0, 1), 1);
    sched_reduce(b, interval_make(SPACE_SEND, 0, 1), recv_run(0, 1));
    sched_reduce(b, interval_make(SPACE_SEND, 1, 1), recv_run(0, 1));
    s = commit(b);
    assert_false(s->flat); /* two */
    sched_free(s);
}

static void an_empty_schedule_is_a_schedule(void **state)
{
    (void)state;
    sched *s = commit(sched_begin(1, FORM_STEP));
    assert_int_equal(s->nsteps, 0);
    assert_int_equal(s->nready, 0);
    assert_true(sched_memory(s) < 320);
    sched_free(s);
}

static void the_printed_schedule_names_peers_blocks_and_dependencies(void **state)
{
    char text[2000] = "";
    sched_builder *b = sched_begin(8, FORM_STEP);
    FILE *f = tmpfile();

    (void)state;
    sched_recv(b, recv_run(4, 2), 7);
    sched_send(b, recv_run(5, 1), 6);
    sched *s = commit(b);
    sched_print(f, s, "block");
    rewind(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    assert_non_null(strstr(text, "2 steps, 2 messages, 1 dependency; data in blocks"));
    assert_non_null(strstr(text, "RECV    <- 7       0  recv[4..5]"));
    assert_non_null(strstr(text, "SEND    -> 6       0  recv[5] "));
    assert_non_null(strstr(text, " 0\n"));
    fclose(f);
    sched_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_waits_for_the_write_of_its_bytes),
        cmocka_unit_test(a_write_waits_for_all_readers_and_readers_do_not_wait_for_each_other),
        cmocka_unit_test(ends_of_a_local_step_may_not_overlap),
        cmocka_unit_test(spaces_do_not_meet),
        cmocka_unit_test(large_elements_counts_give_the_same_dependencies),
        cmocka_unit_test(a_fence_orders_everything_before_with_everything_after),
        cmocka_unit_test(reduce_reads_and_writes_its_target),
        cmocka_unit_test(adjacent_intervals_of_a_message_are_merged_and_empty_ones_dropped),
        cmocka_unit_test(messages_are_numbered_for_each_peer_and_direction),
        cmocka_unit_test(ready_steps_are_receives_then_sends_then_copies),
        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(throttled_messages_wait_for_those_before_the_window),
        cmocka_unit_test(rounds_go_one_after_the_other_until_they_end),
        cmocka_unit_test(throttling_counts_the_messages_that_there_are),
        cmocka_unit_test(the_send_buffer_is_not_written),
        cmocka_unit_test(a_local_step_that_waits_is_the_tail_of_a_flat_schedule),
        cmocka_unit_test(an_empty_schedule_is_a_schedule),
        cmocka_unit_test(the_printed_schedule_names_peers_blocks_and_dependencies),
    };

    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
