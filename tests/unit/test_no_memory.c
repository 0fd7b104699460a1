/* SPDX-License-Identifier: BSD-3-Clause */
/* test_no_memory.c - a schedule for which memory runs out, at every allocation in turn: the
 * algorithms, which index what they have borrowed, get through it, and the error is reported. Under
 * valgrind or a sanitizer it also says whether they read what is not there. And an estimate, which
 * must not choose something else then.
 */
#include "failing_malloc.h"
#include "sim/machine.h"
#include "tune/planner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { RANKS = 9, PARAMETER = 2, EXCHANGED = 1 << 10 };

/* Until nothing fails any more. size_exchange: that one is compiled. Returns how many allocations
 * it took.
 */
static long compile_in_need(const algo *a, coll_form form, const coll *c, const topo *t,
                            bool size_exchange)
{
    for (long n = 0;; n++) {
        sched *s = NULL;
        allocations_left = n;
        sched_error error = size_exchange ? algo_compile_size_exchange(a, c, 0, t, &s)
                                          : algo_compile(a, form, c, t, &s);
        bool failed = allocations_left < 0;
        allocations_left = -1;
        assert_int_equal(error, failed ? SCHED_NO_MEMORY : SCHED_OK);
        if (!failed) {
            sched_free(s);
            return n;
        }
    }
}

/* Blocks of one length each, and a size exchange that says so, and more than enough. */
static void compile_unequal(const algo *a, coll_form form, coll c, const topo *t)
{
    int64_t counts[RANKS], displs[RANKS], found[EXCHANGED];

    for (int i = 0; i < EXCHANGED; i++)
        found[i] = 1;
    for (int i = 0; i < RANKS; i++) {
        counts[i] = 1;
        displs[i] = i;
    }
    c.kind = COLL_alltoallv;
    c.send = c.recv = (coll_side){.counts = counts, .displs = displs};
    assert_true(compile_in_need(a, form, &c, t, true) > 0);
    c.exchanged_sizes = found;
    assert_true(compile_in_need(a, form, &c, t, false) > 0);
}

static void compile_all_ways(const algo *a, const topo *t, int rank)
{
    for (int way = 0; way < 16; way++) {
        coll c = {.kind = a->kind,
                  .p = RANKS,
                  .rank = rank,
                  .root = coll_has(a->kind, COLL_ROOTED) ? 5 : 0,
                  .in_place = way & 1 || coll_shapes[a->kind].send == COLL_NONE,
                  .noncommutative = coll_has(a->kind, COLL_REDUCES) && way & 2,
                  .user_op = coll_has(a->kind, COLL_REDUCES) && way & 4,
                  .parameter = algo_parameter_for(a, a->parameter.name ? PARAMETER : 0, RANKS),
                  .send.count = 1,
                  .recv.count = 1};
        coll_form form = way & 8 ? FORM_BLOCK : FORM_STEP;

        for (c.variant = 0; c.variant == 0 || (a->variants && a->variants[c.variant]); c.variant++)
            if (!algo_refuses(a, &c)) {
                assert_true(compile_in_need(a, form, &c, t, false) > 0);
                if (a->size_exchange)
                    compile_unequal(a, form, c, t);
            }
    }
}

static void every_algorithm_survives_that_memory_runs_out(void **state)
{
    static const char *const shapes[] = {"none", "node:4", "node:4,1,3@cyclic package:2"};

    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        topo *t = machine(shapes[k], RANKS);
        for (int i = 0; i < algo_count; i++)
            for (int r = 0; r < RANKS && !coll_has(algo_table[i]->kind, COLL_NEIGHBORS); r++)
                if (k == 0 || algo_table[i]->regional)
                    compile_all_ways(algo_table[i], t, r);
        topo_free(t);
    }
}

/* Every allocation of the first ones fails in turn, then some of them. */
static void estimate_in_need(const forecast_call *call)
{
    forecast right[PLANNER_MOST], list[PLANNER_MOST];
    int n = planner_list(call, right), found = PLANNER_NO_MEMORY;
    long at = 0;

    assert_true(n > 0);
    for (; found == PLANNER_NO_MEMORY; at += 1 + at / 10) {
        allocations_left = at;
        found = planner_list(call, list);
        assert_int_equal(found, allocations_left < 0 ? PLANNER_NO_MEMORY : n);
        allocations_left = -1;
    }
    assert_true(at > 100);
    for (int i = 0; i < n; i++)
        assert_int_equal(list[i].time, right[i].time);
}

static void an_estimate_without_memory_is_none(void **state)
{
    static const struct {
        int p;
        const char *shape;
    } machines[] = {{5, "none"}, {30, "node:6 package:3"}, {70, "node:9@cyclic"}, {720, "node:16"}};

    (void)state;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        int p = machines[k].p;
        topo *t = machine(machines[k].shape, p);
        constants cores = constants_shared(constants_builtin("fast"), p);
        for (int kind = 0; kind < COLL_KINDS; kind++)
            if (kind == COLL_allreduce || kind == COLL_bcast || kind == COLL_alltoall)
                estimate_in_need(
                    &(forecast_call){.kind = (coll_kind)kind,
                                     .p = p,
                                     .bytes = 4096 * p,
                                     .t = t,
                                     .k = k % 2 ? constants_builtin("ethernet") : &cores});
        topo_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_survives_that_memory_runs_out),
        cmocka_unit_test(an_estimate_without_memory_is_none),
    };

    return cmocka_run_group_tests_name("no_memory", tests, NULL, NULL);
}
