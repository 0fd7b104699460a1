/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_bruck_radix.c - Bruck's index algorithm with any radix: fewer hops, more messages.
 *
 *   r = 2          ceil(log2 p) phases of one message of p/2 blocks
 *   r = 4          half as many phases of three messages of p/4 blocks
 *   r = p          one phase of p-1 messages of one block: everybody sends to everybody
 *
 * The parameter is r. The r-1 messages of a phase travel at once; one has p/r blocks if p is a
 * power of r, else the last ones may have more, up to r^(ceil(log_r p) - 1). The block that has j
 * ranks to go makes as many hops as j has digits other than 0.
 *
 * ceil(log_r p) alpha (at most r-1 messages at once) + ceil(log_r p) (p (r-1)/r) n beta, and 2 p +
 * 2 ceil(log_r p) (p (r-1)/r) blocks copied; scratch at most 5 p blocks. For small blocks where
 * hops cost more than messages. Bruck et al., IEEE TPDS 8(11), 1997; alltoall paper II-B.
 *
 * Blocks of unequal lengths go without copies (bruck_hops.c), after an exchange of the sizes of
 * what passes through each rank: once for a persistent request, in front of any other call. Fan et
 * al., arXiv 2411.02581.
 */
#include "algos/bruck.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    if (o->exchanged_sizes)
        bruck_hops(g, b, o->exchanged_sizes, s, o->parameter);
    else
        bruck_index(g, b, s, o->parameter);
}

static void size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    bruck_size_exchange(g, s, o->parameter);
}

static algo_cost cost(int p, int radix)
{
    double volume = (double)bruck_volume(p, radix);

    return (algo_cost){
        .messages = bruck_phases(p, radix), .blocks = volume, .copies = 2 * p + 2 * volume};
}

const algo algo_alltoall_bruck_radix = {
    .name = "bruck_radix",
    .kind = COLL_alltoall,
    .summary = "as bruck, in radix r: ceil(log_r p) phases of at most r-1 messages",
    .steps = "ceil(log_r p)",
    .volume = "about p/r a message",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .parameter = {.name = "r", .least = 2, .usual = 4},
    .size_exchange = size_exchange,
    .compile = compile,
    .cost = cost,
};
