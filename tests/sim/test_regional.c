/* SPDX-License-Identifier: BSD-3-Clause */
/* test_regional.c - algorithms that look at the topology: the numbers of the papers, counted from
 * what was executed. That they are right on machines of every shape: test_shapes.c. New orders of
 * ranks: test_reorder.c; alltoalls: test_carriers.c.
 *
 * usage: test_regional
 */
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- the numbers of locality-aware Bruck ---- */

/* Example 2.1 and Figure 6 of the paper. */
static void the_papers_examples_have_its_numbers(void **state)
{
    static traffic f;
    topo *t = machine("node:4", 16);
    sim_result flat;

    (void)state;
    gather("locality_bruck", FORM_STEP, 0, t, "node:4", &f);
    assert_int_equal(most_messages(&f), 1);
    assert_int_equal(most_blocks(&f), 4);
    flat = gather("bruck", FORM_STEP, 0, t, "node:4", &f);
    assert_int_equal(most_messages(&f), 4); /* of rank 0 */
    assert_int_equal(flat.max_sent / f.count, 15);
    topo_free(t);
    t = machine("node:4", 64);
    gather("locality_bruck", FORM_STEP, 0, t, "node:4", &f);
    assert_int_equal(most_messages(&f), 2);
    topo_free(t);
}

/* q^k regions of q: k messages and m / q blocks, wherever the ranks are. */
static void check_table(int q, int k, const char *order)
{
    static traffic f;
    char shape[40];
    int regions = 1;
    topo *t;

    for (int i = 0; i < k; i++)
        regions *= q;
    snprintf(shape, sizeof shape, "node:%d%s", q, order);
    t = machine(shape, q * regions);
    gather("locality_bruck", FORM_STEP, 0, t, shape, &f);
    assert_int_equal(most_messages(&f), k);
    assert_int_equal(most_blocks(&f), regions);
    topo_free(t);
}

static void equal_regions_send_log_q_messages_and_the_qth_part(void **state)
{
    (void)state;
    for (int q = 2; q <= 16; q++)
        for (int k = 1, p = q * q; p <= MACHINE_MOST; k++, p *= q) {
            check_table(q, k, "");
            check_table(q, k, "@cyclic");
        }
}

static int ceil_log(int n, int base)
{
    int k = 0;

    for (int64_t power = 1; power < n; power *= base)
        k++;
    return k;
}

/* Messages: ceil(log_K R) * ceil((K - 1) / s), s the smallest region, K = max(2, s). */
static void check_locality(const topo *t, const char *shape)
{
    static traffic f;
    int level = topo_regions(t), s, k;

    if (level == t->nlevels)
        return;
    s = t->level[level].least;
    k = s > 2 ? s : 2;
    gather("locality_bruck", FORM_STEP, 0, t, shape, &f);
    assert_true(most_messages(&f) <= ceil_log(t->level[level].n, k) * ((k - 1 + s - 1) / s));
    for (int i = 0; i < t->level[level].n; i++) /* every foreign block comes in once */
        assert_int_equal(f.in[i], t->p - (t->level[level].first[i + 1] - t->level[level].first[i]));
}

/* Every foreign block enters a node once; so p - size leave it where nodes are equal, and on
 * average where they are not. */
static void check_nodes(const char *name, coll_form form, int variant, const topo *t,
                        const char *shape)
{
    static traffic f;
    int level = topo_regions(t);
    const topo_level *l = &t->level[level];
    int64_t out = 0, foreign = 0;

    if (level == t->nlevels)
        return;
    gather(name, form, variant, t, shape, &f);
    for (int i = 0; i < l->n; i++) {
        int size = l->first[i + 1] - l->first[i];
        assert_int_equal(f.in[i], t->p - size);
        if (l->least == l->most)
            assert_int_equal(f.out[i], t->p - size);
        out += f.out[i];
        foreign += t->p - size;
    }
    assert_int_equal(out, foreign);
}

static void nodes_get_every_block_once_on_random_machines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t random = seed;
        char shape[40];
        topo *t = random_machine(2 + draw(&random, 63), &random);

        snprintf(shape, sizeof shape, "random machine %d", (int)seed);
        check_locality(t, shape);
        for (int form = 0; form < 2; form++) {
            for (int variant = 0; variant < 4; variant++)
                check_nodes("lane", (coll_form)form, variant, t, shape);
            for (int variant = 0; variant < 2; variant++) {
                check_nodes("hierarchical", (coll_form)form, variant, t, shape);
                check_nodes("reorder_hierarchical", (coll_form)form, variant, t, shape);
            }
        }
        topo_free(t);
    }
}

/* Messages between packages of a node. */
static void count_packages(void *context, int from, int to, int64_t size)
{
    traffic *f = context;
    const int *node = f->t->level[0].region, *package = f->t->level[1].region;

    (void)size;
    f->far_messages[from] += node[from] == node[to] && package[from] != package[to];
}

/* 8 nodes of 2 packages of 4: all nodes are known after one round; before and after it the packages
 * of a node exchange what they have, by one message each. Bruck inside nodes would send from every
 * rank. */
static void finer_levels_are_regions_too(void **state)
{
    static traffic f;
    topo *t = machine("node:8@cyclic package:2", 64);
    int sum = 0;

    (void)state;
    f = (traffic){.t = t, .count = 1};
    coll_run_do((coll_run){.a = find(COLL_allgather, "locality_bruck"),
                           .kind = COLL_allgather,
                           .p = 64,
                           .count = 1,
                           .topo = t,
                           .traffic = count_packages,
                           .context = &f});
    for (int r = 0; r < 64; r++)
        sum += f.far_messages[r];
    assert_int_equal(sum, 8 * 2 * 2);
    topo_free(t);
}

/* Two nodes of 8: the leader's messages and the longest chain, over binomial trees of depth 3 and
 * over linear ones, with one message between the leaders. */
static void trees_inside_nodes_are_those_of_the_variant(void **state)
{
    static traffic f;
    topo *t = machine("node:8", 16);
    sim_result r = gather("hierarchical", FORM_STEP, 0, t, "node:8", &f);

    (void)state;
    assert_int_equal(r.max_messages, 1 + 3);
    assert_int_equal(r.critical_path, 3 + 1 + 3);
    r = gather("hierarchical", FORM_STEP, 1, t, "node:8", &f);
    assert_int_equal(r.max_messages, 1 + 7);
    assert_int_equal(r.critical_path, 1 + 1 + 1);
    topo_free(t);
}

/* A lane's first message need not wait for the copy of the own block, whatever its items are lists
 * of. */
static void the_own_block_leaves_at_once(void **state)
{
    topo *t = machine("node:4@cyclic", 16);
    coll c = {.kind = COLL_allgather, .p = 16, .rank = 5, .send.count = 1, .recv.count = 1};
    sched *s = NULL;
    bool found = false;

    (void)state;
    assert_int_equal(algo_compile(find(COLL_allgather, "lane"), FORM_STEP, &c, t, &s), SCHED_OK);
    for (int k = 0; k < s->nready; k++) {
        const step *st = &s->steps[s->ready[k]];
        found |= st->kind == STEP_SEND && s->list[st->first].space == SPACE_SEND;
    }
    assert_true(found);
    sched_free(s);
    topo_free(t);
}

/* ---- lanes ---- */

static void equal_nodes_send_n_minus_one_blocks_on_every_lane(void **state)
{
    static traffic f;

    (void)state;
    for (int nodes = 2; nodes <= 9; nodes++)
        for (int q = 2; q <= 8; q++)
            for (int form = 0; form < 2; form++)
                for (int variant = 0; variant < 4; variant++) {
                    char shape[40];
                    snprintf(shape, sizeof shape, "node:%d%s", q, variant % 2 ? "@cyclic" : "");
                    topo *t = machine(shape, nodes * q);
                    sim_result r = gather("lane", (coll_form)form, variant, t, shape, &f);
                    for (int k = 0; k < t->p; k++)
                        assert_int_equal(f.far_blocks[k], nodes - 1);
                    assert_int_equal(r.max_sent, (t->p - 1) * f.count);
                    assert_int_equal(r.min_sent, r.max_sent);
                    if (form == FORM_STEP && variant == 0)
                        assert_true(r.critical_path <= ceil_log(nodes, 2) + ceil_log(q, 2));
                    topo_free(t);
                }
}

/* Without a topology, and where nothing can be gained, the same messages as the base. */
static void one_place_needs_no_other_algorithm(void **state)
{
    static traffic f;
    topo *t = machine("none", 24);

    (void)state;
    assert_int_equal(gather("locality_bruck", FORM_STEP, 0, t, "none", &f).max_messages, 5);
    assert_int_equal(gather("lane", FORM_STEP, 1, t, "none", &f).max_messages, 23);
    assert_int_equal(gather("hierarchical", FORM_STEP, 0, t, "none", &f).max_messages, 5);
    assert_int_equal(gather("reorder_bruck", FORM_STEP, 0, t, "none", &f).max_messages, 5);
    topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_examples_have_its_numbers),
        cmocka_unit_test(equal_regions_send_log_q_messages_and_the_qth_part),
        cmocka_unit_test(nodes_get_every_block_once_on_random_machines),
        cmocka_unit_test(the_own_block_leaves_at_once),
        cmocka_unit_test(finer_levels_are_regions_too),
        cmocka_unit_test(trees_inside_nodes_are_those_of_the_variant),
        cmocka_unit_test(equal_nodes_send_n_minus_one_blocks_on_every_lane),
        cmocka_unit_test(one_place_needs_no_other_algorithm),
    };

    return cmocka_run_group_tests_name("regional", tests, NULL, NULL);
}
