/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pieces.c - lane and hierarchical forms of vectors: into how many parts they are cut, how
 * much scratch they take, and that phases overlap where blocks travel one by one; and in what order
 * the pieces of blocks cross; and that in place none overwrites another one.
 *
 * usage: test_pieces
 */
#include "between.h"
#include "sim/coll_run.h"
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- pieces ---- */

static int parts_of(coll_kind kind, const char *form, const char *variant, coll_form blocks,
                    int pieces, bool whole)
{
    topo *t = machine("node:2", 8);
    const algo *a = find(kind, form);
    coll c = {.kind = kind,
              .p = t->p,
              .rank = 3,
              .parameter = pieces,
              .variant = algo_variant(a, variant),
              .user_op = whole,
              .send.count = 1,
              .recv.count = 1};
    sched *s = NULL;
    int parts;

    assert_int_equal(algo_compile(a, blocks, &c, t, &s), SCHED_OK);
    parts = s->parts;
    sched_free(s);
    topo_free(t);
    return parts;
}

/* Of 4 nodes of 2: into a part for each lane, and for each node if the phase between nodes asks for
 * that; and into pieces, if that is about pieces itself or if blocks travel one by one. */
static void vectors_are_cut_no_further_than_they_must_be(void **state)
{
    (void)state;
    assert_int_equal(parts_of(COLL_bcast, "lane", "binomial", FORM_STEP, 8, false), 2);
    assert_int_equal(parts_of(COLL_bcast, "lane", "binomial", FORM_BLOCK, 8, false), 2 * 8);
    assert_int_equal(parts_of(COLL_bcast, "lane", "chain", FORM_STEP, 8, false), 2 * 8);
    assert_int_equal(parts_of(COLL_bcast, "lane", "chain", FORM_BLOCK, 8, false), 2 * 8);
    assert_int_equal(parts_of(COLL_bcast, "hierarchical", "binomial", FORM_STEP, 8, false), 1);
    assert_int_equal(parts_of(COLL_bcast, "hierarchical", "circulant", FORM_BLOCK, 8, false), 8);
    assert_int_equal(parts_of(COLL_allreduce, "lane", "ring", FORM_STEP, 3, false), 2 * 4);
    assert_int_equal(parts_of(COLL_allreduce, "lane", "ring", FORM_BLOCK, 3, false), 2 * 4 * 3);
    assert_int_equal(parts_of(COLL_allreduce, "hierarchical", "ring", FORM_BLOCK, 3, false), 4 * 3);
    assert_int_equal(parts_of(COLL_allreduce, "hierarchical", "ring", FORM_BLOCK, 3, true), 1);
    assert_int_equal(parts_of(COLL_scan, "hierarchical", "doubling_123", FORM_BLOCK, 3, true), 1);
}

/* ---- memory ---- */

/* Elements of scratch of the rank that needs most, in vectors. */
static int most_scratch(coll_kind kind, coll_form form, const char *variant)
{
    topo *t = machine("node:8", 64);
    const algo *a = find(kind, "lane");
    int most = 0;

    for (int r = 0; r < t->p; r++) {
        coll c = {.kind = kind,
                  .p = t->p,
                  .rank = r,
                  .root = 5,
                  .in_place = coll_shapes[kind].send == COLL_NONE,
                  .symmetric = true,
                  .parameter = 4,
                  .variant = algo_variant(a, variant),
                  .send = {.count = 1},
                  .recv = {.count = 1}};
        sched *s = NULL;

        assert_int_equal(algo_compile(a, form, &c, t, &s), SCHED_OK);
        int vectors = (int)((s->extent[SPACE_SCRATCH] + s->parts - 1) / s->parts);
        most = vectors > most ? vectors : most;
        sched_free(s);
    }
    topo_free(t);
    return most;
}

/* What lane files say: where nothing passes nothing is kept. */
static void vectors_take_no_more_scratch_than_promised(void **state)
{
    (void)state;
    assert_int_equal(most_scratch(COLL_bcast, FORM_BLOCK, "circulant"), 0);
    assert_int_equal(most_scratch(COLL_bcast, FORM_STEP, "chain"), 1);
    assert_between(most_scratch(COLL_reduce, FORM_BLOCK, "chain"), 1, 4);
    assert_between(most_scratch(COLL_reduce, FORM_STEP, "binomial"), 1, 6);
    assert_between(most_scratch(COLL_reduce, FORM_STEP, "circulant"), 1, 7);
    assert_between(most_scratch(COLL_scan, FORM_STEP, "recursive_doubling"), 1, 9);
    assert_between(most_scratch(COLL_exscan, FORM_STEP, "recursive_doubling"), 1, 10);
}

/* ---- overlap ---- */

/* Block by block, all of it takes less than its phases one after the other. */
static void blocks_overlap_phases(void **state)
{
    static const coll_kind kinds[] = {COLL_bcast, COLL_reduce, COLL_allreduce};
    topo *t = machine("node:4", 32);

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        critical_path path;
        int64_t sum = 0;

        coll_run_do((coll_run){.a = find(kinds[i], "lane"),
                               .kind = kinds[i],
                               .form = FORM_BLOCK,
                               .p = t->p,
                               .count = 256,
                               .parameter = 8,
                               .topo = t,
                               .shape = "node:4",
                               .path = &path});
        for (int k = 0; k < path.nphases; k++)
            sum += path.phase_on_ports[k];
        assert_true(path.on_ports < sum);
    }
    topo_free(t);
}

/* ---- order ---- */

/* To how many other nodes the first `nodes` messages of rank 0 go that leave its node. */
static int nodes_sent_to_first(coll_kind kind, const char *variant, int nodes)
{
    topo *t = machine("node:3", 3 * (nodes + 1));
    const algo *a = find(kind, "lane");
    coll c = {.kind = kind,
              .p = t->p,
              .parameter = 8,
              .variant = algo_variant(a, variant),
              .send = {.count = 1},
              .recv = {.count = 1}};
    sched *s = NULL;
    unsigned reached = 0;
    int n = 0;

    assert_int_equal(algo_compile(a, FORM_BLOCK, &c, t, &s), SCHED_OK);
    for (int i = 0; i < s->nsteps && n < nodes; i++)
        if (s->steps[i].kind == STEP_SEND && t->node[s->steps[i].peer] != t->node[0]) {
            reached |= 1u << t->node[s->steps[i].peer];
            n++;
        }
    assert_int_equal(n, nodes);
    sched_free(s);
    topo_free(t);
    return __builtin_popcount(reached);
}

/* Else whoever is late holds up those that it sends to last (docs/results/measurements.md, "A real
 * network"). */
static void pieces_go_to_all_nodes_in_turn(void **state)
{
    (void)state;
    for (int others = 1; others < 6; others++) {
        assert_int_equal(nodes_sent_to_first(COLL_alltoall, NULL, others), others);
        assert_int_equal(nodes_sent_to_first(COLL_reduce_scatter_block, "pairwise", others),
                         others);
        assert_int_equal(nodes_sent_to_first(COLL_allgather, "linear", others), others);
    }
    /* 2 of 4 items to one, and 1 to the other */
    assert_int_equal(nodes_sent_to_first(COLL_reduce_scatter_block, "circulant", 3), 2);
}

/* ---- in place ---- */

static void scatter_a_sum(const char *form, int variant, const char *shape, int p, int pieces)
{
    static const sim_sends sends[] = {SIM_MIXED, SIM_SYNC, SIM_EAGER};
    topo *t = machine(shape, p);
    coll_run r = {.a = find(COLL_reduce_scatter, form),
                  .kind = COLL_reduce_scatter,
                  .form = FORM_BLOCK,
                  .p = p,
                  .count = 13,
                  .in_place = true,
                  .variant = variant,
                  .parameter = pieces,
                  .topo = t,
                  .shape = shape};

    for (int i = 0; i < 12; i++) {
        r.sends = sends[i % 3];
        r.seed = (uint64_t)i;
        if (coll_run_fits(&r))
            coll_run_do(r);
    }
    topo_free(t);
}

/* Unequal blocks, results into what was sent: a result that is written too early lies where a block
 * that is still to be sent begins. */
static void a_result_overwrites_nothing_that_is_still_sent(void **state)
{
    static const char *const forms[] = {"lane", "hierarchical"};

    (void)state;
    for (int f = 0; f < 2; f++)
        for (int v = 0; find(COLL_reduce_scatter, forms[f])->variants[v]; v++)
            for (int pieces = 2; pieces < 6; pieces++) {
                scatter_a_sum(forms[f], v, "node:3,1", 5, pieces);
                scatter_a_sum(forms[f], v, "node:2", 8, pieces);
                scatter_a_sum(forms[f], v, "node:1", 5, pieces);
                scatter_a_sum(forms[f], v, "node:2@cyclic", 6, pieces);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_cut_no_further_than_they_must_be),
        cmocka_unit_test(vectors_take_no_more_scratch_than_promised),
        cmocka_unit_test(blocks_overlap_phases),
        cmocka_unit_test(pieces_go_to_all_nodes_in_turn),
        cmocka_unit_test(a_result_overwrites_nothing_that_is_still_sent),
    };

    return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
