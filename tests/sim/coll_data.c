/* coll_data.c - see coll_data.h. Memory failures abort: it is a test tool. */
#include "sim/coll_data.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0x5a, MARGIN = 2 };

static const coll_shape *shape_of(const coll_data *d)
{
    return &coll_shapes[d->kind];
}

/* Does a rank send different data to each? */
static bool to_each(const coll_data *d)
{
    return shape_of(d)->send >= COLL_EACH;
}

static void *zeroed(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);

    if (!memory)
        abort();
    return memory;
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

static data_side send_side(const coll_data *d, int rank)
{
    data_side s = {.extent = shape_of(d)->send};

    s.counts = zeroed((size_t)d->p * 2, sizeof *s.counts);
    s.displs = s.counts + d->p;
    if (s.extent == COLL_ONE)
        s.counts[0] = s.length = count_of(d, rank, 0);
    for (int r = 0; r < d->p && s.extent >= COLL_EACH; r++)
        s.counts[r] = count_of(d, rank, r);
    if (s.extent >= COLL_EACH)
        place_blocks(d, &s, d->p / 3);
    return s;
}

static data_side recv_side(const coll_data *d, int rank)
{
    data_side s = {.extent = shape_of(d)->recv};

    s.counts = zeroed((size_t)d->p * 2, sizeof *s.counts);
    s.displs = s.counts + d->p;
    if (s.extent == COLL_ONE)
        s.counts[0] = s.length = d->count;
    for (int r = 0; r < d->p && s.extent >= COLL_EACH; r++)
        s.counts[r] = count_of(d, r, to_each(d) ? rank : 0);
    if (s.extent >= COLL_EACH)
        place_blocks(d, &s, d->p / 2);
    return s;
}

/* ---- what is in them ---- */

static uint64_t *buffer_of(const data_side *s)
{
    size_t bytes = ((size_t)s->length + MARGIN) * sizeof(uint64_t);
    uint64_t *buffer = zeroed(bytes, 1);

    memset(buffer, POISON, bytes);
    return buffer;
}

/* What the rank sends, at its blocks of one side: of RECV, if the call is in place. */
static void fill_sent(const coll_data *d, const rank_data *k, int rank, const data_side *s,
                      uint64_t *buffer)
{
    bool mine = s->extent >= COLL_EACH && !to_each(d); /* one of many */

    for (int r = 0, to = 0; r < (s->extent == COLL_ONE ? 1 : d->p); r++) {
        if (s->extent != COLL_ONE && d->part[r] != d->part[rank])
            continue;
        for (int64_t i = 0; i < s->counts[r] && (!mine || r == rank); i++)
            buffer[s->displs[r] + i] = oracle_sent(&k->o, k->index, to_each(d) ? to : 0, i);
        to++;
    }
}

static void fill_block(const rank_data *k, int rank, int block)
{
    for (int64_t i = 0; i < k->recv.counts[rank]; i++)
        k->expected[k->recv.displs[rank] + i] = oracle_received(&k->o, k->index, block, i);
}

/* Where all receive the same, what the first rank of the part has been found to receive. */
static void fill_expected(const coll_data *d, const rank_data *ranks, int rank)
{
    const rank_data *k = &ranks[rank], *first = &ranks[k->first];
    bool vector = k->recv.extent == COLL_ONE;

    if (rank != k->first && vector && oracle_is_common(d->kind)) {
        memcpy(k->expected, first->expected, (size_t)k->recv.length * sizeof *k->expected);
        return;
    }
    for (int r = 0, block = 0; r < (vector ? 1 : d->p); r++)
        if (vector || d->part[r] == d->part[rank])
            fill_block(k, r, block++);
}

/* Where nothing is sent the root has the data in RECV. */
static bool is_source(const coll_data *d, const rank_data *k)
{
    return shape_of(d)->send == COLL_NONE && k->index == k->o.root;
}

static void find_part(rank_data *k, const coll_data *d, int rank)
{
    k->o = (oracle){.kind = d->kind, .ordered = d->ordered, .turn = d->turn + d->part[rank]};
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

void rank_data_make(rank_data *ranks, const coll_data *d, int rank)
{
    rank_data *k = &ranks[rank];
    size_t bytes;

    *k = (rank_data){.send = send_side(d, rank), .recv = recv_side(d, rank)};
    find_part(k, d, rank);
    k->sends = buffer_of(&k->send);
    k->recvs = buffer_of(&k->recv);
    if (k->send.extent != COLL_NONE && !d->in_place)
        fill_sent(d, k, rank, &k->send, k->sends);
    if (k->recv.extent != COLL_NONE && (d->in_place || is_source(d, k)))
        fill_sent(d, k, rank, &k->recv, k->recvs);
    bytes = ((size_t)k->recv.length + MARGIN) * sizeof *k->recvs;
    k->expected = zeroed(bytes, 1);
    memcpy(k->expected, k->recvs, bytes);
    if (k->recv.extent != COLL_NONE)
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
