/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_reorder_hierarchical.c - hierarchical, each phase with its ranks in an order for it.
 *
 *   gather      BGMH: the ranks with the largest messages next to each other
 *   leaders     as Bruck or the ring does it
 *   broadcast   BBMH: the many messages of its last steps over the shortest distances
 *
 * Phases have orders of their own because no block has to move for it: every block is received
 * where it belongs. The order that `initcomm` and `endshuffle` speak of is that of the gather, node
 * after node.
 *
 * Cost and use as allgather_hierarchical.c, where nodes have packages, or the network several
 * switches. Mirsadeghi, Afsahi, IPDPSW 2016, Algorithms 4 and 5.
 */
#include "algos/levels.h"
#include "algos/order.h"
#include "algos/region.h"
#include "algos/reordered.h"
#include "algos/tree.h"

static void base(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    hierarchical_allgather(o, g, b, s, true);
}

/* Node after node, each in the order of the gather. */
static bool by_nodes(const group *g, int level, int *order, sched_builder *s)
{
    regions p;

    if (!regions_make(&p, g, level, s))
        return false;
    for (int k = 0; k < p.n; k++) {
        group node = {.size = region_size(&p, k), .ranks = p.ranks + p.first[k], .topo = g->topo};
        const int *of = order_members(REORDER_GATHER, &node, s);

        for (int i = 0; of && i < node.size; i++)
            order[p.first[k] + i] = p.at[p.first[k] + of[i]];
        if (!of)
            return false;
    }
    return true;
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int level = topo_regions(g->topo);
    int *order = sched_borrow(s, (size_t)g->size * sizeof *order);

    for (int i = 0; order && i < g->size; i++)
        order[i] = i;
    if (order && g->topo && level < g->topo->nlevels && !by_nodes(g, level, order, s))
        return;
    reordered_blocks(o, g, b, s, order, false, base);
}

const algo algo_allgather_reorder_hierarchical = {
    .name = "reorder_hierarchical",
    .kind = COLL_allgather,
    .summary = "hierarchical, each phase with its ranks in an order for it",
    .steps = "three phases",
    .volume = "p-q out of a node",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .has_forms = true,
    .regional = true,
    .orders = true,
    .variants = tree_gathers,
    .compile = compile,
};
