/* transit.c - see transit.h.
 *
 * Scratch of a carrier, in blocks: `collected`, for each local rank, node k and destination of the
 * lane there; and `arrived`, for each local rank of the lane, node k and source there; k without
 * its own.
 */
#include "algos/transit.h"

#include "algos/exchange.h"

enum { WINDOW = 32 };

typedef struct transit {
    sched_builder *s;
    bool joined; /* a carrier finds its own block with what it collects */
    const regions *p;
    group local;
    const blockmap *b;
    int lanes, node, me; /* me: index in my node */
    int64_t length;      /* of a block */
    int64_t collected, arrived;
    int sources; /* ranks of all other nodes */
} transit;

/* ---- who is on a lane ---- */

static int lane_size(const transit *t, int node, int lane)
{
    return (region_size(t->p, node) - lane + t->lanes - 1) / t->lanes;
}

/* Destinations of a lane in all other nodes before this one. */
static int lane_before(const transit *t, int node, int lane)
{
    int sum = 0;

    for (int k = 0; k < node; k++)
        sum += k == t->node ? 0 : lane_size(t, k, lane);
    return sum;
}

static int lane_total(const transit *t, int lane)
{
    return lane_before(t, t->p->n, lane);
}

/* ---- places ---- */

static interval blocks_at(const transit *t, int64_t base, int64_t block, int64_t n)
{
    return interval_make(SPACE_SCRATCH, base + block * t->length, n * t->length);
}

/* What I send to local rank x + i lanes of the node. */
static interval outgoing_to(const transit *t, int node, int member)
{
    return outgoing(t->b, t->p->at[t->p->first[node] + member]);
}

static interval incoming_from(const transit *t, int node, int member)
{
    return block(t->b, t->p->at[t->p->first[node] + member]);
}

/* ---- inside the node ---- */

/* Straight from rank to rank. */
static void exchange_local(const transit *t, bool in_place)
{
    int n = t->local.size;

    if (!in_place)
        sched_copy(t->s, outgoing_to(t, t->node, t->me), incoming_from(t, t->node, t->me));
    for (int d = 1; d < n; d++) {
        int to = wrap(t->me + d, n), from = wrap(t->me - d, n);
        if (!t->joined || to >= t->lanes)
            sched_send(t->s, outgoing_to(t, t->node, to), peer(&t->local, to));
        if (!t->joined || t->me >= t->lanes)
            sched_recv(t->s, incoming_from(t, t->node, from), peer(&t->local, from));
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
    int at = 0;

    for (int k = 0; k < t->p->n; k++)
        for (int i = lane; k != t->node && i < region_size(t->p, k); i += t->lanes)
            sched_copy(t->s, outgoing_to(t, k, i), blocks_at(t, to, at++, 1));
}

static void recv_lane(const transit *t, int from, int total)
{
    sched_open(t->s, STEP_RECV, peer(&t->local, from));
    if (t->joined)
        sched_add(t->s, incoming_from(t, t->node, from));
    sched_add(t->s, blocks_at(t, t->collected, (int64_t)from * total, total));
    sched_close(t->s);
}

static void collect(const transit *t)
{
    int n = t->local.size, total = t->me < t->lanes ? lane_total(t, t->me) : 0;

    for (int d = 1; d < n; d++) {
        int to = wrap(t->me + d, n), from = wrap(t->me - d, n);
        if (to < t->lanes)
            send_lane(t, to);
        if (t->me < t->lanes)
            recv_lane(t, from, total);
    }
    if (t->me < t->lanes)
        copy_lane(t, t->me, t->collected + (int64_t)t->me * total * t->length);
}

/* Items of `each` blocks in scratch, one for each local rank; mine is at `base`. */
static blockmap tree_items(const transit *t, int64_t base, int64_t each)
{
    int n = t->local.size;
    int64_t *counts = sched_borrow(t->s, 2 * (size_t)n * sizeof *counts);
    blockmap b = {.n = n, .blocks = n, .mine = -1};

    for (int i = 0; counts && i < n; i++) {
        counts[i] = each * t->length;
        counts[n + i] = base + (i - t->me) * each * t->length;
    }
    b.in =
        (blockrow){.space = SPACE_SCRATCH, .counts = counts, .displs = counts ? counts + n : NULL};
    return b;
}

/* Over a tree: each rank holds what passes through it. */
static void collect_tree(const transit *t, tree how)
{
    blockmap items = tree_items(t, t->collected, t->sources);

    copy_lane(t, 0, t->collected);
    if (items.in.counts)
        tree_gather(how, &t->local, &items, t->s);
}

/* ---- cross ---- */

/* All that the ranks of my node have for my lane of that node. */
static void send_node(const transit *t, int node)
{
    int total = lane_total(t, t->me), at = lane_before(t, node, t->me);

    sched_open(t->s, STEP_SEND, region_rank(t->p, node, t->me));
    for (int x = 0; x < lane_size(t, node, t->me); x++)
        for (int i = 0; i < t->local.size; i++)
            sched_add(t->s, blocks_at(t, t->collected, (int64_t)i * total + at + x, 1));
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
    for (int i = 0; i < n; i++)
        sched_add(t->s, incoming_from(t, node, i));
    for (int x = 1; x < lane_size(t, t->node, t->me); x++)
        sched_add(t->s,
                  blocks_at(t, t->arrived, (int64_t)x * t->sources + sources_before(t, node), n));
    sched_close(t->s);
}

static void cross(const transit *t)
{
    for (int d = 1; d < t->p->n; d++) {
        send_node(t, wrap(t->node + d, t->p->n));
        recv_node(t, wrap(t->node - d, t->p->n));
    }
}

/* ---- deliver ---- */

static void deliver(const transit *t)
{
    for (int x = 1; t->me < t->lanes && x < lane_size(t, t->node, t->me); x++)
        sched_send(t->s, blocks_at(t, t->arrived, (int64_t)x * t->sources, t->sources),
                   peer(&t->local, t->me + x * t->lanes));
    if (t->me < t->lanes)
        return;
    sched_open(t->s, STEP_RECV, peer(&t->local, t->me % t->lanes));
    for (int k = 0; k < t->p->n; k++)
        for (int i = 0; k != t->node && i < region_size(t->p, k); i++)
            sched_add(t->s, incoming_from(t, k, i));
    sched_close(t->s);
}

static void deliver_tree(const transit *t, tree how)
{
    blockmap items = tree_items(t, t->arrived, t->sources);
    int at = 0;

    if (items.in.counts)
        tree_scatter(how, &t->local, &items, t->s);
    for (int k = 0; t->me > 0 && k < t->p->n; k++)
        for (int i = 0; k != t->node && i < region_size(t->p, k); i++)
            sched_copy(t->s, blocks_at(t, t->arrived, at++, 1), incoming_from(t, k, i));
}

/* ---- all of it ---- */

/* In place, what is received would overwrite what is still to be sent. */
static void move_out(blockmap *b, sched_builder *s)
{
    blockrow moved = scratch_row(s, b);

    copy_row(s, b, &b->out, &moved, 0, b->n);
    b->out = moved;
}

static void over_lanes(const group *g, const blockmap *b, sched_builder *s, const regions *p,
                       int lanes, tree how)
{
    blockmap blocks = *b;
    transit t = {.s = s,
                 .p = p,
                 .local = regions_local(p, g),
                 .b = &blocks,
                 .lanes = lanes,
                 .node = p->mine,
                 .me = p->index,
                 .length = (int64_t)block(b, 0).length,
                 .sources = g->size - region_size(p, p->mine)};
    bool over_tree = lanes == 1 && how == TREE_BINOMIAL;
    int held = over_tree ? tree_size(how, t.me, t.local.size) : t.me < lanes ? t.local.size : 0;

    t.joined = !over_tree && sched_form(s) == FORM_STEP;
    if (in_place(b))
        move_out(&blocks, s);
    t.collected =
        sched_scratch(s, held * (int64_t)lane_total(&t, t.me < lanes ? t.me : 0) * t.length).offset;
    held = over_tree ? held : t.me < lanes ? lane_size(&t, t.node, t.me) : 0;
    t.arrived = sched_scratch(s, (int64_t)held * t.sources * t.length).offset;
    sched_phase(s, "inside nodes");
    exchange_local(&t, in_place(b));
    sched_phase(s, "collect");
    if (over_tree)
        collect_tree(&t, how);
    else
        collect(&t);
    sched_phase(s, "cross");
    if (t.me < lanes)
        cross(&t);
    sched_phase(s, "deliver");
    if (over_tree)
        deliver_tree(&t, how);
    else
        deliver(&t);
}

void transit_alltoall(const group *g, const blockmap *b, sched_builder *s, bool one_lane, tree how)
{
    int level = topo_regions(g->topo);
    regions p;

    if (!g->topo || level == g->topo->nlevels)
        exchange_all(g, b, s, in_place(b) ? PATTERN_SYMMETRIC : PATTERN_ROTATED, WINDOW);
    else if (regions_make(&p, g, level, s))
        over_lanes(g, b, s, &p, one_lane ? 1 : p.least, how);
}
