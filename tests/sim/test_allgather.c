/* test_allgather.c - every allgather algorithm, for every p, proven in the simulator.
 *
 * usage: test_allgather allgather|allgatherv
 * Each run draws its order of events from a seed that is printed when something is wrong.
 */
#include "sim/coll_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static coll_kind tested_kind;

/* ALGORITHMS.md: steps on the critical path. */
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

    if (t->count == 0) {
        if (r->max_messages || r->max_sent)
            coll_run_fail(t, "messages of nothing");
        return;
    }
    if (t->kind == COLL_allgatherv)
        return;
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

/* Eager, synchronous and mixed sends; only mixed ones where the data is gigabytes. */
static void run_all_ways(const algo *a, int p, int count)
{
    coll c = {.kind = tested_kind, .p = p};
    int first = p * count >= 1000000 ? SIM_MIXED : SIM_EAGER;

    if (a->regional || (algo_refuses(a, &c)))
        return; /* regional: test_regional.c */
    for (int form = 0; form <= (a->has_forms ? FORM_BLOCK : FORM_STEP); form++)
        for (int sends = first; sends < SIM_SENDS; sends++)
            run_one((coll_run){.a = a,
                               .form = form,
                               .kind = tested_kind,
                               .p = p,
                               .count = count,
                               .in_place = (p + sends + form) % 2,
                               .sends = sends,
                               .seed = (uint64_t)p * 1000 + (uint64_t)count + (uint64_t)sends});
}

static void run_sizes(const algo *a, int p)
{
    static const int counts[] = {0, 1, 7, 1000};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        run_all_ways(a, p, counts[i]);
}

static void up_to_64_ranks_everybody_gets_everything(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 64 && algo_serves(algo_table[i], tested_kind); p++)
            run_sizes(algo_table[i], p);
}

static void hundreds_of_ranks_get_everything(void **state)
{
    static const int sizes[] = {100, 128, 255, 256};

    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (algo_serves(algo_table[i], tested_kind))
                run_sizes(algo_table[i], sizes[k]);
}

static void a_thousand_ranks_get_everything_in_log_steps(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        if (!algo_table[i]->regional && algo_serves(algo_table[i], tested_kind) &&
            algo_table[i]->cost(1000, 0).messages <= 10 &&
            algo_table[i]->cost(1000, 0).messages > 1)
            run_sizes(algo_table[i], 1000);
}

/* So the first message does not wait for the copy of the block to its place. */
static void the_own_block_is_sent_from_the_send_buffer_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++) {
        int64_t counts[8] = {1, 1, 1, 1, 1, 1, 1, 1}, displs[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        coll c = {.kind = tested_kind,
                  .p = 8,
                  .rank = 3,
                  .send.count = 1,
                  .recv.count = 1,
                  .recv.counts = counts,
                  .recv.displs = displs};
        sched *s = NULL;
        bool found = false;
        if (!algo_serves(algo_table[i], tested_kind))
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
        coll c = {.kind = tested_kind, .p = p};
        assert_int_equal(!algo_refuses(exchange, &c), p == 1 || p % 2 == 0);
        assert_int_equal(!algo_refuses(doubling, &c), (p & (p - 1)) == 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_to_64_ranks_everybody_gets_everything),
        cmocka_unit_test(hundreds_of_ranks_get_everything),
        cmocka_unit_test(a_thousand_ranks_get_everything_in_log_steps),
        cmocka_unit_test(the_own_block_is_sent_from_the_send_buffer_at_once),
        cmocka_unit_test(unfit_rank_counts_are_refused),
    };

    tested_kind = coll_kind_find(argc > 1 ? argv[1] : "allgather");
    if (tested_kind == COLL_KINDS)
        return 2;
    return cmocka_run_group_tests_name(argv[1], tests, NULL, NULL);
}
