/* SPDX-License-Identifier: BSD-3-Clause */
/* test_simulator.c - the simulator and the checker see what is wrong, and reductions work.
 *
 * A proof is worth what its prover would notice: each test here hands it a broken schedule.
 */
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
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

/* Remove all dependencies, as if the builder had found none. */
static void cut_dependencies(sched *s)
{
    int32_t *ready = (int32_t *)s->ready;

    memset((int32_t *)s->ndeps, 0, (size_t)s->nsteps * sizeof(int32_t));
    memset((int32_t *)s->succ_at, 0, (size_t)(s->nsteps + 1) * sizeof(int32_t));
    s->nedges = 0;
    s->nready = s->nsteps;
    for (int i = 0; i < s->nsteps; i++)
        ready[i] = i;
}

static sim_result run_two(sched *a, sched *b, sim_sends sends, uint64_t seed, int out[2][4])
{
    int in[2][4] = {{10, 11, 12, 13}, {20, 21, 22, 23}};
    sim_rank ranks[2] = {{a, {in[0], out[0], NULL}, {1, 1, 1}},
                         {b, {in[1], out[1], NULL}, {1, 1, 1}}};
    sim_options o = {.seed = seed, .sends = sends, .size = {sizeof(int), sizeof(int), 1}};
    sim_result r;

    memset(out, 0, 2 * sizeof *out);
    sim_run(ranks, 2, &o, &r);
    return r;
}

static void a_receive_without_a_message_is_a_deadlock(void **state)
{
    sched_builder *a = sched_begin(2, FORM_STEP), *b = sched_begin(2, FORM_STEP);
    int out[2][4];

    (void)state;
    sched_recv(a, recv_at(0), 1);
    sched *x = commit(a), *y = commit(b);
    assert_non_null(strstr(run_two(x, y, SIM_EAGER, 1, out).error, "deadlock"));
    sched_free(x);
    sched_free(y);
}

static void a_message_that_nobody_receives_is_left_over(void **state)
{
    sched_builder *a = sched_begin(2, FORM_STEP), *b = sched_begin(2, FORM_STEP);
    int out[2][4];

    (void)state;
    sched_send(a, send_at(0), 1);
    sched *x = commit(a), *y = commit(b);
    assert_non_null(strstr(run_two(x, y, SIM_EAGER, 1, out).error, "never received"));
    assert_non_null(strstr(run_two(x, y, SIM_SYNC, 1, out).error, "deadlock"));
    sched_free(x);
    sched_free(y);
}

/* Of so many seeds, how many end with this error? */
static int count_errors(sched *x, sched *y, sim_sends sends, const char *what)
{
    int n = 0, out[2][4];

    for (uint64_t seed = 1; seed <= 20; seed++)
        n += strstr(run_two(x, y, sends, seed, out).error, what) != NULL;
    return n;
}

/* The second send waits until the first message has been read; each is over when it is in the ring,
 * or when it has been read. */
static void a_ring_has_room_for_one_message(void **state)
{
    sched_builder *a = sched_begin(2, FORM_STEP), *b = sched_begin(2, FORM_STEP);
    int buffered, waits;

    (void)state;
    sched_send(a, send_at(0), 1);
    sched_send(a, send_at(1), 1);
    sched_recv(b, recv_at(0), 0);
    sched *x = commit(a), *y = commit(b);
    buffered = count_errors(x, y, SIM_RINGS, "never received");
    waits = count_errors(x, y, SIM_RINGS, "rank 0 did only 1 steps");
    assert_true(buffered > 0 && waits > 0 && buffered + waits == 20);
    sched_free(y);
    y = commit(sched_begin(2, FORM_STEP));
    assert_int_equal(count_errors(x, y, SIM_EAGER, "never received"), 20);
    buffered = count_errors(x, y, SIM_RINGS, "rank 0 did only 1 steps");
    waits = count_errors(x, y, SIM_RINGS, "rank 0 did only 0 steps");
    assert_true(buffered > 0 && waits > 0 && buffered + waits == 20);
    sched_free(x);
    sched_free(y);
}

static void messages_of_unequal_length_are_an_error(void **state)
{
    sched_builder *a = sched_begin(2, FORM_STEP), *b = sched_begin(2, FORM_STEP);
    int out[2][4];

    (void)state;
    sched_send(a, send_at(0), 1);
    sched_recv(b, interval_make(SPACE_RECV, 0, 2), 0);
    sched *x = commit(a), *y = commit(b);
    assert_non_null(strstr(run_two(x, y, SIM_MIXED, 1, out).error, "lengths differ"));
    sched_free(x);
    sched_free(y);
}

/* Rank 0 sends RECV[0] and then receives into it: write after read. Without the dependency the
 * posted receive poisons what a synchronous send has yet to read. */
static void a_missing_dependency_gives_wrong_data_and_fails_the_check(void **state)
{
    sched_builder *a = sched_begin(2, FORM_STEP), *b = sched_begin(2, FORM_STEP);
    int out[2][4], wrong = 0;

    (void)state;
    sched_copy(a, send_at(0), recv_at(0));
    sched_send(a, recv_at(0), 1);
    sched_recv(a, recv_at(0), 1);
    sched_recv(b, recv_at(0), 0);
    sched_send(b, send_at(1), 0);
    sched *x = commit(a), *y = commit(b);
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_string_equal(run_two(x, y, SIM_SYNC, seed, out).error, "");
        assert_int_equal(out[0][0], 21);
        assert_int_equal(out[1][0], 10);
    }
    cut_dependencies(x);
    assert_string_equal(sched_check(x), "two steps that are not ordered touch the same bytes");
    for (uint64_t seed = 0; seed < 20; seed++) {
        run_two(x, y, SIM_SYNC, seed, out);
        wrong += out[0][0] != 21 || out[1][0] != 10;
    }
    assert_true(wrong > 0);
    sched_free(x);
    sched_free(y);
}

/* Tags repeat after SCHED_WINDOW messages: only the order that the builder adds keeps them apart.
 */
static void more_messages_than_tags_arrive_in_their_places(void **state)
{
    enum { N = 3 * SCHED_WINDOW + 5 };
    int in[N], out[N], none[1];
    sched_builder *a = sched_begin(2, FORM_STEP), *b = sched_begin(2, FORM_STEP);

    (void)state;
    for (int i = 0; i < N; i++) {
        in[i] = 1000 + i;
        sched_send(a, send_at(i), 1);
        sched_recv(b, recv_at(i), 0);
    }
    sched *x = commit(a), *y = commit(b);
    for (uint64_t seed = 0; seed < 30; seed++) {
        sim_rank ranks[2] = {{x, {in, none, NULL}, {1, 1, 1}}, {y, {none, out, NULL}, {1, 1, 1}}};
        sim_options o = {.seed = seed,
                         .sends = (sim_sends)(seed % SIM_SENDS),
                         .size = {sizeof(int), sizeof(int), 1}};
        sim_result r;
        memset(out, 0, sizeof out);
        sim_run(ranks, 2, &o, &r);
        assert_string_equal(r.error, "");
        assert_memory_equal(in, out, sizeof in);
        assert_int_equal(r.critical_path, 1);
    }
    cut_dependencies(y);
    assert_string_equal(sched_check(y), "two messages with equal tags are not ordered");
    sched_free(x);
    sched_free(y);
}

/* ---- reductions: the value is the run of ranks that it covers; the operator is concatenation,
 * which is associative but not commutative: anything out of order gives -1. ---- */

typedef struct span {
    int first, last;
} span;

static void concatenate(const void *in, void *inout, int64_t n)
{
    const span *left = in;
    span *right = inout;

    for (int64_t i = 0; i < n; i++)
        right[i] = left[i].first >= 0 && left[i].last + 1 == right[i].first
                       ? (span){left[i].first, right[i].last}
                       : (span){-1, -1};
}

/* A binomial reduction to rank 0 in rank order: what comes from a higher rank is the right
 * operand, so my own partial result is reduced into it. */
static sched *binomial_reduce(int p, int rank, int n, bool swapped)
{
    sched_builder *b = sched_begin(p, FORM_STEP);
    interval mine = interval_make(SPACE_RECV, 0, n);

    sched_copy(b, interval_make(SPACE_SEND, 0, n), mine);
    for (int d = 1; d < p; d *= 2) {
        if (rank & d) {
            sched_send(b, mine, rank - d);
            break;
        }
        if (rank + d >= p)
            continue;
        interval theirs = sched_scratch(b, n);
        sched_recv(b, theirs, rank + d);
        if (swapped) {
            sched_reduce(b, theirs, mine);
        } else {
            sched_reduce(b, mine, theirs);
            sched_copy(b, theirs, mine);
        }
    }
    return commit(b);
}

static span reduce_over(int p, bool swapped, uint64_t seed)
{
    enum { N = 3 };
    span *memory = calloc((size_t)p * N * 12, sizeof *memory);
    sim_rank *ranks = calloc((size_t)p, sizeof *ranks);
    sim_options o = {.seed = seed,
                     .sends = SIM_MIXED,
                     .size = {sizeof(span), sizeof(span), sizeof(span)},
                     .op = concatenate};
    sim_result r;

    for (int k = 0; k < p; k++) {
        span *at = memory + k * N * 12;
        for (int i = 0; i < N; i++)
            at[i] = (span){k, k};
        ranks[k] = (sim_rank){
            binomial_reduce(p, k, N, swapped), {at, at + N, at + 2 * (size_t)N}, {1, 1, 1}};
    }
    sim_run(ranks, p, &o, &r);
    assert_string_equal(r.error, "");
    span result = memory[2 * N - 1];
    for (int k = 0; k < p; k++)
        sched_free((sched *)ranks[k].sched);
    free(ranks);
    free(memory);
    return result;
}

static void reductions_keep_the_order_of_the_operands(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++) {
        span s = reduce_over(p, false, (uint64_t)p);
        assert_int_equal(s.first, 0);
        assert_int_equal(s.last, p - 1);
    }
    assert_int_equal(reduce_over(5, true, 1).first, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receive_without_a_message_is_a_deadlock),
        cmocka_unit_test(a_message_that_nobody_receives_is_left_over),
        cmocka_unit_test(a_ring_has_room_for_one_message),
        cmocka_unit_test(messages_of_unequal_length_are_an_error),
        cmocka_unit_test(a_missing_dependency_gives_wrong_data_and_fails_the_check),
        cmocka_unit_test(more_messages_than_tags_arrive_in_their_places),
        cmocka_unit_test(reductions_keep_the_order_of_the_operands),
    };

    return cmocka_run_group_tests_name("simulator", tests, NULL, NULL);
}
