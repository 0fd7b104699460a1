/* allgather_reorder_hierarchical.c - hierarchical, each phase with its ranks in an order for it.
 *
 *   gather      BGMH: the ranks with the largest messages next to each other
 *   leaders     as Bruck or the ring does it
 *   broadcast   BBMH: the many messages of its last steps over the shortest distances
 *
 * Phases have orders of their own because no block has to move for it: every block has its place.
 * The order that `initcomm` and `endshuffle` speak of is that of the gather, node after node.
 *
 * Cost and use as allgather_hierarchical.c, where nodes have packages, or the network several
 * switches. Mirsadeghi, Afsahi, IPDPSW 2016, Algorithms 4 and 5.
 */
#include "algos/hierarchical.h"
#include "algos/region.h"
#include "algos/reordered.h"
#include "algos/tree.h"

static void base(const coll *c, const group *g, const blockmap *b, sched_builder *s)
{
    hierarchical_allgather(c, g, b, s, true);
}

/* Node after node, each in the order of the gather. */
static bool find_order(const group *g, int *order, sched_builder *s)
{
    int level = topo_regions(g->topo), done = 0;
    regions p;

    if (!g->topo || level == g->topo->nlevels) {
        for (int i = 0; i < g->size; i++)
            order[i] = i;
        return true;
    }
    if (!regions_make(&p, g, level, s))
        return false;
    for (int k = 0; k < p.n; k++) {
        int size = region_size(&p, k);
        if (!reorder_ranks(REORDER_GATHER, g->topo, p.ranks + p.first[k], size, order + done)) {
            sched_fail(s, SCHED_NO_MEMORY);
            return false;
        }
        done += size;
    }
    return true;
}

static void compile(const coll *c, const group *g, const blockmap *b, sched_builder *s)
{
    int *order = sched_borrow(s, (size_t)g->size * sizeof *order);

    if (order && find_order(g, order, s))
        reordered_blocks(c, g, b, s, order, base);
}

const algo algo_allgather_reorder_hierarchical = {
    .name = "reorder_hierarchical",
    .kind = COLL_ALLGATHER,
    .summary = "hierarchical, each phase with its ranks in an order for it",
    .steps = "three phases",
    .volume = "p-q out of a node",
    .restriction = "-",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .has_forms = true,
    .regional = true,
    .orders = true,
    .variants = tree_names,
    .compile = compile,
};
