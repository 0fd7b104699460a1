/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pipelines.c - algorithms that send a vector piece by piece: rounds, counted with one message
 * at a time on each port of a rank, and who sends and receives how much; the schedules of
 * circulant.h by the conditions that make them right; and the shape of the trees of two_tree.h.
 *
 * usage: test_pipelines
 */
#include "algos/circulant.h"
#include "algos/two_tree.h"
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- circulant.h ---- */

typedef struct blocks {
    int receive[CIRCULANT_ROUNDS], send[CIRCULANT_ROUNDS];
} blocks;

/* Blocks of the time before are negative; their number modulo q is that of the blocks q higher. A
 * rank receives one of each kind in q rounds, and one new one; returns that, or -1. */
static int new_block(const int *receive, int q)
{
    unsigned kinds = 0;
    int base = -1;

    for (int k = 0; k < q; k++) {
        if (receive[k] < -q || receive[k] >= q || (base >= 0 && receive[k] >= 0))
            return -1;
        if (receive[k] >= 0)
            base = receive[k];
        kinds |= 1U << (receive[k] + q) % q;
    }
    return kinds == (1U << q) - 1 ? base : -1;
}

/* What it sends in round k it has: from a round before, or its new block of the time before. */
static bool has_before(const blocks *b, int k, int base, int q)
{
    bool has = b->send[k] == base - q;

    for (int i = 0; i < k; i++)
        has = has || b->receive[i] == b->send[k];
    return has;
}

/* The four conditions of the paper. The root has everything, and is sent nothing. */
static void check_blocks(int p)
{
    circulant c = circulant_make(p);
    blocks *of = malloc((size_t)p * sizeof *of);
    int q = c.rounds;

    assert_non_null(of);
    for (int v = 0; v < p; v++)
        circulant_blocks(&c, v, of[v].receive, of[v].send);
    for (int v = 0; v < p; v++) {
        int base = v > 0 ? new_block(of[v].receive, q) : 0;

        if (base < 0)
            fail_msg("p %d rank %d does not receive all blocks", p, v);
        for (int k = 0; k < q; k++) {
            int to = (v + c.skip[k]) % p;
            if (of[v].send[k] != of[to].receive[k])
                fail_msg("p %d round %d: %d sends another block than %d receives", p, k, v, to);
            if (v == 0 ? of[v].send[k] != k : to && !has_before(&of[v], k, base, q))
                fail_msg("p %d round %d: %d has not what it sends", p, k, v);
        }
    }
    free(of);
}

static void circulant_schedules_fulfil_the_conditions_of_the_paper(void **state)
{
    (void)state;
    for (int p = 2; p <= 1500; p++)
        check_blocks(p);
    for (int power = 2048; power <= 32768; power *= 2)
        for (int p = power - 1; p <= power + 1; p++)
            check_blocks(p);
    check_blocks(50021);
}

/* ---- two_tree.h ---- */

static int ceil_log(int p)
{
    int q = 0;

    while (1 << q < p)
        q++;
    return q;
}

/* A subtree holds the members low to high: so it is in order, and none is missing. */
static void check_subtree(int tree, int first, int last, int root, int low, int high, int depth)
{
    two_tree_node t = two_tree_find(tree, first, last, root);

    assert_true(root >= low && root <= high);
    assert_true((t.left >= 0) == (root > low) && (t.right >= 0) == (root < high));
    assert_true(depth <= ceil_log(last - first + 2));
    if (t.left >= 0) {
        assert_int_equal(two_tree_find(tree, first, last, t.left).parent, root);
        check_subtree(tree, first, last, t.left, low, root - 1, depth + 1);
    }
    if (t.right >= 0) {
        assert_int_equal(two_tree_find(tree, first, last, t.right).parent, root);
        check_subtree(tree, first, last, t.right, root + 1, high, depth + 1);
    }
}

static int root_of(int tree, int first, int last)
{
    int member = first;

    while (two_tree_find(tree, first, last, member).parent != first - 1)
        member++;
    return member;
}

static bool is_inside(int tree, int first, int last, int member)
{
    two_tree_node t = two_tree_find(tree, first, last, member);

    return t.left >= 0 || t.right >= 0;
}

static void members_are_inside_one_of_two_trees_in_order(void **state)
{
    (void)state;
    for (int last = 0; last <= 700; last++)
        for (int first = 0; first <= 1 && first <= last; first++) {
            for (int tree = 0; tree < 2; tree++)
                check_subtree(tree, first, last, root_of(tree, first, last), first, last, 0);
            for (int i = first; i <= last && first < last; i++)
                assert_int_equal(is_inside(0, first, last, i) + is_inside(1, first, last, i), 1);
        }
    for (int tree = 0; tree < 2; tree++) {
        assert_int_equal(two_tree_find(tree, 1, 700, 0).right, root_of(tree, 1, 700));
        assert_false(is_inside(tree, 1, 0, 0));
    }
}

/* ---- rounds and volume ---- */

typedef struct flow {
    int64_t in[MACHINE_MOST], out[MACHINE_MOST];
    int messages[MACHINE_MOST]; /* that come */
} flow;

static void count_flow(void *context, int from, int to, int64_t size)
{
    flow *f = context;

    f->in[to] += size;
    f->out[from] += size;
    f->messages[to]++;
}

/* Two items a piece. */
static sim_result run_pieces(coll_kind kind, const char *name, int p, int pieces, int root, flow *f,
                             critical_path *path)
{
    *f = (flow){.in = {0}};
    return coll_run_do((coll_run){.a = find(kind, name),
                                  .kind = kind,
                                  .p = p,
                                  .count = 2 * pieces,
                                  .root = root,
                                  .parameter = pieces,
                                  .sends = SIM_MIXED,
                                  .seed = (uint64_t)(p + pieces),
                                  .traffic = count_flow,
                                  .context = f,
                                  .path = path});
}

/* So many rounds, and everybody but the root receives every piece once. */
static void check_bcast(const char *name, int p, int pieces, int root, int rounds, int most)
{
    static flow f;
    critical_path path;
    sim_result r = run_pieces(COLL_bcast, name, p, pieces, root, &f, &path);

    if (path.on_ports != rounds || r.max_messages != most)
        fail_msg("%s:%d p %d root %d: %d rounds, %d messages", name, pieces, p, root,
                 (int)path.on_ports, r.max_messages);
    for (int i = 0; i < p; i++) {
        assert_int_equal(f.messages[i], i == root ? 0 : pieces);
        assert_int_equal(f.in[i], i == root ? 0 : 2 * pieces);
    }
}

static void check_both(int p, int pieces, int root)
{
    int rounds = pieces - 1 + ceil_log(p);

    check_bcast("chain", p, pieces, root, pieces + p - 2, pieces);
    check_bcast("circulant", p, pieces, root, rounds, rounds);
}

static void pieces_of_a_bcast_take_the_rounds_of_the_papers(void **state)
{
    (void)state;
    for (int p = 2; p <= 16; p++)
        for (int pieces = 1; pieces <= 12; pieces++)
            for (int root = 0; root < p; root++)
                check_both(p, pieces, root);
    for (int p = 17; p <= 70; p++)
        for (int pieces = 1; pieces <= 70; pieces += 1 + pieces / 3)
            check_both(p, pieces, p / 3);
    check_both(255, 100, 254);
    check_bcast("circulant", 1000, 20, 999, 29, 29);
    check_bcast("circulant", 1024, 3, 1, 12, 12);
}

/* 4 L - 3 rounds for the first piece and 3 for each other one, where both trees are full. */
static void full_trees_take_three_rounds_for_every_piece(void **state)
{
    static flow f;
    critical_path path;

    (void)state;
    for (int levels = 2, p = 6; p <= 254; levels++, p = 2 * p + 2)
        for (int pieces = 1; pieces <= 40; pieces += 1 + pieces / 2) {
            sim_result r = run_pieces(COLL_allreduce, "dual_root", p, pieces, 0, &f, &path);
            assert_int_equal(path.on_ports, 4 * levels - 3 + 3 * (pieces - 1));
            assert_int_equal(r.max_messages, 3 * pieces);
            assert_int_equal(r.max_sent, 3 * 2 * pieces);
            assert_int_equal(r.copied, 0);
        }
}

/* A tree has p - 2 edges, and the roots one, in both directions. */
static void a_dual_root_sends_every_piece_once_over_every_edge(void **state)
{
    static flow f;
    critical_path path;

    (void)state;
    for (int p = 2; p <= 1000; p += p < 70 ? 1 : 310) {
        const int pieces = 5;
        int64_t sum = 0;
        const algo *a = find(COLL_allreduce, "dual_root");

        run_pieces(COLL_allreduce, "dual_root", p, pieces, 0, &f, &path);
        for (int i = 0; i < p; i++)
            sum += f.in[i];
        assert_int_equal(sum, 2 * (p - 1) * 2 * pieces);
        assert_int_equal(path.on_ports, (int)a->cost(p, pieces).messages);
    }
}

/* Nobody receives or sends more than so many vectors, and a piece where their number is odd.
 * Without lock step it may take so many rounds more than the model says. */
static void check_two_tree(coll_kind kind, int p, int pieces, int root, int vectors, int64_t late)
{
    static flow f;
    critical_path path;
    sim_result r = run_pieces(kind, "two_tree", p, pieces, root, &f, &path);
    int64_t model = (int64_t)find(kind, "two_tree")->cost(p, pieces).messages;
    int most = 2 * (vectors * pieces + pieces % 2), hops = ceil_log(p) + 1;

    if (path.on_ports > model + late)
        fail_msg("two_tree:%d p %d root %d: %d rounds", pieces, p, root, (int)path.on_ports);
    assert_true(r.max_sent <= most && r.max_received <= most);
    assert_true(r.critical_path <= vectors * hops);
    assert_int_equal(r.copied, 0);
    assert_int_equal(r.sent, (int64_t)vectors * (p - 1) * 2 * pieces);
    for (int i = 0; i < p && kind != COLL_allreduce; i++)
        assert_int_equal((kind == COLL_bcast ? f.in : f.out)[i], i == root ? 0 : 2 * pieces);
}

static void two_trees_carry_a_half_each(void **state)
{
    (void)state;
    for (int p = 2; p <= 140; p += 1 + p / 8)
        for (int pieces = 1; pieces <= 64; pieces += 1 + pieces / 3) {
            check_two_tree(COLL_bcast, p, pieces, p / 3, 1, 2 + pieces / 2);
            check_two_tree(COLL_reduce, p, pieces, p / 3, 1, 2 + 3 * pieces);
            check_two_tree(COLL_allreduce, p, pieces, 0, 2, 2 + 3 * pieces);
        }
}

/* Rank 0 has the result first, if the root has ranks on both sides. */
static void an_ordered_reduction_takes_one_message_more_to_a_root_inside(void **state)
{
    (void)state;
    for (int p = 2; p <= 40; p++)
        for (int root = 0; root < p; root++) {
            sim_result r = coll_run_do((coll_run){.a = find(COLL_reduce, "two_tree"),
                                                  .kind = COLL_reduce,
                                                  .p = p,
                                                  .count = 10,
                                                  .root = root,
                                                  .parameter = 5,
                                                  .noncommutative = true,
                                                  .seed = (uint64_t)p});
            assert_int_equal(r.sent, (p - (root == 0)) * 10);
            assert_true(r.critical_path <= ceil_log(p) + 1 + (root > 0));
        }
}

static void there_may_be_more_pieces_than_ranks(void **state)
{
    const algo *a = find(COLL_bcast, "chain");

    (void)state;
    assert_int_equal(algo_parameter_for(a, 0, 3), 32);
    assert_int_equal(algo_parameter_for(a, 1, 64), 1);
    assert_int_equal(algo_parameter_for(a, 1000, 3), 1000);
    assert_int_equal(algo_parameter_for(a, 1 << 30, 3), PIECES_MOST);
    assert_int_equal(algo_parameter_for(a, -1, 3), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circulant_schedules_fulfil_the_conditions_of_the_paper),
        cmocka_unit_test(pieces_of_a_bcast_take_the_rounds_of_the_papers),
        cmocka_unit_test(full_trees_take_three_rounds_for_every_piece),
        cmocka_unit_test(a_dual_root_sends_every_piece_once_over_every_edge),
        cmocka_unit_test(members_are_inside_one_of_two_trees_in_order),
        cmocka_unit_test(two_trees_carry_a_half_each),
        cmocka_unit_test(an_ordered_reduction_takes_one_message_more_to_a_root_inside),
        cmocka_unit_test(there_may_be_more_pieces_than_ranks),
    };

    return cmocka_run_group_tests_name("pipelines", tests, NULL, NULL);
}
