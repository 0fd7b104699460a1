/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_list.c - see halo_list.h.
 *
 * The bytes of all blocks for one node are cut wherever a range begins or ends. What lies between
 * two cuts is in a block as a whole or not at all, and gets its offset in what is fresh with the
 * first block that has it. n log n in the number of ranges.
 */
#include "algos/halo_list.h"

#include "nbc/sched/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct destination {
    int node, group, rank, index;
    int64_t bytes, fresh;
    int64_t piece, npieces; /* in maker.piece */
} destination;

/* An offset, and what is to be known of it. */
typedef struct mark {
    int64_t at, what;
} mark;

typedef struct maker {
    const halo_blocks *b;
    destination *to; /* [n], in order; only those with bytes for other nodes */
    int n;
    mark *cut;   /* each, and the offset in what is fresh of what follows it, -1: none yet; room for
                  those of all ranges */
    mark *spare; /* as much */
    int64_t ncuts;
    byte_range *piece;
    int64_t npieces, room;
} maker;

static int compare_destinations(const void *a, const void *b)
{
    const destination *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int compare_indices(const void *a, const void *b)
{
    const destination *x = a, *y = b;

    return x->index < y->index ? -1 : 1;
}

/* Where the run of rising offsets ends that begins at `first`. */
static int64_t end_of_run(const mark *m, int64_t n, int64_t first)
{
    int64_t i = first + 1;

    while (i < n && m[i - 1].at <= m[i].at)
        i++;
    return i < n ? i : n;
}

static void merge(const mark *a, const mark *end_a, const mark *b, const mark *end_b, mark *to)
{
    while (a < end_a && b < end_b)
        *to++ = a->at <= b->at ? *a++ : *b++;
    memcpy(to, a, (size_t)(end_a - a) * sizeof *to);
    memcpy(to + (end_a - a), b, (size_t)(end_b - b) * sizeof *to);
}

/* By offset: runs are merged two by two, because each type has few of them. The result is in one of
 * both. */
static mark *sort_marks(mark *m, mark *spare, int64_t n)
{
    while (end_of_run(m, n, 0) < n) {
        mark *from = m;
        for (int64_t first = 0, middle, end; first < n; first = end) {
            middle = end_of_run(m, n, first);
            end = middle < n ? end_of_run(m, n, middle) : n;
            merge(m + first, m + middle, m + middle, m + end, spare + first);
        }
        m = spare;
        spare = from;
    }
    return m;
}

static const byte_range *begin_of(const maker *m, const destination *d)
{
    return m->b->range + m->b->first[d->index];
}

static const byte_range *end_of(const maker *m, const destination *d)
{
    return m->b->range + m->b->first[d->index + 1];
}

/* Does a byte lie in two ranges of these destinations? Uses the room for cuts. */
static bool have_common_bytes(const maker *m, const destination *to, int n)
{
    const mark *all;
    int64_t count = 0;

    for (int i = 0; i < n; i++)
        for (const byte_range *r = begin_of(m, &to[i]); r < end_of(m, &to[i]); r++)
            if (r->length > 0)
                m->cut[count++] = (mark){r->at, r->length};
    all = sort_marks(m->cut, m->spare, count);
    for (int64_t i = 1; i < count; i++)
        if (all[i].at < all[i - 1].at + all[i - 1].what)
            return true;
    return false;
}

/* Where ranges begin, and where they end. */
static void make_cuts(maker *m, const destination *to, int n)
{
    mark *all;
    int64_t count = 0;

    for (int i = 0; i < n; i++) {
        for (const byte_range *r = begin_of(m, &to[i]); r < end_of(m, &to[i]); r++)
            m->cut[count++] = (mark){r->at, -1};
        for (const byte_range *r = begin_of(m, &to[i]); r < end_of(m, &to[i]); r++)
            m->cut[count++] = (mark){r->at + r->length, -1};
    }
    all = sort_marks(m->cut, m->spare, count);
    if (all == m->spare) {
        m->spare = m->cut;
        m->cut = all;
    }
    m->ncuts = 0;
    for (int64_t i = 0; i < count; i++)
        if (m->ncuts == 0 || all[i].at != all[m->ncuts - 1].at)
            all[m->ncuts++] = all[i];
}

/* guess: it may be this one. */
static mark *find_cut(const maker *m, int64_t at, mark *guess)
{
    mark *low = m->cut, *high = m->cut + m->ncuts;

    if (guess && guess < high && guess->at == at)
        return guess;
    while (low->at != at) {
        mark *middle = low + (high - low) / 2;
        if (middle->at <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* To the pieces of a block, the last of which may go on. False: no memory. */
static bool append_piece(maker *m, destination *d, int64_t offset, int64_t length)
{
    byte_range *last = d->npieces > 0 ? &m->piece[m->npieces - 1] : NULL;

    if (last && last->at + last->length == offset) {
        last->length += length;
        return true;
    }
    if (m->npieces == m->room) {
        int64_t room = 2 * m->room + 64;
        byte_range *larger = realloc(m->piece, (size_t)room * sizeof *larger);
        if (!larger)
            return false;
        m->piece = larger;
        m->room = room;
    }
    m->piece[m->npieces++] = (byte_range){offset, length};
    d->npieces++;
    return true;
}

/* *fresh: of all blocks so far. */
static bool cut_block(maker *m, destination *d, int64_t *fresh)
{
    int64_t before = *fresh;
    mark *c = NULL;

    d->piece = m->npieces;
    for (const byte_range *r = begin_of(m, d); r < end_of(m, d); r++)
        for (c = find_cut(m, r->at, c ? c + 1 : NULL); c->at < r->at + r->length; c++) {
            int64_t length = c[1].at - c->at;
            if (c->what < 0) {
                c->what = *fresh;
                *fresh += length;
            }
            if (!append_piece(m, d, c->what, length))
                return false;
        }
    d->fresh = *fresh - before;
    if (d->fresh == d->bytes) { /* it is as it comes */
        m->npieces = d->piece;
        d->npieces = 0;
    }
    return true;
}

/* All of one group. */
static bool cut_group(maker *m, destination *to, int n)
{
    int64_t fresh = 0;

    if (!have_common_bytes(m, to, n))
        return true;
    make_cuts(m, to, n);
    for (int i = 0; i < n; i++)
        if (!cut_block(m, &to[i], &fresh))
            return false;
    return true;
}

static bool cut_all(maker *m)
{
    for (int first = 0, last; first < m->n; first = last) {
        for (last = first + 1; last < m->n && m->to[last].node == m->to[first].node &&
                               m->to[last].group == m->to[first].group;)
            last++;
        if (!cut_group(m, m->to + first, last - first))
            return false;
    }
    return true;
}

static int64_t bytes_of(const halo_blocks *b, int i)
{
    int64_t bytes = 0;

    for (int64_t k = b->first[i]; k < b->first[i + 1]; k++)
        bytes += b->range[k].length;
    return bytes;
}

static int group_of(const topo_level *nodes, int rank, int groups)
{
    int node = nodes->region[rank];

    return halo_group(topo_position(nodes, rank), nodes->first[node + 1] - nodes->first[node],
                      groups);
}

static void find_destinations(maker *m, const coll_neighbors *n, const topo_level *nodes,
                              int groups, int me)
{
    for (int i = 0; i < n->ndestinations; i++) {
        int rank = n->destinations[i];
        int64_t bytes = bytes_of(m->b, i);
        if (rank >= 0 && nodes->region[rank] != nodes->region[me] && bytes > 0)
            m->to[m->n++] = (destination){.node = nodes->region[rank],
                                          .group = group_of(nodes, rank, groups),
                                          .rank = rank,
                                          .index = i,
                                          .bytes = bytes,
                                          .fresh = bytes};
    }
}

/* Without pieces. */
static void write_edges(int64_t *to, const coll_neighbors *n, const halo_blocks *b)
{
    *to++ = n->ndestinations;
    *to++ = n->nsources;
    for (int i = 0; i < n->ndestinations; i++, to += HALO_DESTINATION) {
        to[0] = n->destinations[i];
        to[1] = to[2] = n->destinations[i] < 0 ? 0 : bytes_of(b, i);
        to[3] = 0;
    }
    for (int i = 0; i < n->nsources; i++, to += HALO_SOURCE) {
        to[0] = n->sources[n->order[i]];
        to[1] = to[0] < 0 ? 0 : b->received[n->order[i]];
    }
}

/* Pieces come in the order of the list. */
static int64_t *write_list(maker *m, const coll_neighbors *n)
{
    int64_t words = halo_list_words(n->ndestinations, n->nsources);
    int64_t *list = malloc((size_t)(words + HALO_PIECE * m->npieces) * sizeof *list), *to;

    if (!list)
        return NULL;
    write_edges(list, n, m->b);
    if (m->n > 0)
        qsort(m->to, (size_t)m->n, sizeof *m->to, compare_indices);
    to = list + words;
    for (const destination *d = m->to; d < m->to + m->n; d++) {
        int64_t *edge = list + HALO_HEAD + HALO_DESTINATION * d->index;
        edge[2] = d->fresh;
        edge[3] = d->npieces;
        if (d->npieces > 0)
            memcpy(to, m->piece + d->piece, (size_t)d->npieces * sizeof *m->piece);
        to += HALO_PIECE * d->npieces;
    }
    return list;
}

/* Does each range begin where the one before it has ended, or later? Then none have bytes in
 * common; most programs have such blocks. */
static bool ranges_rise(const halo_blocks *b, int64_t n)
{
    int64_t end = INT64_MIN;

    for (const byte_range *r = b->range; r < b->range + n; r++) {
        if (r->length > 0 && r->at < end)
            return false;
        if (r->length > 0)
            end = r->at + r->length;
    }
    return true;
}

int64_t *halo_list(const coll_neighbors *n, const topo *t, int groups, int me, const halo_blocks *b)
{
    const topo_level *nodes = topo_nodes(t);
    size_t ranges = (size_t)b->first[n->ndestinations];
    maker m = {.b = b};
    int64_t *list = NULL;

    if (!nodes || ranges_rise(b, (int64_t)ranges))
        return write_list(&m, n);
    m.to = malloc(((size_t)n->ndestinations + 1) * sizeof *m.to);
    m.cut = malloc((2 * ranges + 1) * sizeof *m.cut);
    m.spare = malloc((2 * ranges + 1) * sizeof *m.spare);
    if (m.to && m.cut && m.spare) {
        find_destinations(&m, n, nodes, groups, me);
        qsort(m.to, (size_t)m.n, sizeof *m.to, compare_destinations);
        if (cut_all(&m))
            list = write_list(&m, n);
    }
    free(m.to);
    free(m.cut);
    free(m.spare);
    free(m.piece);
    return list;
}

/* ---- are both ends of all edges alike? ---- */

/* How many edges there are between this rank and another one. */
typedef struct counter {
    int64_t rank, n;
} counter;

/* Open addressing, of a power of two of them, with room. */
static counter *find_counter(counter *all, size_t size, int64_t rank)
{
    size_t i = (size_t)rank & (size - 1);

    while (all[i].n > 0 && all[i].rank != rank)
        i = (i + 1) & (size - 1);
    all[i].rank = rank;
    return &all[i];
}

/* kth: of the edges between the two. */
static uint64_t hash_edge(int64_t from, int64_t to, int64_t kth, int64_t length)
{
    const int64_t parts[] = {from, to, kth, length, 0}; /* 0: else few of them may sum to zero */

    return hash_words(parts, sizeof parts);
}

bool halo_list_balance(const int64_t *list, int me, uint64_t *sum)
{
    const int64_t *at = list + HALO_HEAD;
    int64_t most = list[0] > list[1] ? list[0] : list[1];
    size_t size = 2;
    counter *all;

    while (size < 2 * (size_t)most)
        size *= 2;
    all = calloc(size, sizeof *all);
    if (!all)
        return false;
    *sum = 0;
    for (int64_t i = 0; i < list[0]; i++, at += HALO_DESTINATION)
        if (at[0] >= 0)
            *sum += hash_edge(me, at[0], find_counter(all, size, at[0])->n++, at[1]);
    memset(all, 0, size * sizeof *all);
    for (int64_t i = 0; i < list[1]; i++, at += HALO_SOURCE)
        if (at[0] >= 0)
            *sum -= hash_edge(at[0], me, find_counter(all, size, at[0])->n++, at[1]);
    free(all);
    return true;
}
