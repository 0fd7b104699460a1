/* test_alltoall.c - every alltoall algorithm, for every p and radix, proven in the simulator.
 *
 * usage: test_alltoall alltoall|alltoallv
 * Each run draws its order of events from a seed that is printed when something is wrong. The
 * counts that are expected are computed here from the definitions, not by the library.
 */
#include "sim/coll_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static coll_kind tested_kind;

/* ---- the counts of ALGORITHMS.md and of the paper ---- */

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

/* Blocks of the largest message: how many j have the same digit other than 0 at one place. */
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
    if (tested_kind == COLL_alltoallv)
        return;
    if (t->count == 0) {
        if (r->max_messages || r->copied)
            coll_run_fail(t, "messages or copies of nothing");
        return;
    }
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

static void run_all_ways(const algo *a, int p, int parameter, int count)
{
    if (a->regional)
        return; /* test_regional.c */
    for (int in_place = 0; in_place < 2; in_place++)
        for (int sends = SIM_EAGER; sends < SIM_SENDS; sends++)
            run_one((coll_run){.a = a,
                               .kind = tested_kind,
                               .p = p,
                               .count = count,
                               .parameter = algo_parameter_for(a, parameter, p),
                               .in_place = in_place,
                               .sends = sends,
                               .seed = (uint64_t)p * 1000 + (uint64_t)count + (uint64_t)sends});
}

/* One data size of gigabytes less: 1000 elements for up to 32 ranks. */
static void run_sizes(const algo *a, int p, int parameter)
{
    static const int counts[] = {0, 1, 7, 1000};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 1000 || p <= 32)
            run_all_ways(a, p, parameter, counts[i]);
}

static void up_to_64_ranks_everybody_gets_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 64 && algo_serves(algo_table[i], tested_kind); p++)
            run_sizes(algo_table[i], p, 0);
}

static void hundreds_of_ranks_get_their_own(void **state)
{
    static const int sizes[] = {100, 128, 255};

    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (algo_serves(algo_table[i], tested_kind))
                run_all_ways(algo_table[i], sizes[k], 0, sizes[k] == 100 ? 7 : 1);
}

/* Radices 2 to p; windows 1 to p. */
static void every_parameter_works(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 32; p++)
            for (int value = algo_table[i]->parameter.least; value <= p; value++)
                if (algo_table[i]->parameter.name && algo_serves(algo_table[i], tested_kind))
                    run_all_ways(algo_table[i], p, value, 3);
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

/* The messages of a phase travel at once, and those of the next one find a place to arrive at. */
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
    assert_int_equal(algo_find(COLL_alltoallv, "bruck_radix"), ALGO_NONE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_to_64_ranks_everybody_gets_its_own),
        cmocka_unit_test(hundreds_of_ranks_get_their_own),
        cmocka_unit_test(every_parameter_works),
        cmocka_unit_test(receives_of_two_phases_are_posted_at_the_start),
        cmocka_unit_test(radices_are_clamped_to_the_number_of_ranks),
    };

    tested_kind = coll_kind_find(argc > 1 ? argv[1] : "alltoall");
    if (tested_kind == COLL_KINDS || coll_shapes[tested_kind].family != COLL_alltoall)
        return 2;
    return cmocka_run_group_tests_name(argv[1], tests, NULL, NULL);
}
