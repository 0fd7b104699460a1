/* SPDX-License-Identifier: BSD-3-Clause */
/* transit_cross.c - the phase between nodes: carriers of one lane send each other all that their
 * nodes have for it, as one message or in pieces. See transit.h.
 */
#include "algos/transit_inside.h"

/* All that the ranks of my node have for my lane of that node, in one message; of a size exchange,
 * what will go on there. */
static void send_node(const transit *t, int node)
{
    int total = transit_lane_total(t), at = t->before[node];

    sched_open(t->s, STEP_SEND, region_rank(t->p, node, t->me));
    for (int x = t->asks; x < transit_lane_size(t, node, t->me); x++)
        for (int i = 0; i < t->local.size; i++)
            sched_add(t->s, transit_blocks_at(&t->collected, (int64_t)i * total + at + x, 1));
    sched_close(t->s);
}

/* Ranks of all other nodes before this one. */
static int sources_before(const transit *t, int node)
{
    return t->p->first[node] - (node > t->node ? t->local.size : 0);
}

static void recv_node(const transit *t, int node)
{
    int n = region_size(t->p, node);

    sched_open(t->s, STEP_RECV, region_rank(t->p, node, t->me));
    for (int i = 0; i < n && !t->asks; i++)
        sched_add(t->s, transit_incoming_from(t, node, i));
    for (int x = 1; x < transit_lane_size(t, t->node, t->me); x++)
        sched_add(t->s, transit_arrived_for(t, x, sources_before(t, node), n));
    sched_close(t->s);
}

static interval block_piece(const transit *t, interval block, int q)
{
    int n = t->b->pieces;

    return part_of(block, q % n, 1, (int64_t)block.length / n);
}

/* Piece q of what goes to that node, if there are so many: block after block, as above. */
static void send_node_piece(const transit *t, int node, int q)
{
    int block = q / t->b->pieces, x = block / t->local.size, i = block % t->local.size;
    int64_t at = (int64_t)i * transit_lane_total(t) + t->before[node] + x;

    if (x < transit_lane_size(t, node, t->me))
        sched_send(t->s, block_piece(t, transit_blocks_at(&t->collected, at, 1), q),
                   region_rank(t->p, node, t->me));
}

static void recv_node_piece(const transit *t, int node, int q)
{
    int n = region_size(t->p, node), block = q / t->b->pieces, x = block / n, i = block % n;
    interval into;

    if (x >= transit_lane_size(t, t->node, t->me))
        return;
    into = x == 0 ? transit_incoming_from(t, node, i)
                  : transit_arrived_for(t, x, sources_before(t, node) + i, 1);
    sched_recv(t->s, block_piece(t, into, q), region_rank(t->p, node, t->me));
}

/* Pieces that go to, or come from, a node, at most. */
static int most_pieces(const transit *t)
{
    int most = 0;

    for (int k = 0; k < t->p->n; k++) {
        int out = transit_lane_size(t, k, t->me) * t->local.size;
        int in = transit_lane_size(t, t->node, t->me) * region_size(t->p, k);
        most = most > out ? most : out;
        most = most > in ? most : in;
    }
    return most * t->b->pieces;
}

/* To all nodes in turn, a few at a time: so no node has several that send to it while others wait,
 * whoever is late. */
static void cross_in_pieces(const transit *t)
{
    int others = t->p->n - 1, n = most_pieces(t);

    sched_throttle(t->s, SLICES_IN_FLIGHT * others);
    for (int q = 0; q < n; q++)
        for (int d = 1; d <= others; d++) {
            send_node_piece(t, wrap(t->node + d, t->p->n), q);
            recv_node_piece(t, wrap(t->node - d, t->p->n), q);
        }
}

void transit_cross(const transit *t)
{
    if (t->b->pieces > 1) {
        cross_in_pieces(t);
        return;
    }
    for (int d = 1; d < t->p->n; d++) {
        send_node(t, wrap(t->node + d, t->p->n));
        recv_node(t, wrap(t->node - d, t->p->n));
    }
}
