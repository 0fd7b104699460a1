/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_data.c - see coll_data.h. Memory failures abort: it is a test tool. */
#include "sim/coll_data.h"

#include "sim/must.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0x5a, MARGIN = 2 };

static const coll_shape *shape_of(const coll_data *d)
{
    return &coll_shapes[d->kind];
}

/* Does somebody send different data to each? */
static bool to_each(const coll_data *d)
{
    return shape_of(d)->send > COLL_ONE;
}

/* Is what is sent reduced, block by block, and scattered? */
static bool scatters_sum(const coll_data *d)
{
    return to_each(d) && coll_has(d->kind, COLL_REDUCES);
}

/* ---- the blocks ---- */

/* Items from one rank to another. Listed ones are unequal, a quarter or a third of them none; the
 * same in both directions where an exchange is in place. */
static int64_t count_of(const coll_data *d, int from, int to)
{
    int64_t half = d->count / 2 + 1;

    if (!coll_is_v(d->kind) || d->count == 0)
        return d->count;
    if (!to_each(d))
        return from * 5 % 3 * half;
    if (scatters_sum(d)) /* the first is shorter than a later one: see test_pieces.c */
        return (to * 5 + 1) % 3 * half;
    return (d->in_place ? from + to : from + 3 * to) * 7 % 4 * half;
}

/* Listed ones in another order than the ranks, with gaps of 0 to 3 items. */
static void place_blocks(const coll_data *d, data_side *s, int turn)
{
    bool listed = s->extent == COLL_LISTED;

    for (int i = 0; i < d->p; i++) {
        int r = listed ? (i + turn) % d->p : i;
        s->length += listed ? r % 4 : 0;
        s->displs[r] = s->length;
        s->length += s->counts[r];
    }
}

static void open_side(const coll_data *d, data_side *s, coll_extent extent)
{
    s->extent = extent;
    s->counts = sim_zeroed((size_t)d->p * 2, sizeof *s->counts);
    s->displs = s->counts + d->p;
}

static data_side send_side(const coll_data *d, int rank)
{
    data_side s = {.length = 0};

    open_side(d, &s, shape_of(d)->send);
    if (s.extent == COLL_ONE)
        s.counts[0] = s.length = count_of(d, rank, 0);
    for (int r = 0; r < d->p && s.extent > COLL_ONE; r++)
        s.counts[r] = count_of(d, rank, r);
    if (s.extent > COLL_ONE)
        place_blocks(d, &s, d->p / 3);
    return s;
}

static data_side recv_side(const coll_data *d, int root, int rank)
{
    data_side s = {.length = 0};

    open_side(d, &s, shape_of(d)->recv);
    if (s.extent == COLL_ONE)
        s.counts[0] = s.length = to_each(d) ? count_of(d, root, rank) : d->count;
    for (int r = 0; r < d->p && s.extent > COLL_ONE; r++)
        s.counts[r] = count_of(d, r, to_each(d) ? rank : 0);
    if (s.extent > COLL_ONE)
        place_blocks(d, &s, d->p / 2);
    return s;
}

/* What the rank has of them. In place, all that is reduced lies in RECV. */
static void find_sides(const coll_data *d, rank_data *k, int rank)
{
    coll_sides has = coll_sides_of(d->kind, rank, k->root, k->in_place);

    k->send = send_side(d, rank);
    k->recv = recv_side(d, k->root, rank);
    if (k->in_place && scatters_sum(d))
        k->recv.length = k->send.length;
    k->sent = k->in_place && !scatters_sum(d) ? k->recv : k->send;
    k->send.there = has.send != COLL_NONE;
    k->recv.there = has.recv != COLL_NONE;
    k->send.length *= k->send.there;
    k->recv.length *= k->recv.there;
}

/* ---- what is in them ---- */

static uint64_t *buffer_of(const data_side *s)
{
    size_t bytes = ((size_t)s->length + MARGIN) * sizeof(uint64_t);
    uint64_t *buffer = sim_zeroed(bytes, 1);

    memset(buffer, POISON, bytes);
    return buffer;
}

/* What the rank sends, at its blocks. */
static void fill_sent(const coll_data *d, const rank_data *k, int rank, const data_side *s,
                      uint64_t *buffer)
{
    bool mine = s->extent > COLL_ONE && !to_each(d); /* one of many */

    for (int r = 0, to = 0; r < (s->extent == COLL_ONE ? 1 : d->p); r++) {
        if (s->extent != COLL_ONE && d->part[r] != d->part[rank])
            continue;
        for (int64_t i = 0; i < s->counts[r] && (!mine || r == rank); i++)
            buffer[s->displs[r] + i] = oracle_sent(&k->o, k->index, to_each(d) ? to : 0, i);
        to++;
    }
}

static void fill_block(const rank_data *k, int at, int block)
{
    for (int64_t i = 0; i < k->recv.counts[at]; i++)
        k->expected[k->recv.displs[at] + i] = oracle_received(&k->o, k->index, block, i);
}

/* Where all receive the same, what the first rank of the part has been found to receive. */
static void fill_expected(const coll_data *d, const rank_data *ranks, int rank)
{
    const rank_data *k = &ranks[rank], *first = &ranks[k->first];
    bool vector = k->recv.extent == COLL_ONE;

    if (coll_has(d->kind, COLL_EXCLUSIVE) && k->index == 0)
        return;
    if (rank != k->first && vector && oracle_is_common(d->kind)) {
        memcpy(k->expected, first->expected, (size_t)k->recv.length * sizeof *k->expected);
        return;
    }
    for (int r = 0, block = 0; r < (vector ? 1 : d->p); r++)
        if (vector || d->part[r] == d->part[rank])
            fill_block(k, r, block++);
}

/* Where nothing is sent the root has the data in RECV. */
static bool is_source(const coll_data *d, const rank_data *k, int rank)
{
    return shape_of(d)->send == COLL_NONE && rank == k->root;
}

static void find_part(rank_data *k, const coll_data *d, int rank)
{
    k->o = (oracle){
        .kind = d->kind, .noncommutative = d->noncommutative, .turn = d->turn + d->part[rank]};
    for (int r = 0; r < d->p; r++)
        if (d->part[r] == d->part[rank]) {
            k->index = r == rank ? k->o.p : k->index;
            k->first = k->o.p++ ? k->first : r;
        }
    k->o.root = d->root % k->o.p;
    for (int r = 0, index = 0; r < d->p; r++)
        if (d->part[r] == d->part[rank] && index++ == k->o.root)
            k->root = r;
}

/* Only the root of a rooted one may be in place. */
static bool is_in_place(const coll_data *d, const rank_data *k, int rank)
{
    return d->in_place && (!coll_has(d->kind, COLL_ROOTED) || rank == k->root);
}

void rank_data_make(rank_data *ranks, const coll_data *d, int rank)
{
    rank_data *k = &ranks[rank];
    size_t bytes;

    *k = (rank_data){.index = 0};
    find_part(k, d, rank);
    k->in_place = is_in_place(d, k, rank);
    find_sides(d, k, rank);
    k->sends = buffer_of(&k->send);
    k->recvs = buffer_of(&k->recv);
    if (k->send.there)
        fill_sent(d, k, rank, &k->send, k->sends);
    else if (is_source(d, k, rank))
        fill_sent(d, k, rank, &k->recv, k->recvs);
    else if (k->in_place)
        fill_sent(d, k, rank, &k->sent, k->recvs);
    bytes = ((size_t)k->recv.length + MARGIN) * sizeof *k->recvs;
    k->expected = sim_zeroed(bytes, 1);
    memcpy(k->expected, k->recvs, bytes);
    if (k->recv.there)
        fill_expected(d, ranks, rank);
}

void rank_data_free(rank_data *k)
{
    free(k->send.counts);
    free(k->recv.counts);
    free(k->sends);
    free(k->recvs);
    free(k->expected);
    *k = (rank_data){0};
}

bool rank_data_right(const rank_data *k)
{
    return memcmp(k->recvs, k->expected, ((size_t)k->recv.length + MARGIN) * sizeof *k->recvs) == 0;
}
