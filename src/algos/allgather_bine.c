/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_bine.c - swap all that is known with ranks that come nearer while it grows.
 *
 *   step        0         1           2              p = 8, seen from rank 0
 *   with        3         7           1
 *   send        0        0,3       0,3,4,7
 *   receive     3        4,7       1,2,5,6
 *
 * log2 p alpha + (p-1) n beta, no scratch; p a power of two. The most data over the shortest
 * distances, which are two thirds of those of sparbit: where consecutive ranks share a node or a
 * switch. Blocks of a message are scattered (form step), or travel one by one (form block).
 * De Sensi et al., arXiv 2508.17311.
 */
#include "algos/algo.h"
#include "algos/bine.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    butterfly f = bine_butterfly(g);
    blockmap items = bine_items(b, s);

    if (items.list)
        butterfly_allgather(&f, g, &items, s);
}

const algo algo_allgather_bine = {
    .name = "bine",
    .kind = COLL_allgather,
    .summary = "swap all that is known, the most with the nearest ranks",
    .steps = "log2 p",
    .volume = "p-1 blocks",
    .restriction = "p a power of two",
    .source = "De Sensi et al., arXiv 2508.17311",
    .has_forms = true,
    .inapplicable = bine_inapplicable,
    .compile = compile,
    .cost = cost_doubling,
};
