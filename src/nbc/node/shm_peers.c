/* SPDX-License-Identifier: BSD-3-Clause */
/* shm_peers.c - see shm_peers.h. */
#include "nbc/node/shm_peers.h"

#include "nbc/node/segment.h"
#include "nbc/node/shared_heap.h"
#include "nbc/process/fault_tolerance.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1 << 19,   /* bytes that a communicator wants at most of a slice */
    LEAST_LINES = 16, /* of a ring of small messages: half a KiB fits */
    MOST_LINES = 128,
    LEAST_BLOCKS = 16, /* of longer ones */
    MOST_BLOCKS = 2048
};

typedef struct ring_descriptor {
    _Atomic uint64_t number; /* from 1 on; written last */
    uint64_t init;           /* of which init of the communicator's */
    uint32_t at[RING_KINDS], lines[RING_KINDS];
    unsigned char unused[RING_LINE - 8 * 2 - 4 * 2 * RING_KINDS];
} ring_descriptor;

typedef struct mailbox {
    _Atomic uint64_t read; /* descriptors that the sender has read */
    unsigned char unused[RING_LINE - 8];
    ring_descriptor descriptor;
} mailbox;

/* Before the mailboxes. */
typedef struct part_head {
    _Atomic uint32_t shown; /* where this rank's list is (shm_peers_show); 0: nowhere */
    unsigned char unused[2 * RING_LINE - 4];
} part_head;

_Static_assert(sizeof(mailbox) % (2 * RING_LINE) == 0, "rings begin where pairs of lines do");
_Static_assert(sizeof(ring_descriptor) == RING_LINE, "one line");

/* Bytes of one sender's mailbox. */
static size_t mailbox_size(const uint32_t lines[RING_KINDS])
{
    size_t size = sizeof(mailbox);

    for (int kind = 0; kind < RING_KINDS; kind++)
        size += lines[kind] ? ring_size((ring_kind)kind, lines[kind]) : 0;
    return size;
}

/* ---- a communicator ---- */

/* Half of the lines as long as it is too much. False: not even the least is little enough. */
static bool shrink(uint32_t lines[RING_KINDS], size_t room)
{
    while (mailbox_size(lines) > room) {
        int kind = lines[RING_OF_BLOCKS] ? RING_OF_BLOCKS : RING_OF_LINES;

        if (lines[RING_OF_LINES] > LEAST_LINES && lines[RING_OF_BLOCKS] <= 4 * LEAST_BLOCKS)
            kind = RING_OF_LINES;
        if (kind == RING_OF_LINES && lines[kind] == LEAST_LINES)
            return false;
        lines[kind] = lines[kind] > LEAST_BLOCKS || kind == RING_OF_LINES ? lines[kind] / 2 : 0;
    }
    return true;
}

/* For each sender's mailbox; of more than some 200 ranks the least is more than is wanted. */
static size_t mailbox_room(size_t n)
{
    static const uint32_t least[RING_KINDS] = {LEAST_LINES, LEAST_BLOCKS};
    size_t room = segment_left() / SEGMENT_SHARE / n, wanted = MOST / n;

    if (wanted < mailbox_size(least))
        wanted = mailbox_size(least);
    return room < wanted ? room : wanted;
}

static void take_memory(shm_peers *l)
{
    uint32_t lines[RING_KINDS] = {MOST_LINES, MOST_BLOCKS};

    if (!shrink(lines, mailbox_room((size_t)l->n)))
        return;
    l->size = sizeof(part_head) + (size_t)l->n * mailbox_size(lines);
    l->memory = segment_take(l->size);
    if (!l->memory)
        return;
    l->mine.at = segment_where(l->memory);
    l->mine.lines[0] = lines[0];
    l->mine.lines[1] = lines[1];
}

static bool open_rings(ring rings[RING_KINDS], mailbox *box, const uint32_t lines[RING_KINDS],
                       bool receives)
{
    char *at = (char *)(box + 1);
    bool good = true;

    for (int kind = 0; kind < RING_KINDS; kind++) {
        if (!lines[kind])
            continue;
        good &= ring_open(&rings[kind], at, (ring_kind)kind, lines[kind], receives);
        at += ring_size((ring_kind)kind, lines[kind]);
    }
    return good;
}

static void *mailbox_at(void *memory, int k, const uint32_t lines[RING_KINDS])
{
    return (char *)memory + sizeof(part_head) + (size_t)k * mailbox_size(lines);
}

/* Which ranks share memory with me: a table from the first to the last of them, because those of a
 * node mostly follow one another. False: nobody, or out of memory. */
static bool find_shm_ranks(shm_peers *l, int p, int rank, const int *channel_rank)
{
    l->low = l->high = rank;
    for (int r = 0; r < p; r++)
        if (segment_shared_with(channel_rank ? channel_rank[r] : r)) {
            l->low = r < l->low ? r : l->low;
            l->high = r > l->high ? r : l->high;
        }
    if (l->low == l->high || !segment_shared_with(channel_rank ? channel_rank[rank] : rank))
        return false;
    l->of = malloc((size_t)(l->high - l->low + 1) * sizeof *l->of);
    for (int r = l->low; l->of && r <= l->high; r++) {
        bool shares = r != rank && segment_shared_with(channel_rank ? channel_rank[r] : r);
        l->of[r - l->low] = shares ? l->n++ : -1;
    }
    return l->of != NULL;
}

shm_peers *shm_peers_make(int p, int rank, const int *channel_rank)
{
    shm_peers *l = calloc(1, sizeof *l);
    bool good = l && find_shm_ranks(l, p, rank, channel_rank) &&
                (l->peer = calloc((size_t)l->n, sizeof *l->peer));

    if (good) {
        l->mine.takes = SHM_SENDS | (shared_heap_is_readable() ? SHM_READS_HEAP : 0) |
                        (segment_reads() ? SHM_READS_ALL : 0) |
                        (segment_exposes_all() ? SHM_EXPOSES_ALL : 0);
        take_memory(l);
    }
    for (int r = good ? l->low : 0; good && r <= l->high; r++)
        if (l->of[r - l->low] >= 0)
            l->peer[l->of[r - l->low]].pid = segment_pid(channel_rank ? channel_rank[r] : r);
    for (int k = 0; good && l->memory && k < l->n; k++) {
        l->peer[k].from = mailbox_at(l->memory, k, l->mine.lines);
        good = open_rings(l->peer[k].in, l->peer[k].from, l->mine.lines, true);
    }
    if (good)
        return l;
    shm_peers_free(l, true);
    return NULL;
}

/* I am the k-th sender in the other's mailboxes: among all but itself. */
static int my_index(const shm_peers *l, int rank, int me)
{
    int k = 0;

    for (int r = l->low; r < me; r++)
        k += r != rank && l->of[r - l->low] != -1;
    return k;
}

static void drop_peer(shm_peer *peer)
{
    for (int kind = 0; kind < RING_KINDS; kind++)
        ring_close(&peer->in[kind]);
    *peer = (shm_peer){0};
}

void shm_peers_join(shm_peers *l, int rank, int me, shm_offer its, bool same_node)
{
    shm_peer *peer = shm_peers_find(l, rank);

    if (!peer)
        return;
    if (fault_tolerance) /* who gives up must not wait for those that read from it */
        its.takes &= SHM_SENDS;
    if (!same_node || !its.takes) {
        drop_peer(peer);
        return;
    }
    peer->reads_heap = its.takes & SHM_READS_HEAP;
    peer->reads_all = its.takes & SHM_READS_ALL && l->mine.takes & SHM_EXPOSES_ALL;
    peer->both_read_heap = peer->reads_heap && l->mine.takes & SHM_READS_HEAP;
    peer->both_read_all =
        peer->reads_all && its.takes & SHM_EXPOSES_ALL && l->mine.takes & SHM_READS_ALL;
    if (!its.at)
        return;
    peer->head = segment_at(its.at);
    peer->to = mailbox_at(segment_at(its.at), my_index(l, rank, me), its.lines);
    open_rings(peer->out, peer->to, its.lines, false); /* a sender's ends need no memory */
}

static size_t used(const shm_peers *l)
{
    size_t bytes = 0;

    for (int k = 0; k < l->n; k++)
        for (int kind = 0; kind < RING_KINDS; kind++) {
            size_t n = ring_used(&l->peer[k].in[kind]);
            bytes += n && n < SEGMENT_TOUCHED ? SEGMENT_TOUCHED : n;
        }
    return bytes;
}

static void clear(shm_peer *peer)
{
    if (peer->published)
        memset(peer->from, 0, sizeof *peer->from);
    for (int kind = 0; kind < RING_KINDS; kind++)
        ring_clear(&peer->in[kind]);
}

static bool unread(const shm_peers *l)
{
    bool any = false;

    for (int k = 0; k < l->n; k++)
        for (int kind = 0; kind < RING_KINDS; kind++)
            any |= ring_used(&l->peer[k].in[kind]) && ring_unread(&l->peer[k].in[kind]);
    return any;
}

static void give_shown(shm_peers *l, bool in_step)
{
    if (!l->shown)
        return;
    if (!in_step) {
        segment_retire(l->shown, l->shown_size);
    } else if (l->shown_size > SEGMENT_CLEARED) {
        segment_return(l->shown, l->shown_size);
    } else {
        memset(l->shown, 0, l->shown_size);
        segment_give(l->shown, l->shown_size);
    }
}

static void give_memory(shm_peers *l, bool in_step)
{
    if (!segment_is_mine()) /* but a fork's parent's */
        return;
    give_shown(l, in_step);
    if (!in_step) {
        segment_retire(l->memory, l->size);
    } else if (used(l) > SEGMENT_CLEARED || unread(l)) {
        segment_return(l->memory, l->size);
    } else {
        if (l->shown)
            memset(l->memory, 0, sizeof(part_head));
        for (int k = 0; k < l->n; k++)
            clear(&l->peer[k]);
        segment_give(l->memory, l->size);
    }
}

void shm_peers_free(shm_peers *l, bool in_step)
{
    if (!l)
        return;
    if (l->memory && !l->broken)
        give_memory(l, in_step && l->peer);
    for (int k = 0; l->peer && k < l->n; k++)
        drop_peer(&l->peer[k]);
    free(l->peer);
    free(l->of);
    free(l);
}

/* ---- an init ---- */

bool shm_peers_show(shm_peers *l, const int64_t *words, size_t n)
{
    size_t bytes = n * sizeof *words;

    if (l->memory && !l->shown && bytes <= segment_left() / SEGMENT_SHARE) {
        l->shown = segment_take(bytes);
        l->shown_size = bytes;
    }
    if (!l->shown || bytes > l->shown_size)
        return false;
    memcpy(l->shown, words, bytes);
    atomic_store_explicit(&((part_head *)l->memory)->shown, segment_where(l->shown),
                          memory_order_release);
    return true;
}

const int64_t *shm_peer_shown(const shm_peer *l)
{
    uint32_t at = l->head ? atomic_load_explicit(&l->head->shown, memory_order_acquire) : 0;

    return at ? segment_at(at) : NULL;
}

/* ---- a request ---- */

void shm_peer_publish(shm_peer *l, const own_ring rings[RING_KINDS], uint64_t init)
{
    ring_descriptor *n = &l->from->descriptor;

    for (int kind = 0; kind < RING_KINDS; kind++) {
        n->at[kind] = segment_where(rings[kind].memory);
        n->lines[kind] = (uint32_t)rings[kind].ring.lines;
    }
    n->init = init;
    atomic_store_explicit(&n->number, ++l->published, memory_order_release);
}

/* A sender for which nothing has been published has not touched its mailbox. */
bool shm_peer_has_read(const shm_peer *l)
{
    return l->published == 0 ||
           atomic_load_explicit(&l->from->read, memory_order_acquire) == l->published;
}

static bool has_descriptor(const shm_peer *l)
{
    return atomic_load_explicit(&l->to->descriptor.number, memory_order_acquire) == l->polled + 1;
}

static void mark_read(shm_peer *l)
{
    atomic_store_explicit(&l->to->read, ++l->polled, memory_order_release);
}

bool shm_peer_poll(shm_peer *l, ring rings[RING_KINDS])
{
    const ring_descriptor *n = &l->to->descriptor;

    if (!has_descriptor(l))
        return false;
    for (int kind = 0; kind < RING_KINDS; kind++) {
        rings[kind] = (ring){0};
        if (n->lines[kind]) /* a sender's end needs no memory */
            ring_open(&rings[kind], segment_at(n->at[kind]), (ring_kind)kind, n->lines[kind],
                      false);
    }
    mark_read(l);
    return true;
}

void shm_peers_skip(shm_peers *l)
{
    for (int k = 0; l && k < l->n; k++) {
        shm_peer *peer = &l->peer[k];
        if (peer->to && has_descriptor(peer) && peer->to->descriptor.init == l->inits)
            mark_read(peer);
    }
}

bool shm_peers_have_read(const shm_peers *l)
{
    bool all = true;

    for (int k = 0; l && !l->broken && k < l->n; k++)
        all &= !l->peer[k].from || shm_peer_has_read(&l->peer[k]);
    return all;
}
