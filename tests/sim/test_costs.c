/* SPDX-License-Identifier: BSD-3-Clause */
/* test_costs.c - what the cost models of the algorithms promise, against what was executed, for
 * every row of the table that has one; and the exact numbers of what is not an allgather or an
 * alltoall.
 *
 * usage: test_costs
 */
#include "between.h"
#include "sim/coll_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static int parts_of(const algo *a, int p, int parameter)
{
    sched_builder *s = sched_begin(p, FORM_STEP);
    group everyone = {.size = p};
    algo_options o = {.parameter = parameter};
    int n = algo_parts(a, &o, &everyone, s);
    sched *unused = NULL;

    assert_int_equal(sched_commit(s, &unused), SCHED_OK);
    sched_free(unused);
    return n;
}

/* Pieces over two trees keep no lock step: test_pipelines.c says how near they come. */
static bool in_rounds(const algo *a)
{
    return strcmp(a->name, "two_tree") != 0;
}

/* Pieces need not wait for each other, but for a port. */
static void check_pipeline(const coll_run *t, const sim_result *r, const critical_path *path)
{
    algo_cost cost = t->a->cost(t->p, t->parameter);

    if (!t->in_place && in_rounds(t->a) && (double)path->on_ports != cost.messages)
        coll_run_fail(t, "not so many rounds as the model says");
    if ((double)r->max_sent > cost.blocks * t->count + 0.001)
        coll_run_fail(t, "a rank sends more than the model says");
}

/* Where p is no power of two some chains are shorter than the model's; and a rank that is on no
 * longest chain sends less. In place an exchange among an odd number of ranks has to pause. */
static void check_model(const coll_run *t, const sim_result *r)
{
    algo_cost cost = t->a->cost(t->p, t->parameter);
    int64_t moved = r->max_sent > r->max_received ? r->max_sent : r->max_received;
    bool power = (t->p & (t->p - 1)) == 0;

    if (!t->in_place && r->critical_path > cost.messages)
        coll_run_fail(t, "the critical path is longer than the model's");
    if (!t->in_place && power && !t->a->parameter.name && r->critical_path != cost.messages)
        coll_run_fail(t, "the critical path is shorter than the model's");
    if (coll_shapes[t->kind].recv == COLL_NONE)
        return;
    if ((double)moved > cost.blocks * t->count + 0.001)
        coll_run_fail(t, "a rank sends or receives more than the model says");
    if (power && (double)moved < cost.blocks * t->count - 0.001)
        coll_run_fail(t, "all ranks send and receive less than the model says");
}

static void check_copies(const coll_run *t, const sim_result *r)
{
    algo_cost cost = t->a->cost(t->p, t->parameter);

    if (!t->in_place && t->p > 1 && (double)r->copied > cost.copies * t->count * t->p + 0.001)
        coll_run_fail(t, "more copies than the model says");
}

static void run_all_ways(const algo *a, coll_kind kind, int p)
{
    int parameter = algo_parameter_for(a, 0, p);

    for (int way = 0; way < 4; way++) {
        coll_run t = {.a = a,
                      .kind = kind,
                      .form = (coll_form)(a->has_forms && way % 2),
                      .p = p,
                      .count = 2 * parts_of(a, p, parameter),
                      .parameter = parameter,
                      .root = p / 2,
                      .in_place = way / 2,
                      .sends = SIM_MIXED,
                      .seed = (uint64_t)p};
        bool pieces = a->parts == algo_parts_of_pieces;
        critical_path path;
        sim_result r;
        if (!coll_run_fits(&t))
            continue;
        t.path = pieces ? &path : NULL;
        r = coll_run_do(t);
        if (pieces)
            check_pipeline(&t, &r, &path);
        else
            check_model(&t, &r);
        check_copies(&t, &r);
    }
}

/* Of a family the collective with blocks of equal length. */
static coll_kind regular_of(const algo *a)
{
    int kind = 0;

    while (!algo_serves(a, (coll_kind)kind) || coll_is_v((coll_kind)kind))
        kind++;
    return (coll_kind)kind;
}

static void models_say_what_schedules_do(void **state)
{
    (void)state;
    for (int i = 0; i < algo_count; i++)
        for (int p = 1; p <= 128; p += p < 32 ? 1 : 16)
            if (algo_table[i]->cost && !algo_table[i]->regional)
                run_all_ways(algo_table[i], regular_of(algo_table[i]), p);
}

/* ---- the papers' counts, exactly ---- */

static int ceil_log(int p)
{
    int q = 0;

    while (1 << q < p)
        q++;
    return q;
}

/* The depth of a binomial tree. */
static int depth(int p)
{
    int most = 0;

    for (int r = 0; r < p; r++) {
        int ones = 0;
        for (int bit = 1; bit <= r; bit *= 2)
            ones += (r & bit) != 0;
        most = ones > most ? ones : most;
    }
    return most;
}

/* Members of the largest subtree of a binomial tree's root. */
static int largest_subtree(int p)
{
    int most = 0;

    for (int child = 1; child < p; child *= 2) {
        int size = child < p - child ? child : p - child;
        most = size > most ? size : most;
    }
    return most;
}

/* What a rank sends in a circulant reduce-scatter, and with `back` in the allgather over the same
 * skips: a range of items that goes over the end of the vector takes two messages. Only the first
 * `rounds` rounds are split. */
static int circulant_sent(int p, int me, int rounds, bool back)
{
    int sent = 0;

    for (int above = p, k = 0; above > 1; above = (above + 1) / 2, k++) {
        int skip = (above + 1) / 2, n = above - skip, first = (me + skip) % p;
        sent += k < rounds && first + n > p ? 2 : 1;
        if (back)
            sent += me + n > p ? 2 : 1;
    }
    return sent;
}

/* The most of one rank; all but the root send one more. No root: -1. */
static int circulant_messages(int p, int rounds, bool back, int root)
{
    int most = 0;

    for (int me = 0; me < p; me++) {
        int sent = circulant_sent(p, me, rounds, back) + (root >= 0 && me != root);
        most = sent > most ? sent : most;
    }
    return most;
}

/* The longest path, at most; of one rank the most messages; the most and the fewest items, in p-ths
 * of the vector. */
typedef struct numbers {
    int path, messages, most, least;
} numbers;

static sim_result run_one(coll_kind kind, const char *name, int p, int count, int root)
{
    int i = algo_find(kind, name);

    assert_int_not_equal(i, ALGO_NONE);
    return coll_run_do((coll_run){.a = algo_table[i],
                                  .kind = kind,
                                  .p = p,
                                  .count = count,
                                  .root = root,
                                  .sends = SIM_MIXED,
                                  .seed = (uint64_t)p});
}

static void check_root(coll_kind kind, const char *name, int p, int root, numbers n)
{
    bool power = (p & (p - 1)) == 0;
    sim_result r = run_one(kind, name, p, p, root);

    if (r.critical_path > n.path || (power && r.critical_path < n.path) ||
        r.max_messages != n.messages || r.max_sent != n.most || r.min_sent != n.least)
        fail_msg("%s %s p %d root %d: path %d messages %d items %lld to %lld", coll_kind_name(kind),
                 name, p, root, r.critical_path, r.max_messages, (long long)r.min_sent,
                 (long long)r.max_sent);
}

static void check_numbers(coll_kind kind, const char *name, int p, numbers n)
{
    for (int root = 0; root < (coll_has(kind, COLL_ROOTED) ? p : 1); root++)
        check_root(kind, name, p, root, n);
}

static void new_collectives_have_the_numbers_of_the_table(void **state)
{
    (void)state;
    for (int p = 2; p <= 40; p++) {
        int q = ceil_log(p), odd = (p & (p - 1)) != 0;

        check_numbers(COLL_barrier, "dissemination", p, (numbers){q, q, 0, 0});
        check_numbers(COLL_bcast, "binomial", p, (numbers){depth(p), q, q * p, 0});
        check_numbers(COLL_allreduce, "ring", p,
                      (numbers){2 * (p - 1), 2 * (p - 1), 2 * (p - 1), 2 * (p - 1)});
        check_numbers(
            COLL_allreduce, "circulant", p,
            (numbers){2 * q, circulant_messages(p, q, true, -1), 2 * (p - 1), 2 * (p - 1)});
        check_numbers(COLL_allreduce, "recursive_doubling", p,
                      (numbers){q + odd, q, q * p, odd ? p : q * p});
        if (odd)
            continue;
        check_numbers(COLL_allreduce, "rabenseifner", p,
                      (numbers){2 * q, 2 * q, 2 * (p - 1), 2 * (p - 1)});
        check_numbers(COLL_allreduce, "bine", p, (numbers){2 * q, 2 * q, 2 * (p - 1), 2 * (p - 1)});
        check_numbers(COLL_bcast, "bine", p, (numbers){q, q, q * p, 0});
    }
}

static void rooted_and_reducing_ones_have_theirs(void **state)
{
    (void)state;
    for (int p = 2; p <= 40; p++) {
        int q = ceil_log(p), tree = largest_subtree(p), all = (p - 1) * p;

        check_numbers(COLL_gather, "linear", p, (numbers){1, 1, p, 0});
        check_numbers(COLL_gather, "binomial", p, (numbers){depth(p), 1, tree * p, 0});
        check_numbers(COLL_scatter, "linear", p, (numbers){1, p - 1, all, 0});
        check_numbers(COLL_scatter, "binomial", p, (numbers){depth(p), q, all, 0});
        check_numbers(COLL_reduce, "binomial", p, (numbers){depth(p), 1, p, 0});
        for (int root = 0; root < p; root++)
            check_root(COLL_reduce, "circulant", p, root,
                       (numbers){q + depth(p), circulant_messages(p, q, false, root), p - 1 + tree,
                                 p - 1});
        check_numbers(COLL_reduce_scatter_block, "circulant", p,
                      (numbers){q, circulant_messages(p, 1, false, -1), all, all});
        if ((p & (p - 1)) == 0) {
            check_numbers(COLL_reduce, "rabenseifner", p,
                          (numbers){2 * q, q + 1, p - 1 + tree, p - 1});
            check_numbers(COLL_reduce_scatter_block, "bine", p, (numbers){q, q, all, all});
        }
        check_numbers(COLL_reduce_scatter_block, "pairwise", p, (numbers){p - 1, p - 1, all, all});
        check_numbers(COLL_scan, "recursive_doubling", p, (numbers){q, q, q * p, 0});
        check_numbers(COLL_exscan, "recursive_doubling", p, (numbers){q, q, q * p, 0});
    }
}

/* A round of doubling_123 needs one reduction, but the second one two; of recursive doubling two,
 * where something is sent on. */
static void exscan_reduces_less_often_over_1_2_3_6(void **state)
{
    (void)state;
    for (int p = 8; p <= 128; p *= 2) {
        int q = ceil_log(p);
        sim_result two = run_one(COLL_exscan, "recursive_doubling", p, p, 0);
        sim_result one = run_one(COLL_exscan, "doubling_123", p, p, 0);

        assert_between(one.max_messages, q, q + 1);
        assert_true(one.reduced < two.reduced);
        assert_true(p < 64 || 4 * one.reduced < 3 * two.reduced);
    }
}

/* Sums are received where they are to be: nothing is copied but a scan's first vector. */
static void sums_need_no_copy(void **state)
{
    (void)state;
    for (int p = 2; p <= 40; p++) {
        assert_int_equal(run_one(COLL_scan, "recursive_doubling", p, 10, 0).copied, 10);
        assert_int_equal(run_one(COLL_allreduce, "recursive_doubling", p, 10, 0).copied, 0);
    }
}

static void a_thousand_ranks_take_few_steps(void **state)
{
    (void)state;
    assert_int_equal(run_one(COLL_allreduce, "rabenseifner", 1000, 1000, 0).critical_path,
                     2 * 9 + 2);
    assert_int_equal(run_one(COLL_allreduce, "bine", 1024, 1024, 0).critical_path, 2 * 10);
    assert_int_equal(run_one(COLL_allgather, "bine", 1024, 1, 0).critical_path, 10);
    assert_int_equal(run_one(COLL_bcast, "bine", 1024, 1, 700).critical_path, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_say_what_schedules_do),
        cmocka_unit_test(new_collectives_have_the_numbers_of_the_table),
        cmocka_unit_test(rooted_and_reducing_ones_have_theirs),
        cmocka_unit_test(exscan_reduces_less_often_over_1_2_3_6),
        cmocka_unit_test(sums_need_no_copy),
        cmocka_unit_test(a_thousand_ranks_take_few_steps),
    };

    return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}
