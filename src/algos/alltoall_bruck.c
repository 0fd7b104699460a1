/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_bruck.c - Bruck's index algorithm: rotate, exchange packed, rotate back.
 *
 *   rotate     T[j] = what I send to rank me + j
 *   round k    pack the T[j] with bit k of j set, send them to me + 2^k, unpack what comes from
 *              me - 2^k to the same positions
 *   rotate     T[j], which has come from rank me - j, to where it belongs
 *
 * ceil(log2 p) alpha + ceil(log2 p) (p/2) n beta, and 2 p + 2 ceil(log2 p) (p/2) blocks copied;
 * scratch 3 p blocks. For tiny blocks; bruck_zerocopy sends the same messages without the copies.
 * Bruck et al., IEEE TPDS 8(11), 1997; alltoall paper II-A.
 */
#include "algos/bruck.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    bruck_index(g, b, s, 2);
}

static algo_cost cost(int p, int parameter)
{
    double volume = (double)bruck_volume(p, 2);

    return (algo_cost){
        .messages = bruck_phases(p, 2), .blocks = volume, .copies = 2 * p + 2 * volume};
}

const algo algo_alltoall_bruck = {
    .name = "bruck",
    .kind = COLL_alltoall,
    .summary = "rotate, exchange packed with ranks at distance 1, 2, 4, ..., rotate back",
    .steps = "ceil(log2 p)",
    .volume = "<= p/2 a step",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .regular = true,
    .compile = compile,
    .cost = cost,
};
