/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sched.c - the builder of schedules: messages, steps that are ready at once, errors, and the
 * printed schedule. Which step waits for which is tested in test_sched_deps.c. */
#include "unit/sched_built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

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
        cmocka_unit_test(adjacent_intervals_of_a_message_are_merged_and_empty_ones_dropped),
        cmocka_unit_test(messages_are_numbered_for_each_peer_and_direction),
        cmocka_unit_test(ready_steps_are_receives_then_sends_then_copies),
        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(the_send_buffer_is_not_written),
        cmocka_unit_test(ends_of_a_local_step_may_not_overlap),
        cmocka_unit_test(a_local_step_that_waits_is_the_tail_of_a_flat_schedule),
        cmocka_unit_test(an_empty_schedule_is_a_schedule),
        cmocka_unit_test(the_printed_schedule_names_peers_blocks_and_dependencies),
    };

    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
