/* SPDX-License-Identifier: BSD-3-Clause */
/* test_reproducible.c - what tutti_reproducible=topology takes combines the operands of each item
 * in an order that follows from ranks and count: with an operation that is not associative (and,
 * where operands must keep the order of the ranks, does not commute) the result is the same on
 * every machine, in place or not, whatever order messages come in. Other algorithms are refused.
 */
#include "sim/coll_run.h"
#include "sim/machine.h"
#include "tune/reproducible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const coll_kind kinds[] = {COLL_allreduce,      COLL_reduce,
                                  COLL_reduce_scatter, COLL_reduce_scatter_block,
                                  COLL_scan,           COLL_exscan};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static const char *const shapes[] = {"node:2", "node:2@cyclic", "node:3,1", "node:4 package:2"};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

/* Operations: sums; greatest ones, in which the position of an operand counts; those of the
 * program; and of those, one that does not commute. */
enum { SUMS, GREATEST, OWN, OWN_ORDERED, OPERATIONS };

static coll call_of(coll_kind kind, int p, int operation)
{
    return (coll){.kind = kind,
                  .p = p,
                  .symmetric = operation == SUMS,
                  .user_op = operation >= OWN,
                  .noncommutative = operation == OWN_ORDERED};
}

static coll_run run_of(const coll *c, const choice *taken, int count)
{
    return (coll_run){.a = algo_table[taken->algo],
                      .kind = c->kind,
                      .form = taken->form,
                      .p = c->p,
                      .count = count,
                      .root = c->p / 2,
                      .parameter = taken->parameter,
                      .variant = taken->variant,
                      .order = taken->order,
                      .noncommutative = taken->in_order || c->noncommutative,
                      .bits = true,
                      .user_op = c->user_op};
}

static uint64_t digest_on(coll_run r, const char *shape)
{
    topo *t = shape ? machine(shape, r.p) : NULL;
    uint64_t digest = 0;

    r.topo = t;
    r.shape = shape;
    r.digest = &digest;
    coll_run_do(r);
    topo_free(t);
    return digest;
}

/* On all machines, in turn in place, with all kinds of sends. */
static void expect_one_result(coll_run r)
{
    uint64_t first = digest_on(r, NULL);

    for (int i = 0; i < 2 * NSHAPES; i++) {
        r.in_place = i % 2;
        r.form = i % 3 ? FORM_STEP : FORM_BLOCK;
        r.sends = (sim_sends)(i % SIM_SENDS);
        r.seed = (uint64_t)i;
        if (digest_on(r, shapes[i / 2]) != first)
            coll_run_fail(&r, "another result than elsewhere");
    }
}

/* Sizes that choose among all rows: items of 8 bytes in the simulator, of which a few stand for
 * many. */
static void results_are_the_same_on_every_machine(void **state)
{
    static const int64_t bytes[] = {8, 4 << 10, 100 << 10, 16 << 20};
    static const int counts[] = {1, 5, 67}, ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33};

    (void)state;
    for (int k = 0; k < NKINDS; k++)
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
            for (int op = 0; op < OPERATIONS; op++)
                for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
                    coll c = call_of(kinds[k], ranks[i], op);
                    choice taken = reproducible_choice(&c, bytes[b]);
                    expect_one_result(run_of(&c, &taken, counts[(b + i) % 3]));
                }
}

/* Else the test above proves nothing. */
static void lanes_differ_between_machines(void **state)
{
    coll_run r = {.a = find(COLL_allreduce, "lane"),
                  .kind = COLL_allreduce,
                  .p = 8,
                  .count = 67,
                  .parameter = 4,
                  .bits = true};

    (void)state;
    assert_true(digest_on(r, "node:2") != digest_on(r, "node:4"));
}

/* So many ranks and bytes as no test runs. */
static void every_call_is_served(void **state)
{
    (void)state;
    for (int k = 0; k < NKINDS; k++)
        for (int p = 1; p <= 5000; p += 1 + p / 3)
            for (int op = 0; op < OPERATIONS; op++)
                for (int shift = 0; shift < 41; shift++) {
                    coll c = call_of(kinds[k], p, op);
                    choice taken = reproducible_choice(&c, (int64_t)1 << shift >> 1);
                    const algo *a = algo_table[taken.algo];
                    assert_true(algo_serves(a, c.kind));
                    assert_null(algo_refuses(a, &c));
                    assert_false(a->regional);
                    assert_int_equal(taken.in_order, op != SUMS);
                    assert_null(reproducible_refuses(&taken, &c, (int64_t)1 << shift >> 1));
                }
}

static const char *refused(coll_kind kind, const char *name, int p, int64_t bytes)
{
    coll c = call_of(kind, p, SUMS);
    choice asked;

    assert_true(select_parse(kind, name, p, bytes, &asked));
    return reproducible_refuses(&asked, &c, bytes);
}

static void other_orders_are_refused(void **state)
{
    static const char *const regional[] = {"lane", "hierarchical", "lane:ring"};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_non_null(strstr(refused(COLL_allreduce, regional[i], 8, 8), "where the ranks are"));
    assert_non_null(strstr(refused(COLL_reduce, "reorder_binomial", 8, 8), "where the ranks are"));
    assert_non_null(strstr(refused(COLL_allreduce, "ring", 8, 8), "in another order"));
    assert_null(refused(COLL_allreduce, "recursive_doubling", 8, 8));
    assert_non_null(refused(COLL_allreduce, "recursive_doubling", 8, 1 << 20));
    assert_null(refused(COLL_allreduce, "two_tree:8", 8, 1 << 20));
    assert_non_null(refused(COLL_allreduce, "two_tree:9", 8, 1 << 20));
    assert_null(refused(COLL_allreduce, "circulant", 2, 1 << 20));
    assert_null(refused(COLL_scan, "chain:32", 8, 1 << 20));
    assert_non_null(refused(COLL_scan, "chain:33", 8, 1 << 20));
}

static void values_are_two(void **state)
{
    bool topology = false;

    (void)state;
    assert_true(reproducible_read("topology", &topology) && topology);
    assert_true(reproducible_read("off", &topology) && !topology);
    assert_false(reproducible_read("", &topology));
    assert_false(reproducible_read("Topology", &topology));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_same_on_every_machine),
        cmocka_unit_test(lanes_differ_between_machines),
        cmocka_unit_test(every_call_is_served),
        cmocka_unit_test(other_orders_are_refused),
        cmocka_unit_test(values_are_two),
    };

    return cmocka_run_group_tests_name("reproducible", tests, NULL, NULL);
}
