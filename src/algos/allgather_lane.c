/* allgather_lane.c - allgather on every lane (one rank of each node), then inside every node.
 *
 *   lane    0 4   1 5   2 6   3 7        2 nodes of 4 ranks: rank 1 gets block 5, ...
 *   node    0 1 2 3   4 5 6 7            ... and gives blocks 1, 5 to its node
 *
 * All ranks of a node send at the same time: every rail of it is used. With nodes of unequal sizes,
 * lane i carries the blocks of local ranks i, i + L, ..., where L is the size of the smallest node;
 * the ranks from L on hand their blocks to it first. No copies: blocks go from place to place.
 *
 * The variant names the algorithm of both phases. Block by block the phases pipeline: a block that
 * has come over a lane goes on inside the node at once.
 *
 * (N - 1) n beta between N nodes a rank, steps as the two phases. No scratch. For large blocks.
 * Traeff, Hunold, CLUSTER 2020, Listing 3; unequal nodes are ours.
 */
#include "algos/algo.h"
#include "algos/region.h"

#include <stddef.h>

extern const algo algo_allgather_bruck, algo_allgather_ring, algo_allgather_sparbit,
    algo_allgather_linear;

static const char *const variants[] = {"bruck", "ring", "sparbit", "linear", NULL};
static const algo *const phases[] = {&algo_allgather_bruck, &algo_allgather_ring,
                                     &algo_allgather_sparbit, &algo_allgather_linear};

/* The blocks of local ranks i, i + lanes, ... of node k. */
static void add_lane(const regions *p, const blockmap *b, int k, int i, int lanes, itemlist *to)
{
    for (; i < region_size(p, k); i += lanes)
        items_add(to, b, p->at[p->first[k] + i]);
}

/* Blocks of ranks without a lane of their own, to the rank that has it. */
static void hand_over(const regions *p, const group *local, const blockmap *mine, sched_builder *s)
{
    int lanes = p->least, me = local->index;

    sched_phase(s, "hand over");
    if (me >= lanes)
        send_blocks(s, mine, me, 1, 1, peer(local, me % lanes));
    for (int i = me + lanes; me < lanes && i < local->size; i += lanes)
        recv_blocks(s, mine, i, 1, 1, peer(local, i));
}

static void along_lane(const algo_options *o, const regions *p, const group *g, const blockmap *b,
                       sched_builder *s)
{
    itemlist items = items_begin(b, p->n, s);
    int *ranks = sched_borrow(s, (size_t)p->n * sizeof *ranks);

    for (int k = 0; ranks && k < p->n; k++) {
        ranks[k] = region_rank(p, k, p->index);
        add_lane(p, b, k, p->index, p->least, &items);
        items_next(&items);
    }
    if (!ranks)
        return;
    group lane = {.size = p->n, .index = p->mine, .ranks = ranks, .topo = g->topo};
    phases[o->variant]->compile(o, &lane, &items.map, s);
}

/* Every local rank gives its own block and what its lane has brought from other nodes. */
static void inside_node(const algo_options *o, const regions *p, const group *local,
                        const blockmap *b, sched_builder *s)
{
    itemlist items = items_begin(b, local->size, s);

    for (int i = 0; i < local->size; i++) {
        for (int k = 0; k < p->n; k++)
            if (k == p->mine)
                items_add(&items, b, p->at[p->first[k] + i]);
            else if (i < p->least)
                add_lane(p, b, k, i, p->least, &items);
        items_next(&items);
    }
    sched_phase(s, "node");
    phases[o->variant]->compile(o, local, &items.map, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int level = topo_regions(g->topo);
    regions p;

    if (!g->topo || level == g->topo->nlevels) {
        phases[o->variant]->compile(o, g, b, s);
        return;
    }
    if (!regions_make(&p, g, level, s))
        return;
    group local = regions_local(&p, g);
    blockmap mine = regions_local_items(&p, b, s);

    hand_over(&p, &local, &mine, s);
    sched_phase(s, "lane");
    if (p.index < p.least)
        along_lane(o, &p, g, b, s);
    inside_node(o, &p, &local, b, s);
}

const algo algo_allgather_lane = {
    .name = "lane",
    .kind = COLL_allgather,
    .summary = "allgather on every lane, then inside every node",
    .steps = "two phases",
    .volume = "N-1 blocks between",
    .restriction = "-",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = variants,
    .compile = compile,
};
