/* SPDX-License-Identifier: BSD-3-Clause */
/* test_allgather.c - the numbers of the flat allgather algorithms, counted from what was executed.
 * That they are right: test_shapes.c.
 *
 * usage: test_allgather
 */
#include "sim/coll_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Steps on the critical path, by the papers. */
static int table_steps(const char *name, int p)
{
    int log = 0;

    while (1 << log < p)
        log++;
    if (p == 1)
        return 0;
    if (strcmp(name, "linear") == 0)
        return 1;
    if (strcmp(name, "ring") == 0)
        return p - 1;
    if (strcmp(name, "neighbor_exchange") == 0)
        return p / 2;
    return log; /* recursive_doubling, bruck, sparbit */
}

/* Where p is no power of two, Bruck and Sparbit pass on only a part of what they know in some
 * step: what does not need the step before does not wait for it, and the path gets shorter. */
static bool is_exact(const coll_run *t)
{
    return (t->p & (t->p - 1)) == 0 ||
           (strcmp(t->a->name, "bruck") != 0 && strcmp(t->a->name, "sparbit") != 0);
}

/* The table's counts, from what was executed. Linear and ring send one block a message, the
 * others all blocks of a step in one message, or one a message in the block form. */
static void check_counts(const coll_run *t, const sim_result *r)
{
    int steps = table_steps(t->a->name, t->p);
    bool single = t->form == FORM_BLOCK || !t->a->has_forms;

    if (r->critical_path > steps || (is_exact(t) && r->critical_path < steps) ||
        t->a->cost(t->p, 0).messages != steps)
        coll_run_fail(t, "critical path differs from the table");
    if (r->max_messages != (single ? t->p - 1 : steps))
        coll_run_fail(t, "number of messages differs from the table");
    if (r->max_sent != (t->p - 1) * (int64_t)t->count || r->min_sent != r->max_sent ||
        t->a->cost(t->p, 0).blocks != t->p - 1)
        coll_run_fail(t, "blocks sent per rank differ from the table");
    if (t->a->cost(t->p, 0).copies != 1 ||
        r->copied != (t->in_place ? 0 : t->p * (int64_t)t->count))
        coll_run_fail(t, "something but the own block was copied");
}

static void run_one(coll_run t)
{
    sim_result r = coll_run_do(t);

    check_counts(&t, &r);
}

static void run_all_ways(const algo *a, int p, bool whole)
{
    for (int way = 0; way < (whole ? 4 : 1); way++)
        if (way < 2 || a->has_forms)
            run_one((coll_run){.a = a,
                               .kind = COLL_allgather,
                               .form = way < 2 ? FORM_STEP : FORM_BLOCK,
                               .p = p,
                               .count = 3,
                               .in_place = way % 2,
                               .sends = SIM_MIXED,
                               .seed = (uint64_t)p});
}

static bool is_tested(const algo *a, int p)
{
    coll c = {.kind = COLL_allgather, .p = p};

    return algo_serves(a, COLL_allgather) && !a->regional && !algo_refuses(a, &c);
}

static void steps_and_blocks_are_those_of_the_table(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 128; p += p < 48 ? 1 : 16)
            if (is_tested(algo_table[i], p))
                run_all_ways(algo_table[i], p, true);
}

static void a_thousand_ranks_need_ten_steps(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1000; p <= 1024; p += 24)
            if (is_tested(algo_table[i], p) && algo_table[i]->cost(p, 0).messages == 10)
                run_all_ways(algo_table[i], p, false);
}

/* So the first message does not wait for the copy of the block to where it belongs. */
static void the_own_block_is_sent_from_the_send_buffer_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++) {
        coll c = {.kind = COLL_allgather, .p = 8, .rank = 3, .send.count = 1, .recv.count = 1};
        sched *s = NULL;
        bool found = false;
        if (!algo_serves(algo_table[i], COLL_allgather))
            continue;
        assert_int_equal(algo_compile(algo_table[i], FORM_STEP, &c, NULL, &s), SCHED_OK);
        for (int k = 0; k < s->nready; k++) {
            const step *st = &s->steps[s->ready[k]];
            found |= st->kind == STEP_SEND && s->list[st->first].space == SPACE_SEND;
        }
        if (!found)
            fail_msg("%s: no message is ready at the start", algo_table[i]->name);
        sched_free(s);
    }
}

static void unfit_rank_counts_are_refused(void **state)
{
    const algo *exchange = algo_table[algo_find(COLL_allgatherv, "neighbor_exchange")];
    const algo *doubling = algo_table[algo_find(COLL_allgather, "recursive_doubling")];

    (void)state;
    for (int p = 1; p <= 130; p++) {
        coll c = {.kind = COLL_allgather, .p = p};
        assert_int_equal(!algo_refuses(exchange, &c), p == 1 || p % 2 == 0);
        assert_int_equal(!algo_refuses(doubling, &c), (p & (p - 1)) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_blocks_are_those_of_the_table),
        cmocka_unit_test(a_thousand_ranks_need_ten_steps),
        cmocka_unit_test(the_own_block_is_sent_from_the_send_buffer_at_once),
        cmocka_unit_test(unfit_rank_counts_are_refused),
    };

    return cmocka_run_group_tests_name("allgather", tests, NULL, NULL);
}
