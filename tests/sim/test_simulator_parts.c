/* SPDX-License-Identifier: BSD-3-Clause */
/* test_simulator_parts.c - the simulator knows the parts of vectors that are cut, and messages
 * without data. See test_simulator.c.
 */
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static interval send_at(int i)
{
    return interval_make(SPACE_SEND, i, 1);
}

static interval recv_at(int i)
{
    return interval_make(SPACE_RECV, i, 1);
}

static sched *commit(sched_builder *b)
{
    sched *s = NULL;

    assert_int_equal(sched_commit(b, &s), SCHED_OK);
    assert_null(sched_check(s));
    return s;
}

/* ---- vectors in 3 parts: 7 items, of 2, 2 and 3; or 2 items, the first part is empty ---- */

enum { PARTS = 3 };

static sched_builder *begin_cut(void)
{
    sched_builder *b = sched_begin(2, FORM_STEP);

    sched_cut(b, PARTS);
    return b;
}

/* Rank 0 runs a, rank 1 runs b. Consumes them. */
static sim_result run_cut(sched_builder *a, sched_builder *b, int64_t items, int out[2][8])
{
    int in[2][8] = {{10, 11, 12, 13, 14, 15, 16}, {20, 21, 22, 23, 24, 25, 26}}, scratch[2][32];
    sched *x = commit(a), *y = commit(b);
    sim_rank ranks[2] = {{x, {in[0], out[0], scratch[0]}, {items, items, items}},
                         {y, {in[1], out[1], scratch[1]}, {items, items, items}}};
    sim_options o = {
        .seed = 1, .sends = SIM_MIXED, .size = {sizeof(int), sizeof(int), sizeof(int)}};
    sim_result r;

    memset(out, 0, 2 * sizeof *out);
    sim_run(ranks, 2, &o, &r);
    sched_free(x);
    sched_free(y);
    return r;
}

static void parts_have_the_lengths_of_the_library(void **state)
{
    sched_builder *a = begin_cut(), *b = begin_cut();
    const int expected[8] = {0, 0, 12, 13, 14, 15, 16, 0};
    int out[2][8];
    sim_result r;

    (void)state;
    sched_send(a, interval_make(SPACE_SEND, 1, 2), 1);
    sched_recv(b, interval_make(SPACE_SCRATCH, PARTS + 1, 2), 0);
    sched_copy(b, interval_make(SPACE_SCRATCH, PARTS + 1, 2), interval_make(SPACE_RECV, 1, 2));
    r = run_cut(a, b, 7, out);
    assert_string_equal(r.error, "");
    assert_int_equal(r.max_sent, 5);
    assert_int_equal(r.copied, 5);
    assert_memory_equal(out[1], expected, sizeof expected);
}

static void data_that_changes_its_part_is_an_error(void **state)
{
    sched_builder *a = begin_cut(), *b = begin_cut();
    int out[2][8];

    (void)state; /* of equal lengths */
    sched_copy(a, send_at(0), recv_at(1));
    assert_non_null(strstr(run_cut(a, b, 7, out).error, "from one part to another"));
    a = begin_cut();
    b = begin_cut();
    sched_send(a, send_at(0), 1);
    sched_recv(b, recv_at(1), 0);
    assert_non_null(strstr(run_cut(a, b, 7, out).error, "from one part to another"));
    a = begin_cut();
    b = begin_cut();
    sched_open(a, STEP_SEND, 1); /* 0 2 1, received as 0 1 2 */
    sched_add(a, send_at(0));
    sched_add(a, send_at(2));
    sched_add(a, send_at(1));
    sched_close(a);
    sched_recv(b, interval_make(SPACE_RECV, 0, 3), 0);
    assert_non_null(strstr(run_cut(a, b, 7, out).error, "from one part to another"));
}

static void parts_of_unequal_length_are_an_error(void **state)
{
    sched_builder *a = begin_cut(), *b = begin_cut();
    int out[2][8];

    (void)state;
    sched_copy(a, send_at(1), recv_at(2));
    assert_non_null(strstr(run_cut(a, b, 7, out).error, "lengths differ"));
    a = begin_cut();
    b = begin_cut();
    sched_send(a, send_at(1), 1);
    sched_recv(b, recv_at(2), 0);
    assert_non_null(strstr(run_cut(a, b, 7, out).error, "lengths differ"));
}

static void empty_parts_are_not_sent(void **state)
{
    sched_builder *a = begin_cut(), *b = begin_cut();
    int out[2][8];
    sim_result r;

    (void)state;
    sched_send(a, send_at(0), 1);
    sched_send(a, send_at(1), 1);
    sched_recv(b, recv_at(0), 0);
    sched_recv(b, recv_at(1), 0);
    r = run_cut(a, b, 2, out);
    assert_string_equal(r.error, "");
    assert_int_equal(r.max_messages, 1);
    assert_int_equal(out[1][0], 10);
    a = begin_cut(); /* one side takes a part for empty */
    b = begin_cut();
    sched_send(a, send_at(0), 1);
    sched_recv(b, recv_at(1), 0);
    assert_non_null(strstr(run_cut(a, b, 2, out).error, "deadlock"));
}

/* ---- no data at all ---- */

/* Two ranks send to each other. If it answers too early, rank 1 does not wait. */
static sim_result exchange(bool early, int withheld)
{
    sched *s[2];
    sim_rank ranks[2];
    sim_options o = {.seed = 1, .sends = SIM_EAGER, .withheld = withheld, .size = {1, 1, 1}};
    sim_result r;

    for (int k = 0; k < 2; k++) {
        sched_builder *b = sched_begin(2, FORM_STEP);
        interval tokens = sched_scratch(b, 2);
        sched_send(b, interval_make(SPACE_SCRATCH, tokens.offset, 1), 1 - k);
        if (!early || k == 0)
            sched_recv(b, interval_make(SPACE_SCRATCH, tokens.offset + 1, 1), 1 - k);
        s[k] = commit(b);
        ranks[k] = (sim_rank){.sched = s[k], .buffer = {NULL, NULL, &s}};
    }
    sim_run(ranks, 2, &o, &r);
    sched_free(s[0]);
    sched_free(s[1]);
    return r;
}

static void tokens_are_messages(void **state)
{
    (void)state;
    assert_string_equal(exchange(false, 0).error, "");
    assert_int_equal(exchange(false, 0).finished, 2);
    assert_int_equal(exchange(false, 0).max_messages, 1);
    assert_int_equal(exchange(false, 0).max_sent, 0);
}

static void who_does_not_wait_finishes_before_a_withheld_rank(void **state)
{
    (void)state;
    for (int withheld = 1; withheld <= 2; withheld++)
        assert_int_equal(exchange(false, withheld).finished, 0);
    assert_int_equal(exchange(true, 1).finished, 1);
    assert_int_equal(exchange(true, 2).finished, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_lengths_of_the_library),
        cmocka_unit_test(data_that_changes_its_part_is_an_error),
        cmocka_unit_test(parts_of_unequal_length_are_an_error),
        cmocka_unit_test(empty_parts_are_not_sent),
        cmocka_unit_test(tokens_are_messages),
        cmocka_unit_test(who_does_not_wait_finishes_before_a_withheld_rank),
    };

    return cmocka_run_group_tests_name("simulator parts", tests, NULL, NULL);
}
