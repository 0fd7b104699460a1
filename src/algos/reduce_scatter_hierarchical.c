/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_hierarchical.c - a reduce inside nodes, a reduce-scatter of their leaders, a
 * scatter inside nodes.
 *
 *   2 nodes of 4      reduce     1, 2, 3 -> 0    5, 6, 7 -> 4: all eight blocks
 *                     leaders    0 gets blocks 0 to 3, 4 gets 4 to 7
 *                     scatter    0 -> 1, 2, 3    4 -> 5, 6, 7
 *
 * The variant is the algorithm among leaders; inside nodes trees, over packages and NUMA nodes
 * where these are. An operation that does not commute is applied in the order of the ranks; where
 * nodes do not hold ranks that follow one another, without regard to nodes.
 *
 * One rank of a node sends what leaves it, p - q blocks. For small blocks. Scratch at leaders for
 * about four vectors of p blocks, with `recursive_doubling` for six. Traeff, Hunold, CLUSTER 2020.
 */
#include "algos/levels.h"

static const algo *const phases[] = {&algo_reduce_scatter_circulant, &algo_reduce_scatter_pairwise,
                                     &algo_reduce_scatter_recursive_doubling, NULL};

/* The sum of my node -> my node's blocks of the sum of all -> everybody's. */
static void of_leaders(const algo_options *o, const division *d, const blockmap *b,
                       const blockrow *sum, sched_builder *s)
{
    blockmap local = regions_local_items(&d->p, b, s), regions = levels_items(d, b, s);
    blockrow have = b->in;

    if (leads(d)) {
        if (d->local.size > 1)
            have = scratch_items(s, &local, 0, local.n);
        regions.out = *sum;
        regions.in = have;
        phase_of(o)->compile(o, &d->leaders, &regions, s);
    }
    sched_phase(s, "scatter");
    if (leads(d) && d->local.size > 1)
        copy_row(s, &local, &have, &b->in, d->leader, 1);
    levels_scatter(TREE_BINOMIAL, &d->local, d->leader, &local, &have, &b->in, d->next, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    division d;

    if (!levels_divide(&d, g, 0, topo_regions(g->topo), s) ||
        (o->noncommutative && !d.consecutive)) {
        phase_of(o)->compile(o, g, b, s);
        return;
    }
    sched_phase(s, "reduce");
    blockmap leaders = levels_reduce_region(o, &d, false, b, s);
    sched_phase(s, "leaders");
    of_leaders(o, &d, b, &leaders.out, s);
}

const algo algo_reduce_scatter_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_reduce_scatter,
    .summary = "reduce inside nodes, reduce-scatter of their leaders, scatter inside nodes",
    .steps = "three phases",
    .volume = "p-q blocks out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = phases,
    .compile = compile,
};
