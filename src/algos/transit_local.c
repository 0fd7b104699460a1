/* SPDX-License-Identifier: BSD-3-Clause */
/* transit_local.c - the phases inside a node: its ranks exchange their own blocks; a carrier
 * collects what goes to other nodes, and delivers what has come from there. See transit.h.
 */
#include "algos/transit_inside.h"

/* What I send to a member of the node. */
static interval outgoing_to(const transit *t, int node, int member)
{
    int to = t->p->at[t->p->first[node] + member];

    return t->moves ? transit_blocks_at(&t->moved, to, 1) : outgoing(t->b, to);
}

/* Straight from rank to rank. */
void transit_exchange_local(const transit *t)
{
    int n = t->local.size;

    if (!t->moves)
        sched_copy(t->s, outgoing_to(t, t->node, t->me), transit_incoming_from(t, t->node, t->me));
    for (int d = 1; d < n; d++) {
        int to = wrap(t->me + d, n), from = wrap(t->me - d, n);
        if (!t->joined || to >= t->lanes)
            sched_send(t->s, outgoing_to(t, t->node, to), peer(&t->local, to));
        if (!t->joined || t->me >= t->lanes)
            sched_recv(t->s, transit_incoming_from(t, t->node, from), peer(&t->local, from));
    }
}

/* ---- collect ---- */

static void send_lane(const transit *t, int lane)
{
    sched_open(t->s, STEP_SEND, peer(&t->local, lane));
    if (t->joined)
        sched_add(t->s, outgoing_to(t, t->node, lane));
    for (int k = 0; k < t->p->n; k++)
        for (int i = lane; k != t->node && i < region_size(t->p, k); i += t->lanes)
            sched_add(t->s, outgoing_to(t, k, i));
    sched_close(t->s);
}

/* My own blocks for a lane, to where they are collected. */
static void copy_lane(const transit *t, int lane, int64_t to)
{
    for (int k = 0; k < t->p->n; k++)
        for (int i = lane; k != t->node && i < region_size(t->p, k); i += t->lanes)
            sched_copy(t->s, outgoing_to(t, k, i), transit_blocks_at(&t->collected, to++, 1));
}

static void recv_lane(const transit *t, int from, int total)
{
    sched_open(t->s, STEP_RECV, peer(&t->local, from));
    if (t->joined)
        sched_add(t->s, transit_incoming_from(t, t->node, from));
    sched_add(t->s, transit_blocks_at(&t->collected, (int64_t)from * total, total));
    sched_close(t->s);
}

static void collect_lanes(const transit *t)
{
    int n = t->local.size, total = transit_carries(t) ? transit_lane_total(t) : 0;

    for (int d = 1; d < n; d++) {
        int to = wrap(t->me + d, n), from = wrap(t->me - d, n);
        if (to < t->lanes)
            send_lane(t, to);
        if (transit_carries(t))
            recv_lane(t, from, total);
    }
    if (transit_carries(t))
        copy_lane(t, t->me, (int64_t)t->me * total);
}

/* An item for each local rank from `first` to the last of my subtree: its blocks in the store. */
static blockmap tree_items(const transit *t, const transit_store *in, int first)
{
    int n = t->local.size;
    int64_t *counts = sched_borrow(t->s, 2 * (size_t)n * sizeof *counts);
    blockmap b = {.n = n, .pieces = 1, .blocks = n, .mine = -1};

    for (int i = first; counts && i < t->me + tree_size(t->how, t->me, n); i++) {
        interval item = transit_blocks_at(in, (int64_t)(i - first) * t->sources, t->sources);
        counts[i] = (int64_t)item.length;
        counts[n + i] = item.offset;
    }
    b.in = (blockrow){.space = in->space, .counts = counts, .displs = counts ? counts + n : NULL};
    return b;
}

/* Over a tree: each rank holds what passes through it. */
static void collect_tree(const transit *t)
{
    blockmap items = tree_items(t, &t->collected, t->me);

    copy_lane(t, 0, 0);
    if (items.in.counts)
        tree_gather(t->how, &t->local, &items, t->s);
}

void transit_collect(const transit *t)
{
    if (t->over_tree)
        collect_tree(t);
    else
        collect_lanes(t);
}

/* ---- deliver ---- */

static void deliver_lanes(const transit *t)
{
    for (int x = 1; transit_carries(t) && x < transit_lane_size(t, t->node, t->me); x++)
        sched_send(t->s, transit_arrived_for(t, x, 0, t->sources),
                   peer(&t->local, t->me + x * t->lanes));
    if (transit_carries(t))
        return;
    sched_open(t->s, STEP_RECV, peer(&t->local, t->me % t->lanes));
    for (int k = 0; k < t->p->n; k++)
        for (int i = 0; k != t->node && i < region_size(t->p, k); i++)
            sched_add(t->s, transit_incoming_from(t, k, i));
    sched_close(t->s);
}

static void deliver_tree(const transit *t)
{
    blockmap items = tree_items(t, &t->arrived, t->first);
    int at = 0;

    if (items.in.counts)
        tree_scatter(t->how, &t->local, &items, t->s);
    for (int k = 0; !transit_carries(t) && !t->asks && k < t->p->n; k++)
        for (int i = 0; k != t->node && i < region_size(t->p, k); i++)
            sched_copy(t->s, transit_arrived_for(t, t->me, at++, 1),
                       transit_incoming_from(t, k, i));
}

void transit_deliver(const transit *t)
{
    if (t->over_tree)
        deliver_tree(t);
    else if (!t->asks)
        deliver_lanes(t);
}
