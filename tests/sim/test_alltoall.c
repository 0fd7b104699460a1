/* SPDX-License-Identifier: BSD-3-Clause */
/* test_alltoall.c - the numbers of the alltoall algorithms for every radix and window, counted from
 * what was executed. That they are right: test_shapes.c. What is expected is computed here from the
 * definitions, not by the library.
 *
 * usage: test_alltoall
 */
#include "sim/coll_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- the counts of the papers ---- */

/* Digits of j in this radix that are not 0: the hops of a block. */
static int hops(int j, int radix)
{
    int n = 0;

    for (; j; j /= radix)
        n += j % radix != 0;
    return n;
}

static int ceil_log(int p, int radix)
{
    int n = 0;

    for (int64_t power = 1; power < p; power *= radix)
        n++;
    return n;
}

static int64_t all_hops(int p, int radix)
{
    int64_t sum = 0;

    for (int j = 0; j < p; j++)
        sum += hops(j, radix);
    return sum;
}

/* Blocks of the largest message: how many j have the same digit other than 0 at one position. */
static int largest_round(int p, int radix)
{
    int most = 0;

    for (int64_t weight = 1; weight < p; weight *= radix)
        for (int digit = 1; digit < radix; digit++) {
            int n = 0;
            for (int j = 0; j < p; j++)
                n += j / weight % radix == digit;
            most = n > most ? n : most;
        }
    return most;
}

/* Blocks that all steps of one rank copy. */
static int64_t table_copies(const coll_run *t)
{
    const char *name = t->a->name;
    int64_t volume;

    if (strncmp(name, "bruck", 5) != 0)
        return t->in_place ? t->p - 1 : 1;
    volume = all_hops(t->p, t->parameter ? t->parameter : 2);
    if (strcmp(name, "bruck_zerocopy") == 0)
        return t->in_place ? t->p : 1;
    if (strcmp(name, "bruck_modified") == 0)
        return (t->in_place ? 2 : 1) * t->p + volume;
    return 2 * t->p + 2 * volume;
}

static void check_direct(const coll_run *t, const sim_result *r)
{
    int window = strcmp(t->a->name, "linear") == 0 ? t->parameter : 1;
    int steps = (t->p - 1 + window - 1) / window;

    int rounds = t->p > 1 && t->p % 2 ? t->p : t->p - 1; /* in place an odd one has to pause */
    int in_place = (rounds + window - 1) / window;

    if (r->critical_path > (t->in_place ? in_place : steps) || r->critical_path < steps ||
        t->a->cost(t->p, t->parameter).messages != steps)
        coll_run_fail(t, "critical path differs from the table");
    if (r->max_messages != t->p - 1 || r->max_sent != (t->p - 1) * (int64_t)t->count)
        coll_run_fail(t, "messages or blocks sent differ from the table");
    if (r->max_open[0] > window || r->max_open[1] > window + 1)
        coll_run_fail(t, "more in flight than the window allows");
}

/* Where p is no power of the radix, some step does not need the one before, and does not wait. */
static void check_bruck(const coll_run *t, const sim_result *r)
{
    int radix = t->parameter ? t->parameter : 2, phases = ceil_log(t->p, radix), whole = 1;
    algo_cost cost = t->a->cost(t->p, t->parameter);

    for (int i = 0; i < phases; i++)
        whole *= radix;
    if (r->critical_path > phases || (whole == t->p && r->critical_path != phases) ||
        cost.messages != phases)
        coll_run_fail(t, "critical path differs from the table");
    if (r->max_messages > (radix - 1) * phases || (radix == 2 && r->max_messages != phases))
        coll_run_fail(t, "number of messages differs from the table");
    if (r->max_size != largest_round(t->p, radix) * (int64_t)t->count ||
        (radix == 2 && r->max_size > t->p / 2 * (int64_t)t->count) ||
        (whole == t->p && t->p > 1 && r->max_size != t->p / radix * (int64_t)t->count))
        coll_run_fail(t, "too many blocks in a step");
    if (r->max_sent != all_hops(t->p, radix) * t->count || r->min_sent != r->max_sent ||
        cost.blocks != (double)all_hops(t->p, radix))
        coll_run_fail(t, "blocks sent per rank differ from the table");
}

static void check_counts(const coll_run *t, const sim_result *r)
{
    if (strncmp(t->a->name, "bruck", 5) == 0)
        check_bruck(t, r);
    else
        check_direct(t, r);
    if (r->copied != table_copies(t) * t->p * t->count)
        coll_run_fail(t, "blocks copied differ from the table");
    if (!t->in_place && t->a->cost(t->p, t->parameter).copies != (double)table_copies(t))
        coll_run_fail(t, "the cost model counts other copies");
}

/* ---- the matrix ---- */

static void run_one(coll_run t)
{
    sim_result r = coll_run_do(t);

    check_counts(&t, &r);
}

static void run_all_ways(const algo *a, int p, int parameter)
{
    for (int in_place = 0; in_place < 2; in_place++)
        run_one((coll_run){.a = a,
                           .kind = COLL_alltoall,
                           .p = p,
                           .count = 3,
                           .parameter = algo_parameter_for(a, parameter, p),
                           .in_place = in_place,
                           .sends = (sim_sends)(p % SIM_SENDS),
                           .seed = (uint64_t)p});
}

static bool is_tested(const algo *a)
{
    return algo_serves(a, COLL_alltoall) && !a->regional;
}

static void steps_and_blocks_are_those_of_the_table(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 128; p += p < 64 ? 1 : 32)
            if (is_tested(algo_table[i]))
                run_all_ways(algo_table[i], p, 0);
}

/* Radices 2 to p; windows 1 to p. */
static void every_parameter_has_its_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 24; p++)
            for (int value = algo_table[i]->parameter.least; value <= p; value++)
                if (algo_table[i]->parameter.name && is_tested(algo_table[i]))
                    run_all_ways(algo_table[i], p, value);
}

static int ready_receives(const sched *s)
{
    int n = 0;

    for (int i = 0; i < s->nready; i++)
        n += s->steps[s->ready[i]].kind == STEP_RECV;
    return n;
}

/* Messages of the phases of digits 0 and 1. */
static int messages_of_two_phases(int p, int radix)
{
    int n = 0, weight = 1;

    for (int phase = 0; phase < 2 && weight < p; phase++, weight *= radix)
        for (int digit = 1; digit < radix && digit * weight < p; digit++)
            n++;
    return n;
}

/* The messages of a phase travel at once, and those of the next one find a buffer to arrive in. */
static void receives_of_two_phases_are_posted_at_the_start(void **state)
{
    static const char *const names[] = {"bruck", "bruck_modified", "bruck_radix"};

    (void)state;
    for (int p = 1; p <= 32; p++)
        for (int radix = 2; radix <= (p > 2 ? p : 2); radix++)
            for (int i = radix == 2 ? 0 : 2; i < 3; i++) {
                const algo *a = algo_table[algo_find(COLL_alltoall, names[i])];
                coll c = {.kind = COLL_alltoall,
                          .p = p,
                          .parameter = algo_parameter_for(a, radix, p),
                          .send.count = 1,
                          .recv.count = 1};
                sched *s = NULL;
                assert_int_equal(algo_compile(a, FORM_STEP, &c, NULL, &s), SCHED_OK);
                assert_int_equal(ready_receives(s), messages_of_two_phases(p, radix));
                sched_free(s);
            }
}

static void radices_are_clamped_to_the_number_of_ranks(void **state)
{
    const algo *a = algo_table[algo_find(COLL_alltoall, "bruck_radix")];

    (void)state;
    assert_int_equal(algo_parameter_for(a, 2, 8), 2);
    assert_int_equal(algo_parameter_for(a, 8, 8), 8);
    assert_int_equal(algo_parameter_for(a, 9, 8), 8);
    assert_int_equal(algo_parameter_for(a, 7, 1), 2);
    assert_int_equal(algo_parameter_for(a, 0, 100), 4);
    assert_int_equal(algo_parameter_for(a, 0, 3), 3);
    assert_int_equal(algo_parameter_for(a, 1, 8), -1);
    assert_int_equal(algo_parameter_for(a, -4, 8), -1);
    assert_int_equal(algo_find(COLL_alltoallv, "bruck"), ALGO_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_blocks_are_those_of_the_table),
        cmocka_unit_test(every_parameter_has_its_numbers),
        cmocka_unit_test(receives_of_two_phases_are_posted_at_the_start),
        cmocka_unit_test(radices_are_clamped_to_the_number_of_ranks),
    };

    return cmocka_run_group_tests_name("alltoall", tests, NULL, NULL);
}
