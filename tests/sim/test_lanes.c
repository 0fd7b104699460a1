/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lanes.c - lane and hierarchical forms of all collectives: what leaves and enters nodes, and
 * who sends it, counted from what was executed, on the ten shapes and on machines that nobody would
 * build; the numbers of the multi-lane paper. That they are right: test_shapes.c; how far
 * they cut vectors: test_pieces.c. Of allgather: test_regional.c; of alltoall: test_carriers.c.
 *
 * usage: test_lanes [--all]
 */
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static bool all;

static const char *const shapes[] = {
    "node:4",
    "node:4@cyclic",
    "node:5 package:2",
    "node:2,6",
    "node:4,1,3@cyclic package:2",
    "node:8 package:2@cyclic numa:2 l3:2",
    "node:3",
    "node:1,7 package:3",
    "switch:2 node:3,2@cyclic package:2 core:2",
    "node:16",
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A run on a machine: the machine's nodes, and what crossed them. */
typedef struct nodes_run {
    const char *form; /* "lane", "hierarchical" */
    const topo *t;
    const topo_level *nodes;
    coll_run run;
    traffic *f;
    int root_node;
    int items; /* of the vector; of a block for blocks of ranks */
} nodes_run;

static int size_of(const nodes_run *x, int node)
{
    return x->nodes->first[node + 1] - x->nodes->first[node];
}

static int lanes_of(const nodes_run *x)
{
    return strcmp(x->form, "lane") == 0 ? x->nodes->least : 1;
}

static bool is_consecutive(const topo_level *l, int p)
{
    for (int r = 0; r < p; r++)
        if (topo_member(l, r) != r)
            return false;
    return true;
}

/* Messages of an exscan among n: everybody to the one at distance 1, 2, 4, ... */
static int64_t doubling_messages(int n)
{
    int64_t sum = 0;

    for (int d = 1; d < n; d *= 2)
        sum += n - d;
    return sum;
}

/* ---- what each collective promises, in items; -1: see elsewhere ---- */

static int64_t everything_enters_once(const nodes_run *x, int node, bool out)
{
    return out ? -1 : node == x->root_node ? 0 : x->items;
}

static int64_t everything_leaves_once(const nodes_run *x, int node, bool out)
{
    return !out ? -1 : node == x->root_node ? 0 : x->items;
}

static int64_t blocks_leave_once(const nodes_run *x, int node, bool out)
{
    bool root = node == x->root_node;

    if (out)
        return root ? 0 : (int64_t)size_of(x, node) * x->items;
    return root ? (int64_t)(x->t->p - size_of(x, node)) * x->items : 0;
}

static int64_t blocks_enter_once(const nodes_run *x, int node, bool out)
{
    return blocks_leave_once(x, node, !out);
}

/* Two times (N-1)/N, in and out. */
static int64_t reduced_and_gathered(const nodes_run *x, int node, bool out)
{
    (void)node, (void)out;
    return 2 * (int64_t)x->items / x->nodes->n * (x->nodes->n - 1);
}

static int64_t blocks_of_others(const nodes_run *x, int node, bool out)
{
    return out ? (int64_t)(x->t->p - size_of(x, node)) * x->items : -1;
}

/* In all, not for each node. */
static int64_t prefixes(const nodes_run *x, int node, bool out)
{
    (void)x, (void)node, (void)out;
    return -1;
}

/* Messages between nodes on each lane, in the form `step`. */
static int64_t one_for_each_node(int nodes)
{
    return nodes - 1;
}

typedef struct promise {
    coll_kind kind;
    const char *form, *variant;
    int64_t (*items)(const nodes_run *x, int node, bool out);
    int64_t (*messages)(int nodes); /* NULL: not looked at */
    bool in_order;                  /* only nodes of ranks that follow one another are looked at */
} promise;

static const promise promises[] = {
    {COLL_bcast, "lane", "circulant", everything_enters_once, NULL, false},
    {COLL_bcast, "lane", "chain", everything_enters_once, NULL, false},
    {COLL_bcast, "lane", "two_tree", everything_enters_once, NULL, false},
    {COLL_bcast, "lane", "binomial", everything_enters_once, one_for_each_node, false},
    {COLL_bcast, "hierarchical", "binomial", everything_enters_once, one_for_each_node, false},
    {COLL_bcast, "hierarchical", "circulant", everything_enters_once, NULL, false},
    {COLL_bcast, "hierarchical", "two_tree", everything_enters_once, NULL, false},
    {COLL_reduce, "lane", "chain", everything_leaves_once, NULL, false},
    {COLL_reduce, "lane", "binomial", everything_leaves_once, one_for_each_node, false},
    {COLL_reduce, "hierarchical", "binomial", everything_leaves_once, one_for_each_node, false},
    {COLL_reduce, "hierarchical", "chain", everything_leaves_once, NULL, false},
    {COLL_reduce, "hierarchical", "two_tree", everything_leaves_once, NULL, false},
    {COLL_allreduce, "lane", "circulant", reduced_and_gathered, NULL, false},
    {COLL_allreduce, "lane", "ring", reduced_and_gathered, NULL, false},
    {COLL_allreduce, "hierarchical", "circulant", reduced_and_gathered, NULL, false},
    {COLL_allreduce, "hierarchical", "ring", reduced_and_gathered, NULL, false},
    {COLL_gather, "lane", "linear", blocks_leave_once, one_for_each_node, false},
    {COLL_gather, "hierarchical", "linear", blocks_leave_once, one_for_each_node, false},
    {COLL_scatter, "lane", "linear", blocks_enter_once, one_for_each_node, false},
    {COLL_scatter, "hierarchical", "linear", blocks_enter_once, one_for_each_node, false},
    {COLL_reduce_scatter_block, "lane", "circulant", blocks_of_others, NULL, false},
    {COLL_reduce_scatter_block, "lane", "pairwise", blocks_of_others, NULL, false},
    {COLL_reduce_scatter_block, "hierarchical", "circulant", blocks_of_others, NULL, false},
    {COLL_scan, "lane", "recursive_doubling", prefixes, doubling_messages, true},
    {COLL_scan, "hierarchical", "recursive_doubling", prefixes, doubling_messages, true},
    {COLL_exscan, "lane", "recursive_doubling", prefixes, doubling_messages, true},
    {COLL_exscan, "hierarchical", "recursive_doubling", prefixes, doubling_messages, true},
};

enum { PROMISES = sizeof promises / sizeof *promises };

/* ---- check one run ---- */

static void expect(const nodes_run *x, const char *what, int64_t is, int64_t promised)
{
    char text[200];

    if (is == promised)
        return;
    snprintf(text, sizeof text, "%s: %lld, promised are %lld", what, (long long)is,
             (long long)promised);
    coll_run_fail(&x->run, text);
}

/* At most one rank for each lane sends to other nodes, and one receives. */
static void check_senders(const nodes_run *x)
{
    for (int k = 0; k < x->nodes->n; k++) {
        int senders = 0;
        for (int i = x->nodes->first[k]; i < x->nodes->first[k + 1]; i++)
            senders += x->f->far_messages[topo_member(x->nodes, i)] > 0;
        if (senders > lanes_of(x))
            coll_run_fail(&x->run, "more ranks than lanes send to other nodes");
    }
}

static void check_messages(const nodes_run *x, const promise *is)
{
    int64_t sum = 0;

    for (int r = 0; r < x->t->p; r++)
        sum += x->f->far_messages[r];
    if (is->messages && x->run.form == FORM_STEP)
        expect(x, "messages between nodes", sum, lanes_of(x) * is->messages(x->nodes->n));
}

static void check_promise(const nodes_run *x, const promise *is)
{
    int64_t sum = 0;

    for (int k = 0; k < x->nodes->n; k++) {
        int64_t out = is->items(x, k, true), in = is->items(x, k, false);
        if (out >= 0)
            expect(x, "items out of a node", x->f->out[k], out);
        if (in >= 0)
            expect(x, "items into a node", x->f->in[k], in);
        sum += x->f->out[k];
    }
    if (is->items == prefixes)
        expect(x, "items between nodes", sum, doubling_messages(x->nodes->n) * x->items);
    check_messages(x, is);
    check_senders(x);
}

/* ---- run it ---- */

static int variant_of(const algo *a, const char *name)
{
    int i = algo_variant(a, name);

    assert_true(i >= 0);
    return i;
}

static void run_promise(const promise *is, const topo *t, const char *shape, coll_form form, int n)
{
    static traffic f;
    int level = topo_regions(t);
    nodes_run x = {.form = is->form, .t = t, .f = &f};
    const algo *a = find(is->kind, is->form);
    coll_run *r = &x.run;

    if (level == t->nlevels || (is->in_order && !is_consecutive(&t->level[level], t->p)))
        return;
    x.nodes = &t->level[level];
    x.items = coll_is_vector(is->kind) ? 12 * lanes_of(&x) * x.nodes->n : 3;
    f = (traffic){.t = t, .count = 1};
    *r = (coll_run){.a = a,
                    .kind = is->kind,
                    .form = form,
                    .p = t->p,
                    .count = x.items,
                    .root = n % t->p,
                    .variant = variant_of(a, is->variant),
                    .parameter = algo_parameter_for(a, a->parameter.name ? 1 + n % 3 : 0, t->p),
                    .topo = t,
                    .shape = shape,
                    .sends = SIM_MIXED,
                    .seed = (uint64_t)n,
                    .traffic = count_message,
                    .context = &f};
    x.root_node = x.nodes->region[r->root];
    coll_run_do(*r);
    check_promise(&x, is);
}

static void nodes_are_crossed_as_promised_on_the_ten_shapes(void **state)
{
    (void)state;
    for (int i = 0; i < PROMISES; i++)
        for (int k = 0; k < SHAPES; k++)
            for (int p = 2; p <= 33; p += all ? 1 : 5) {
                topo *t = machine(shapes[k], p);
                run_promise(&promises[i], t, shapes[k], (coll_form)((p + k) % 2), p + i);
                topo_free(t);
            }
}

static void nodes_are_crossed_as_promised_on_random_machines(void **state)
{
    (void)state;
    for (int seed = 1; seed <= (all ? 200 : 30); seed++)
        for (int i = 0; i < PROMISES; i++) {
            uint64_t random = (uint64_t)seed;
            topo *t = random_machine(2 + draw(&random, 40), &random);
            run_promise(&promises[i], t, "random machine of this seed", (coll_form)(seed % 2),
                        seed);
            topo_free(t);
        }
}

/* ---- the numbers of the paper, for N nodes of n ranks ---- */

static sim_result run_paper(coll_kind kind, const char *form, int nodes, int n, int items,
                            traffic *f)
{
    char shape[40];
    snprintf(shape, sizeof shape, "node:%d", n);
    topo *t = machine(shape, nodes * n);
    *f = (traffic){.t = t, .count = 1};
    sim_result r = coll_run_do((coll_run){.a = find(kind, form),
                                          .kind = kind,
                                          .p = nodes * n,
                                          .count = items,
                                          .parameter = 1,
                                          .topo = t,
                                          .shape = shape,
                                          .sends = SIM_MIXED,
                                          .traffic = count_message,
                                          .context = f});
    topo_free(t);
    return r;
}

static void equal_nodes_have_the_papers_numbers(void **state)
{
    static traffic f;

    (void)state;
    for (int nodes = 2; nodes <= 8; nodes++)
        for (int n = 2; n <= 8; n++) {
            int items = 2 * nodes * n;
            sim_result r = run_paper(COLL_bcast, "lane", nodes, n, items, &f);

            /* m/n over each lane; 2 m - m/n at most on a rank */
            for (int k = 1; k < nodes; k++)
                assert_int_equal(f.in[k], items);
            assert_true(r.max_received <= 2 * items - items / n);
            /* 2 m (p-1)/p in all, 2 (N-1)/N m/n over its lane, of every rank */
            r = run_paper(COLL_allreduce, "lane", nodes, n, items, &f);
            assert_int_equal(r.max_sent, 2 * (items - items / (nodes * n)));
            assert_int_equal(r.min_sent, r.max_sent);
            for (int k = 0; k < nodes * n; k++)
                assert_int_equal(f.far_blocks[k], 2 * (nodes - 1) * items / nodes / n);
            /* p - 1 blocks in all, N - 1 over its lane */
            r = run_paper(COLL_reduce_scatter_block, "lane", nodes, n, 1, &f);
            assert_int_equal(r.max_sent, nodes * n - 1);
            for (int k = 0; k < nodes * n; k++)
                assert_int_equal(f.far_blocks[k], nodes - 1);
        }
}

/* The ranks of a node share what crosses: as much on each lane. */
static void lanes_carry_equal_parts(void **state)
{
    static const coll_kind kinds[] = {COLL_bcast, COLL_reduce, COLL_allreduce, COLL_scan,
                                      COLL_exscan};
    static traffic f;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int n = 2; n <= 5; n++) {
            run_paper(kinds[i], "lane", 4, n, 8 * n, &f);
            for (int k = 0; k < 4; k++)
                for (int j = 1; j < n; j++)
                    assert_int_equal(f.far_blocks[k * n + j], f.far_blocks[k * n]);
        }
}

/* Once a rank of a node has the data, none of its other ranks gets it from outside. */
static void a_barrier_crosses_nodes_by_their_leaders(void **state)
{
    static traffic f;

    (void)state;
    for (int nodes = 2; nodes <= 9; nodes++) {
        topo *t =
            machine(nodes % 2 ? "node:3@cyclic" : "node:5 package:2", nodes * (nodes % 2 ? 3 : 5));
        f = (traffic){.t = t, .count = 1};
        coll_run_do((coll_run){.a = find(COLL_barrier, "hierarchical"),
                               .kind = COLL_barrier,
                               .p = t->p,
                               .topo = t,
                               .traffic = count_message,
                               .context = &f});
        for (int r = 0; r < t->p; r++) {
            bool leads = topo_member(&t->level[0], t->level[0].first[t->level[0].region[r]]) == r;
            assert_int_equal(f.far_messages[r], leads ? ceil_log2(nodes) : 0);
        }
        topo_free(t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_crossed_as_promised_on_the_ten_shapes),
        cmocka_unit_test(nodes_are_crossed_as_promised_on_random_machines),
        cmocka_unit_test(equal_nodes_have_the_papers_numbers),
        cmocka_unit_test(lanes_carry_equal_parts),
        cmocka_unit_test(a_barrier_crosses_nodes_by_their_leaders),
    };

    all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
