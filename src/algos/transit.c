/* SPDX-License-Identifier: BSD-3-Clause */
/* transit.c - what a rank keeps of the blocks in transit, and the order of the phases. Those inside
 * a node are in transit_local.c, the one between nodes is in transit_cross.c. See transit.h.
 *
 * What a rank keeps, in blocks, one after the other: `moved`, in place, what it sends; a carrier
 * `collected`, for each local rank, node k and destination of the lane there; and `arrived`, for
 * each other local rank of the lane, node k and source there; k without its own. Inside a tree
 * every rank is a carrier for its subtree, and `arrived` begins with what is its own.
 */
#include "algos/exchange.h"
#include "algos/transit_inside.h"

enum { WINDOW = 32 };

/* ---- what is kept ---- */

/* transit.before, once for all nodes: a sum for each would take as long as their number squared. */
static const int *count_lane(const transit *t, int lane)
{
    int *before = sched_borrow(t->s, ((size_t)t->p->n + 1) * sizeof *before);

    for (int k = 0; before && k < t->p->n; k++)
        before[k + 1] = before[k] + (k == t->node ? 0 : transit_lane_size(t, k, lane));
    return before;
}

static const int64_t *offsets_of(sched_builder *s, const int64_t *lengths, int64_t n)
{
    int64_t *at = sched_borrow(s, ((size_t)n + 1) * sizeof *at);

    for (int64_t i = 0; at && i < n; i++)
        at[i + 1] = at[i] + lengths[i];
    return at;
}

/* Room for the next n blocks of the size exchange, for the numbers themselves, or for equal blocks.
 */
static transit_store add_store(transit *t, int64_t n)
{
    transit_store made = {.space = SPACE_SCRATCH, .length = t->length};
    int64_t before = t->kept;

    t->kept += n;
    if (t->asks)
        return (transit_store){.space = SPACE_RECV, .base = before, .length = 1};
    if (t->exchanged_sizes)
        made.at = offsets_of(t->s, t->exchanged_sizes + before, n);
    made.base = sched_scratch(t->s, (int64_t)transit_blocks_at(&made, 0, n).length).offset;
    return made;
}

/* In place, what is received would overwrite what is still to be sent. With a size exchange SCRATCH
 * is counted in another unit, which copy_out does not know. */
static void move_outgoing(transit *t)
{
    int p = t->b->n;

    t->moved = add_store(t, p);
    for (int i = 0, n; i < p; i += n) {
        interval joint = outgoing(t->b, i);
        for (n = 1; i + n < p && outgoing(t->b, i + n).offset == interval_end(joint); n++)
            joint.length += outgoing(t->b, i + n).length;
        sched_copy(t->s, joint, transit_blocks_at(&t->moved, i, n));
    }
}

static void make_stores(transit *t)
{
    int held = t->over_tree ? tree_size(t->how, t->me, t->local.size) : t->local.size;
    int served = t->over_tree ? held : transit_lane_size(t, t->node, t->me);

    if (t->asks || t->moves)
        move_outgoing(t);
    else
        t->kept = t->b->n;
    if (!t->over_tree && !transit_carries(t))
        return;
    t->collected = add_store(t, (int64_t)held * transit_lane_total(t));
    t->first = transit_carries(t) ? 1 : t->me;
    t->arrived = add_store(t, (int64_t)(served - transit_carries(t)) * t->sources);
}

/* ---- all of it ---- */

static void run_phases(transit t)
{
    t.before = count_lane(&t, t.over_tree ? 0 : t.me);
    if (!t.before)
        return;
    t.joined = !t.asks && !t.over_tree && sched_form(t.s) == FORM_STEP;
    make_stores(&t);
    sched_phase(t.s, "inside nodes");
    if (!t.asks)
        transit_exchange_local(&t);
    sched_phase(t.s, "collect");
    transit_collect(&t);
    sched_phase(t.s, "cross");
    if (transit_carries(&t))
        transit_cross(&t);
    sched_phase(t.s, "deliver");
    transit_deliver(&t);
}

static bool has_nodes(const group *g)
{
    return g->topo && topo_regions(g->topo) < g->topo->nlevels;
}

static void travel(transit t, const group *g, bool one_lane, tree how)
{
    regions p;

    if (!regions_make(&p, g, topo_regions(g->topo), t.s))
        return;
    t.p = &p;
    t.local = regions_local(&p, g);
    t.how = how;
    t.lanes = one_lane ? 1 : p.least;
    t.over_tree = t.lanes == 1 && how == TREE_BINOMIAL;
    t.node = p.mine;
    t.me = p.index;
    t.sources = g->size - t.local.size;
    run_phases(t);
}

void transit_alltoall(const group *g, const blockmap *b, const int64_t *exchanged_sizes,
                      sched_builder *s, bool one_lane, tree how)
{
    transit t = {.s = s, .b = b, .exchanged_sizes = exchanged_sizes, .moves = in_place(b)};

    if (!has_nodes(g)) {
        exchange_all(g, b, s, in_place(b) ? PATTERN_SYMMETRIC : PATTERN_ROTATED, WINDOW);
        return;
    }
    if (!exchanged_sizes)
        t.length = (int64_t)block(b, 0).length; /* whole, in pieces or not */
    travel(t, g, one_lane, how);
}

void transit_size_exchange(const group *g, sched_builder *s, bool one_lane, tree how)
{
    blockmap numbers = {.n = g->size,
                        .pieces = 1,
                        .list = g->ranks,
                        .blocks = g->size,
                        .mine = -1,
                        .out = {.space = SPACE_SEND, .count = 1}};

    if (has_nodes(g))
        travel((transit){.s = s, .b = &numbers, .asks = true}, g, one_lane, how);
}
