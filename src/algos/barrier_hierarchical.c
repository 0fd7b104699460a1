/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier_hierarchical.c - all ranks of a node send to its leader, the leaders hold a barrier, and
 * then send to their nodes.
 *
 *   2 nodes of 4      arrive     1, 2, 3 -> 0    5, 6, 7 -> 4
 *                     leaders    0 <-> 4
 *                     release    0 -> 1, 2, 3    4 -> 5, 6, 7
 *
 * Inside nodes trees, over packages and NUMA nodes where these are. What travels are tokens,
 * elements of scratch without data; a rank does one thing after the other, which is what fences are
 * for.
 *
 * 2 log2 q messages inside nodes of q, ceil(log2 N) between, by one rank of a node.
 * Traeff, Hunold, CLUSTER 2020.
 */
#include "algos/levels.h"

/* A message without data, from or to a child or the parent. */
static void add_token(sched_builder *s, step_kind kind, int rank)
{
    sched_open(s, kind, rank);
    sched_add(s, sched_scratch(s, 1));
    sched_close(s);
}

static void tree_arrive(const group *g, sched_builder *s)
{
    for (int k = 0, c; (c = tree_child(TREE_BINOMIAL, g->index, g->size, k)) >= 0; k++)
        add_token(s, STEP_RECV, peer(g, c));
    sched_fence(s);
    if (g->index > 0)
        add_token(s, STEP_SEND, peer(g, tree_parent(TREE_BINOMIAL, g->index, g->size)));
}

static void tree_release(const group *g, sched_builder *s)
{
    if (g->index > 0)
        add_token(s, STEP_RECV, peer(g, tree_parent(TREE_BINOMIAL, g->index, g->size)));
    sched_fence(s);
    for (int k = tree_children(TREE_BINOMIAL, g->index, g->size) - 1; k >= 0; k--)
        add_token(s, STEP_SEND, peer(g, tree_child(TREE_BINOMIAL, g->index, g->size, k)));
}

/* To the first member of the group. */
static void arrive_in_group(const group *g, int level, sched_builder *s)
{
    division d;

    if (levels_divide(&d, g, 0, level, s))
        arrive_in_group(&d.local, d.next, s);
    if (leads(&d))
        tree_arrive(&d.leaders, s);
}

static void release_group(const group *g, int level, sched_builder *s)
{
    division d;
    bool divided = levels_divide(&d, g, 0, level, s);

    if (leads(&d))
        tree_release(&d.leaders, s);
    if (divided)
        release_group(&d.local, d.next, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    division d;
    bool divided = levels_divide(&d, g, 0, topo_regions(g->topo), s);

    sched_phase(s, "arrive");
    if (divided)
        arrive_in_group(&d.local, d.next, s);
    sched_fence(s);
    sched_phase(s, "leaders");
    if (leads(&d))
        algo_barrier_dissemination.compile(o, &d.leaders, b, s);
    sched_fence(s);
    sched_phase(s, "release");
    if (divided)
        release_group(&d.local, d.next, s);
}

const algo algo_barrier_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_barrier,
    .summary = "ranks of a node send to a leader, leaders hold a barrier and send to their nodes",
    .steps = "three phases",
    .volume = "nothing",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .regional = true,
    .compile = compile,
};
