/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_recursive_doubling.c - swap all that is known with a rank at distance 1, 2, 4, ...
 *
 *   step        0         1          2             p = 8, seen from rank 0
 *   with        1         2          4
 *   send        0        0,1      0,1,2,3
 *   receive     1        2,3      4,5,6,7
 *
 * log2(p) alpha + (p-1) n beta, no scratch; p a power of two. For small and medium blocks.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Sparbit paper II-A.
 */
#include "algos/algo.h"

static const char *inapplicable(int p)
{
    return p & (p - 1) ? "recursive_doubling needs a power of two of ranks" : NULL;
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int me = g->index;

    for (int d = 1; d < g->size; d *= 2) {
        int with = me ^ d;

        send_blocks(s, b, me & -d, d, 1, peer(g, with));
        recv_blocks(s, b, with & -d, d, 1, peer(g, with));
    }
}

const algo algo_allgather_recursive_doubling = {
    .name = "recursive_doubling",
    .kind = COLL_allgather,
    .summary = "swap all that is known at distance 1, 2, 4, ...",
    .steps = "log2 p",
    .volume = "p-1 blocks",
    .restriction = "p a power of two",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .has_forms = true,
    .inapplicable = inapplicable,
    .compile = compile,
    .cost = cost_doubling,
};
