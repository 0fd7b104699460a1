/* SPDX-License-Identifier: BSD-3-Clause */
/* transit.c - see transit.h.
 *
 * What a rank keeps, in blocks, one behind the other: `moved`, in place, what it sends; a carrier
 * `collected`, for each local rank, node k and destination of the lane there; and `arrived`, for
 * each other local rank of the lane, node k and source there; k without its own. Inside a tree
 * every rank is a carrier for its subtree, and `arrived` begins with what is its own.
 */
#include "algos/transit.h"

#include "algos/exchange.h"

enum { WINDOW = 32 };

/* Blocks one behind the other. */
typedef struct store {
    sched_space space;
    int64_t base;
    int64_t length;    /* of each, without `at` */
    const int64_t *at; /* [blocks + 1]: where each begins behind the base, and the last one ends */
} store;

typedef struct transit {
    sched_builder *s;
    const regions *p;
    group local;
    const blockmap *b;
    int64_t length;        /* of a block; or */
    const int64_t *survey; /* lengths of all that is kept, store by store */
    int64_t kept;          /* blocks so far */
    bool asks;             /* this is the survey: blocks are numbers, and RECV keeps them */
    bool moves;            /* in place: what I send is in `moved` */
    bool joined;           /* a carrier finds its own block with what it collects */
    bool over_tree;
    tree how;
    int lanes, node, me; /* me: index in my node */
    int sources;         /* ranks of all other nodes */
    const int *before;   /* [nodes + 1]: destinations of my lane in all other nodes before this */
    store moved, collected, arrived;
    int first; /* `arrived` begins with what is for this rank of the lane */
} transit;

static bool carries(const transit *t)
{
    return t->me < t->lanes;
}

/* ---- who is on a lane ---- */

static int lane_size(const transit *t, int node, int lane)
{
    return (region_size(t->p, node) - lane + t->lanes - 1) / t->lanes;
}

/* Once for all nodes: a sum for each of them would take as long as their number squared. */
static const int *count_lane(const transit *t, int lane)
{
    int *before = sched_borrow(t->s, ((size_t)t->p->n + 1) * sizeof *before);

    for (int k = 0; before && k < t->p->n; k++)
        before[k + 1] = before[k] + (k == t->node ? 0 : lane_size(t, k, lane));
    return before;
}

static int lane_total(const transit *t)
{
    return t->before[t->p->n];
}

/* ---- places ---- */

static interval blocks_at(const store *in, int64_t block, int64_t n)
{
    int64_t begin = in->at ? in->at[block] : block * in->length;
    int64_t end = in->at ? in->at[block + n] : (block + n) * in->length;

    return interval_make(in->space, in->base + begin, end - begin);
}

static const int64_t *add_up(sched_builder *s, const int64_t *lengths, int64_t n)
{
    int64_t *at = sched_borrow(s, ((size_t)n + 1) * sizeof *at);

    for (int64_t i = 0; at && i < n; i++)
        at[i + 1] = at[i] + lengths[i];
    return at;
}

/* Room for the next n blocks of the survey, for the numbers themselves, or for equal blocks. */
static store make_store(transit *t, int64_t n)
{
    store made = {.space = SPACE_SCRATCH, .length = t->length};
    int64_t before = t->kept;

    t->kept += n;
    if (t->asks)
        return (store){.space = SPACE_RECV, .base = before, .length = 1};
    if (t->survey)
        made.at = add_up(t->s, t->survey + before, n);
    made.base = sched_scratch(t->s, (int64_t)blocks_at(&made, 0, n).length).offset;
    return made;
}

/* What has come for local rank x of the lane, from n ranks. */
static interval arrived_for(const transit *t, int x, int source, int n)
{
    return blocks_at(&t->arrived, (int64_t)(x - t->first) * t->sources + source, n);
}

/* What I send to a member of the node. */
static interval outgoing_to(const transit *t, int node, int member)
{
    int to = t->p->at[t->p->first[node] + member];

    return t->moves ? blocks_at(&t->moved, to, 1) : outgoing(t->b, to);
}

static interval incoming_from(const transit *t, int node, int member)
{
    return block(t->b, t->p->at[t->p->first[node] + member]);
}

/* ---- inside the node ---- */

/* In place, what is received would overwrite what is still to be sent. */
static void move_out(transit *t)
{
    int p = t->b->n;

    t->moved = make_store(t, p);
    for (int i = 0, n; i < p; i += n) {
        interval run = outgoing(t->b, i);
        for (n = 1; i + n < p && outgoing(t->b, i + n).offset == interval_end(run); n++)
            run.length += outgoing(t->b, i + n).length;
        sched_copy(t->s, run, blocks_at(&t->moved, i, n));
    }
}

/* Straight from rank to rank. */
static void exchange_local(const transit *t)
{
    int n = t->local.size;

    if (!t->moves)
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
    for (int k = 0; k < t->p->n; k++)
        for (int i = lane; k != t->node && i < region_size(t->p, k); i += t->lanes)
            sched_copy(t->s, outgoing_to(t, k, i), blocks_at(&t->collected, to++, 1));
}

static void recv_lane(const transit *t, int from, int total)
{
    sched_open(t->s, STEP_RECV, peer(&t->local, from));
    if (t->joined)
        sched_add(t->s, incoming_from(t, t->node, from));
    sched_add(t->s, blocks_at(&t->collected, (int64_t)from * total, total));
    sched_close(t->s);
}

static void collect(const transit *t)
{
    int n = t->local.size, total = carries(t) ? lane_total(t) : 0;

    for (int d = 1; d < n; d++) {
        int to = wrap(t->me + d, n), from = wrap(t->me - d, n);
        if (to < t->lanes)
            send_lane(t, to);
        if (carries(t))
            recv_lane(t, from, total);
    }
    if (carries(t))
        copy_lane(t, t->me, (int64_t)t->me * total);
}

/* An item for each local rank from `first` to the last of my subtree: its blocks in the store. */
static blockmap tree_items(const transit *t, const store *in, int first)
{
    int n = t->local.size;
    int64_t *counts = sched_borrow(t->s, 2 * (size_t)n * sizeof *counts);
    blockmap b = {.n = n, .pieces = 1, .blocks = n, .mine = -1};

    for (int i = first; counts && i < t->me + tree_size(t->how, t->me, n); i++) {
        interval item = blocks_at(in, (int64_t)(i - first) * t->sources, t->sources);
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

/* ---- cross ---- */

/* All that the ranks of my node have for my lane of that node, in one message; of a survey, what
 * will go on there. */
static void send_node(const transit *t, int node)
{
    int total = lane_total(t), at = t->before[node];

    sched_open(t->s, STEP_SEND, region_rank(t->p, node, t->me));
    for (int x = t->asks; x < lane_size(t, node, t->me); x++)
        for (int i = 0; i < t->local.size; i++)
            sched_add(t->s, blocks_at(&t->collected, (int64_t)i * total + at + x, 1));
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
        sched_add(t->s, incoming_from(t, node, i));
    for (int x = 1; x < lane_size(t, t->node, t->me); x++)
        sched_add(t->s, arrived_for(t, x, sources_before(t, node), n));
    sched_close(t->s);
}

static interval piece_of(const transit *t, interval block, int q)
{
    int n = t->b->pieces;

    return part_of(block, q % n, 1, (int64_t)block.length / n);
}

/* Piece q of what goes to that node, if there are so many: block after block, as above. */
static void send_piece(const transit *t, int node, int q)
{
    int block = q / t->b->pieces, x = block / t->local.size, i = block % t->local.size;
    int64_t at = (int64_t)i * lane_total(t) + t->before[node] + x;

    if (x < lane_size(t, node, t->me))
        sched_send(t->s, piece_of(t, blocks_at(&t->collected, at, 1), q),
                   region_rank(t->p, node, t->me));
}

static void recv_piece(const transit *t, int node, int q)
{
    int n = region_size(t->p, node), block = q / t->b->pieces, x = block / n, i = block % n;
    int from = region_rank(t->p, node, t->me);

    if (x < lane_size(t, t->node, t->me))
        sched_recv(t->s,
                   piece_of(t,
                            x == 0 ? incoming_from(t, node, i)
                                   : arrived_for(t, x, sources_before(t, node) + i, 1),
                            q),
                   from);
}

/* Pieces that go to, or come from, a node, at most. */
static int most_pieces(const transit *t)
{
    int most = 0;

    for (int k = 0; k < t->p->n; k++) {
        int out = lane_size(t, k, t->me) * t->local.size;
        int in = lane_size(t, t->node, t->me) * region_size(t->p, k);
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
            send_piece(t, wrap(t->node + d, t->p->n), q);
            recv_piece(t, wrap(t->node - d, t->p->n), q);
        }
}

static void cross(const transit *t)
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

/* ---- deliver ---- */

static void deliver(const transit *t)
{
    for (int x = 1; carries(t) && x < lane_size(t, t->node, t->me); x++)
        sched_send(t->s, arrived_for(t, x, 0, t->sources), peer(&t->local, t->me + x * t->lanes));
    if (carries(t))
        return;
    sched_open(t->s, STEP_RECV, peer(&t->local, t->me % t->lanes));
    for (int k = 0; k < t->p->n; k++)
        for (int i = 0; k != t->node && i < region_size(t->p, k); i++)
            sched_add(t->s, incoming_from(t, k, i));
    sched_close(t->s);
}

static void deliver_tree(const transit *t)
{
    blockmap items = tree_items(t, &t->arrived, t->first);
    int at = 0;

    if (items.in.counts)
        tree_scatter(t->how, &t->local, &items, t->s);
    for (int k = 0; !carries(t) && !t->asks && k < t->p->n; k++)
        for (int i = 0; k != t->node && i < region_size(t->p, k); i++)
            sched_copy(t->s, arrived_for(t, t->me, at++, 1), incoming_from(t, k, i));
}

/* ---- all of it ---- */

static void make_stores(transit *t)
{
    int held = t->over_tree ? tree_size(t->how, t->me, t->local.size) : t->local.size;
    int served = t->over_tree ? held : lane_size(t, t->node, t->me);

    if (t->asks || t->moves)
        move_out(t);
    else
        t->kept = t->b->n;
    if (!t->over_tree && !carries(t))
        return;
    t->collected = make_store(t, (int64_t)held * lane_total(t));
    t->first = carries(t) ? 1 : t->me;
    t->arrived = make_store(t, (int64_t)(served - carries(t)) * t->sources);
}

static void over_lanes(transit t)
{
    t.before = count_lane(&t, t.over_tree ? 0 : t.me);
    if (!t.before)
        return;
    t.joined = !t.asks && !t.over_tree && sched_form(t.s) == FORM_STEP;
    make_stores(&t);
    sched_phase(t.s, "inside nodes");
    if (!t.asks)
        exchange_local(&t);
    sched_phase(t.s, "collect");
    if (t.over_tree)
        collect_tree(&t);
    else
        collect(&t);
    sched_phase(t.s, "cross");
    if (carries(&t))
        cross(&t);
    sched_phase(t.s, "deliver");
    if (t.over_tree)
        deliver_tree(&t);
    else if (!t.asks)
        deliver(&t);
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
    over_lanes(t);
}

void transit_alltoall(const group *g, const blockmap *b, const int64_t *survey, sched_builder *s,
                      bool one_lane, tree how)
{
    transit t = {.s = s, .b = b, .survey = survey, .moves = in_place(b)};

    if (!has_nodes(g)) {
        exchange_all(g, b, s, in_place(b) ? PATTERN_SYMMETRIC : PATTERN_ROTATED, WINDOW);
        return;
    }
    if (!survey)
        t.length = (int64_t)block(b, 0).length; /* whole, in pieces or not */
    travel(t, g, one_lane, how);
}

void transit_survey(const group *g, sched_builder *s, bool one_lane, tree how)
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
