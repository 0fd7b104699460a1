/* SPDX-License-Identifier: BSD-3-Clause */
/* test_planner.c - what `auto` takes is the fastest of all algorithms executed in full, or nearly;
 * it can serve the call, and is the same for all sizes of a class. */
#include "tune/planner.h"
#include "tune/size.h"
#include "unit/in_full.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const coll_kind kinds[] = {COLL_allgather, COLL_alltoall,  COLL_barrier,
                                  COLL_bcast,     COLL_allreduce, COLL_gather,
                                  COLL_scatter,   COLL_reduce,    COLL_reduce_scatter_block,
                                  COLL_scan,      COLL_exscan};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Every algorithm in its usual kinds, in full. */
static int64_t fastest(coll_kind kind, int p, const topo *t, int64_t bytes, choice *best)
{
    coll call = {.kind = kind, .p = p};
    int64_t least = INT64_MAX;

    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        choice c;
        if (!algo_serves(a, kind) || algo_refuses(a, &call) || !select_named(i, 0, p, 0, &c))
            continue;
        do
            for (int form = 0; form <= a->has_forms; form++) {
                c.form = form ? FORM_BLOCK : FORM_STEP;
                int64_t time = in_full(&c, kind, p, t, bytes);
                if (time < least)
                    *best = c;
                least = time < least ? time : least;
            }
        while (a->variants && a->variants[++c.variant]);
    }
    return least;
}

/* What is taken takes so many times as long as the fastest. */
static double loss(coll_kind kind, const char *shape, int p, int64_t bytes)
{
    topo *t = ranks_on(shape, p);
    coll call = {.kind = kind, .p = p};
    forecast best[2];
    choice taken, fast;
    const char *why;
    char a[128], b[128];
    int64_t least = fastest(kind, p, t, bytes, &fast);
    double ratio;

    assert_true(planner_choose(&call, all_of(kind, p, bytes), &(algo_set){{0}}, t,
                               constants_builtin("fast"), &taken, best, &why) > 0);
    ratio = (double)in_full(&taken, kind, p, t, bytes) / (double)least;
    topo_free(t);
    select_print(&taken, a, sizeof a);
    select_print(&fast, b, sizeof b);
    if (ratio > 1.1)
        print_message("%s of %lld on %d ranks, %s: %s takes %.2f of %s\n", coll_kind_name(kind),
                      (long long)bytes, p, shape ? shape : "one", a, ratio, b);
    return ratio;
}

/* All is executed in full here, which auto has no time for. */
static void what_auto_takes_is_fast(void **state)
{
    static const struct {
        const char *shape;
        int p;
    } machines[] = {
        {"node:4", 24}, {"node:4@cyclic", 32}, {"node:5,3", 29}, {"node:1", 9}, {NULL, 16}};
    int cells = 0, good = 0;

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (int k = 0; k < KINDS; k++)
            for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 32) {
                double ratio = loss(kinds[k], machines[i].shape, machines[i].p, bytes);
                assert_true(ratio < 2.5);
                cells++;
                good += ratio <= 1.1;
            }
    print_message("%d of %d within 10 %% of the fastest\n", good, cells);
    assert_true(100 * good >= 94 * cells);
}

/* Of more ranks than can all be executed: what seemed the best by a smaller machine is not. */
static void the_best_is_executed_in_full(void **state)
{
    (void)state;
    assert_true(loss(COLL_allreduce, "node:7", 100, 16384) <= 1.1);
}

/* What is printed for what is taken, as a part of what that takes. */
static double printed(coll_kind kind, const char *shape, int p, int64_t bytes)
{
    topo *t = ranks_on(shape, p);
    coll call = {.kind = kind, .p = p};
    forecast best[2];
    choice taken;
    const char *why;
    double ratio;

    assert_true(planner_choose(&call, all_of(kind, p, bytes), &(algo_set){{0}}, t,
                               constants_builtin("fast"), &taken, best, &why) > 0);
    ratio = (double)best[0].time / (double)in_full(&taken, kind, p, t, bytes);
    topo_free(t);
    return ratio;
}

/* Where no rank stands for another. With TEST_CASES=few it is left out: three quarters of the time,
 * for which machines of as many ranks and more are looked at below. */
static void what_auto_takes_of_many_ranks_is_fast(void **state)
{
    const char *cases = getenv("TEST_CASES");
    static const coll_kind unlike[] = {COLL_bcast,  COLL_gather, COLL_scatter,
                                       COLL_reduce, COLL_scan,   COLL_exscan};
    int cells = 0, good = 0, near = 0;

    (void)state;
    if (cases && strcmp(cases, "few") == 0)
        skip();
    for (int k = 0; k < 6; k++)
        for (int64_t bytes = 8; bytes <= 1 << 17; bytes *= 1 << 7) {
            double ratio = loss(unlike[k], "node:30", 420, bytes);
            double time = printed(unlike[k], "node:30", 420, bytes);
            assert_true(ratio < 1.3);
            cells++;
            good += ratio <= 1.1;
            near += time > 0.8 && time < 1.25;
        }
    print_message("%d of %d within 10 %% of the fastest, %d printed within a quarter\n", good,
                  cells, near);
    assert_true(10 * good >= 8 * cells);
    assert_true(10 * near >= 9 * cells);
}

/* Returns how many. They take at least as long as is said. */
static int check_given_up(const forecast *list, int n, coll_kind kind, int p, const topo *t,
                          int64_t bytes)
{
    int count = 0;

    assert_false(n > 0 && list[0].longer);
    for (int i = 0; i < n; i++)
        if (list[i].longer) {
            assert_true(list[i].time > list[0].time + list[0].time / 8);
            assert_true(10 * in_full(&list[i].choice, kind, p, t, bytes) >= 9 * list[i].time);
            count++;
        }
    return count;
}

static void what_is_given_up_is_none_of_the_best(void **state)
{
    static const char *const shapes[] = {"node:8", "node:5,3", NULL};
    forecast list[PLANNER_MOST];
    int count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        topo *t = ranks_on(shapes[i], 32);
        for (int k = 0; k < KINDS; k++)
            for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 32) {
                forecast_call call = call_on(kinds[k], 32, t, bytes);
                int n = planner_list(&call, list);
                count += check_given_up(list, n, kinds[k], 32, t, bytes);
            }
        topo_free(t);
    }
    print_message("%d given up\n", count);
    assert_true(count > 50);
}

/* Field by field: what lies between them is anything. */
static void assert_same_choice(const choice *a, const choice *b)
{
    assert_int_equal(a->algo, b->algo);
    assert_int_equal(a->form, b->form);
    assert_int_equal(a->parameter, b->parameter);
    assert_int_equal(a->variant, b->variant);
    assert_int_equal(a->order, b->order);
    assert_int_equal(a->order_named, b->order_named);
    assert_int_equal(a->by_rule, b->by_rule);
    assert_int_equal(a->in_order, b->in_order);
    assert_int_equal(a->provisional, b->provisional);
    assert_int_equal(a->undecided, b->undecided);
}

static void all_sizes_of_a_class_get_the_same(void **state)
{
    topo *t = ranks_on("node:4", 16);
    coll call = {.kind = COLL_allgather, .p = 16};
    forecast best[2];
    const char *why;

    (void)state;
    for (int64_t bytes = 1024; bytes < 1280; bytes += 51) {
        choice c, first;
        planner_choose(&call, 16 * 1024, &(algo_set){{0}}, t, constants_builtin("fast"), &first,
                       best, &why);
        planner_choose(&call, 16 * bytes, &(algo_set){{0}}, t, constants_builtin("fast"), &c, best,
                       &why);
        assert_same_choice(&c, &first);
    }
    topo_free(t);
}

static choice of_two_ranks(const coll *call, int64_t bytes)
{
    const char *why;
    forecast best[2];
    choice c;

    planner_choose(call, coll_is_vector(call->kind) ? bytes : 2 * bytes, &(algo_set){{0}}, NULL,
                   constants_builtin("fast"), &c, best, &why);
    return c;
}

/* Two ranks may have kept the choice for another size of the class, with different partners. */
static void all_sizes_of_a_class_get_the_same_of_two_ranks(void **state)
{
    (void)state;
    for (int kind = 0; kind < COLL_KINDS; kind++)
        for (int ordered = 0; ordered < 2; ordered++)
            for (int class = 0; class < size_class(1 << 20); class ++) {
                coll call = {.kind = (coll_kind)kind, .p = 2, .noncommutative = ordered};
                choice least = of_two_ranks(&call, size_least(class));
                choice most = of_two_ranks(&call, size_least(class + 1) - 1);
                assert_same_choice(&least, &most);
            }
}

/* More of them than can be executed. */
static void large_machines_have_an_answer(void **state)
{
    static const char *const shapes[] = {"node:32", "node:32@cyclic", "node:1", "node:1000"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        topo *t = ranks_on(shapes[i], 1000);
        for (int k = 0; k < KINDS; k++)
            for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 512) {
                coll call = {.kind = kinds[k], .p = 1000};
                forecast best[2];
                choice c;
                const char *why;
                assert_true(planner_choose(&call, all_of(kinds[k], 1000, bytes), &(algo_set){{0}},
                                           t, constants_builtin("fast"), &c, best, &why) > 0);
            }
        topo_free(t);
    }
}

static void check_applicable(const coll *c, int64_t bytes, const topo *t)
{
    forecast best[2];
    const char *why;
    choice taken;

    planner_choose(c, bytes, &(algo_set){{0}}, t, constants_builtin("ethernet"), &taken, best,
                   &why);
    assert_true(algo_serves(algo_table[taken.algo], c->kind));
    assert_null(algo_refuses(algo_table[taken.algo], c));
    assert_true(taken.by_rule);
}

static void what_auto_chooses_is_applicable(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p += p < 9 ? 1 : 7) {
        topo *t = ranks_on("node:3,2", p);
        for (int64_t bytes = 0; bytes < 1ll << 32; bytes = 1000 * bytes + 1)
            for (int kind = 0; kind < COLL_KINDS; kind++)
                for (int op = 0; op < 4; op++) {
                    coll c = {.kind = (coll_kind)kind,
                              .p = p,
                              .noncommutative = op & 1,
                              .user_op = op / 2};
                    check_applicable(&c, bytes, NULL);
                    check_applicable(&c, bytes, t);
                }
        topo_free(t);
    }
}

static void classes_are_quarters_of_octaves(void **state)
{
    (void)state;
    for (int class = 0; class < SIZE_CLASSES; class ++) {
        int64_t least = size_least(class);
        assert_int_equal(size_class(least), class);
        if (class > 0)
            assert_int_equal(size_class(least - 1), class - 1);
    }
    for (int bit = 0; bit < 62; bit++)
        assert_true(size_least(size_class((int64_t)1 << bit)) == (int64_t)1 << bit);
    assert_int_equal(size_least(size_class(79)), 64);
    assert_int_equal(size_least(size_class(80)), 80);
}

/* All of an octave begin with the same bytes, which are of a class of their own. */
static void octaves_begin_with_powers_of_two(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 3000; n++) {
        int64_t first = planner_octave(COLL_bcast, 5, n);
        assert_true(first <= n && n < 2 * first);
        assert_true(n < 4 ? first == n : (first & (first - 1)) == 0);
        assert_true(planner_octave(COLL_alltoall, 5, 5 * n) == 5 * first);
    }
    assert_true(planner_octave(COLL_alltoallv, 5, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_auto_takes_is_fast),
        cmocka_unit_test(the_best_is_executed_in_full),
        cmocka_unit_test(what_auto_takes_of_many_ranks_is_fast),
        cmocka_unit_test(what_is_given_up_is_none_of_the_best),
        cmocka_unit_test(all_sizes_of_a_class_get_the_same),
        cmocka_unit_test(all_sizes_of_a_class_get_the_same_of_two_ranks),
        cmocka_unit_test(large_machines_have_an_answer),
        cmocka_unit_test(what_auto_chooses_is_applicable),
        cmocka_unit_test(classes_are_quarters_of_octaves),
        cmocka_unit_test(octaves_begin_with_powers_of_two),
    };

    return cmocka_run_group_tests_name("planner", tests, NULL, NULL);
}
