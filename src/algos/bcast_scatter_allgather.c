/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_scatter_allgather.c - every rank gets a part of the vector, and then all give each other
 * theirs.
 *
 *   scatter      root 0: parts 4-7 -> 4, 2-3 -> 2, 1 -> 1;  4: 6-7 -> 6, 5 -> 5; ...     p = 8
 *   allgather    of p parts, over a ring or by Bruck's algorithm
 *
 * The vector is cut into p parts; those of the last phase are sent on as soon as they are there.
 * Nothing is sent to the root, which has all: its buffer may be one that cannot be written to. By
 * bytes, because ranks may describe one vector by different types (algo.c).
 *
 * (ceil(log2 p) + p - 1) alpha + 2 n (p-1)/p beta over a ring, 2 ceil(log2 p) alpha with Bruck; no
 * scratch, unless the type has gaps. For large vectors.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"
#include "algos/order.h"
#include "algos/tree.h"

static const algo *const second[] = {&algo_allgather_ring, &algo_allgather_bruck, NULL};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    algo_options phase = {0};
    blockmap items = cut(b, g->size, s);
    group r;

    if (!group_rotated(g, o->root, s, &r))
        return;
    sched_phase(s, "scatter");
    tree_scatter(TREE_BINOMIAL, &r, &items, s);
    sched_phase(s, "allgather");
    sched_spare(s, peer(g, o->root), g->index == o->root);
    second[o->variant]->compile(&phase, &r, &items, s);
    sched_spare(s, -1, false);
}

const algo algo_bcast_scatter_allgather = {
    .name = "scatter_allgather",
    .kind = COLL_bcast,
    .summary = "every rank gets a part of the vector, then an allgather of the parts",
    .steps = "log2 p + p-1",
    .volume = "2(p-1)/p vectors",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .has_forms = true,
    .variants = second,
    .parts = algo_parts_of_ranks,
    .compile = compile,
};
