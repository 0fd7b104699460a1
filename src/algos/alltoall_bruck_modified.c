/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_bruck_modified.c - Bruck's algorithm without packing and without the last rotation.
 *
 *   copy       RECV[me + j] = what I send to rank me - j
 *   round k    send the RECV[me + j] with bit k of j set to me - 2^k, as one message of many
 *              blocks; receive as many from me + 2^k into scratch, and copy them there
 *
 * A block that moves d ranks down moves d positions down too, relative to its holder; so the block
 * that began at RECV[me + j] ends at rank me - j in RECV[me], where it belongs.
 *
 * ceil(log2 p) alpha + ceil(log2 p) (p/2) n beta, and p + ceil(log2 p) (p/2) blocks copied; scratch
 * p blocks, in place 2 p. For small blocks.
 * Traeff, Rougier, Hunold, ICS 2014; alltoall paper II-C.
 */
#include "algos/bruck.h"

/* RECV[me + j] = what I send to me - j; in place, that has to be moved out of the way first. */
static void copy_outgoing(const group *g, const blockmap *b, sched_builder *s, int64_t length)
{
    interval moved = {0};

    if (in_place(b)) {
        moved = sched_scratch(s, b->n * length);
        copy_out(s, b, 0, b->n, moved);
    }
    for (int j = 0; j < b->n; j++) {
        int to = wrap(g->index - j, b->n);
        interval from = in_place(b) ? part_of(moved, to, 1, length) : outgoing(b, to);
        sched_copy(s, from, block(b, g->index + j));
    }
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    int64_t length = (int64_t)block(b, 0).length;
    interval got = sched_scratch(s, p * length); /* two rounds in turn */

    copy_outgoing(g, b, s, length);
    for (bruck_round t = bruck_first(p, 2); bruck_valid(&t); bruck_next(&t)) {
        int d = bruck_distance(&t);
        int64_t at = got.offset + t.phase % 2 * (p / 2) * length;

        sched_open(s, STEP_SEND, peer(g, me - d));
        for (int j = d; j < p; j++)
            if (bruck_moves(&t, j))
                sched_add(s, block(b, me + j));
        sched_close(s);
        sched_recv(s, interval_make(SPACE_SCRATCH, at, bruck_count(&t) * length), peer(g, me + d));
        for (int j = 0, n; (n = bruck_next_range(&t, &j)); j += n, at += n * length)
            copy_in(s, interval_make(SPACE_SCRATCH, at, n * length), b, me + j, n);
    }
}

static algo_cost cost(int p, int parameter)
{
    double volume = (double)bruck_volume(p, 2);

    return (algo_cost){.messages = bruck_phases(p, 2), .blocks = volume, .copies = p + volume};
}

const algo algo_alltoall_bruck_modified = {
    .name = "bruck_modified",
    .kind = COLL_alltoall,
    .summary = "as bruck, sent from its place by a datatype, without the last rotation",
    .steps = "ceil(log2 p)",
    .volume = "<= p/2 a step",
    .source = "Traeff, Rougier, Hunold, ICS 2014",
    .regular = true,
    .compile = compile,
    .cost = cost,
};
