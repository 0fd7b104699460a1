/* SPDX-License-Identifier: BSD-3-Clause */
/* shm_peers.h - the rings of one communicator, between its members that share memory.
 *
 * Before the handshake (handshake.h) every member takes a part of its slice for the rings into it.
 * The handshake sends to the others where that is. A rank without memory for it offers none, and
 * everybody sends to it through MPI.
 *
 *   memory of member k    what the others write to me and what I publish for them:
 *     [ where my list is | mailbox of sender 0 | mailbox of sender 1 | ... ]  senders in the order
 *                                                                            of ranks, without me
 *   mailbox of a sender
 *     [ read | ring descriptor | ring of lines | ring of blocks ]
 *
 * These two rings are for non-blocking operations, which all ranks begin in the same order, so that
 * positions go on from one to the next. Persistent requests are started in any order. So each has
 * rings of its own: the receiver makes them in the init, and publishes their descriptor in the
 * sender's mailbox. Both know from the schedule whether there is anything to publish. All ranks
 * publish, then agree that the init is right on all of them, then read what was published: so an
 * init waits once. The sender counts the descriptors that it has read. Only after that the next one
 * is written, or the mailbox freed.
 */
#ifndef TUTTI_SHM_PEERS_H
#define TUTTI_SHM_PEERS_H

#include "nbc/node/own_ring.h"
#include <stdatomic.h>
#include <stdint.h>

/* What a rank offers: an address in the segment, and the sizes of the rings there. No padding. */
typedef struct shm_offer {
    uint32_t at, lines[RING_KINDS]; /* at 0: none */
    uint32_t takes;                 /* SHM_: what it does with the rings that others offer */
} shm_offer;

enum {
    SHM_SENDS = 1,      /* it sends to them */
    SHM_READS_HEAP = 2, /* it reads what is exposed there of a shared heap */
    SHM_READS_ALL = 4,  /* it reads what is exposed there of any other memory */
    SHM_EXPOSES_ALL = 8 /* it exposes any other memory */
};

/* To and from one other member. */
typedef struct shm_peer {
    ring in[RING_KINDS], out[RING_KINDS];
    struct mailbox *from, *to;  /* in my memory, in the other's; NULL: nothing goes this way */
    struct part_head *head;     /* of the other's memory, or NULL */
    uint64_t published, polled; /* ring descriptors that have been written, and read */
    int64_t pid;                /* of the other: to read what it exposes of other memory */
    bool reads_heap;            /* the other can read what I expose of my shared heap */
    bool reads_all;             /* the other can read what I expose of any memory */
    bool both_read_heap;        /* each can read what the other exposes of its shared heap */
    bool both_read_all;         /* each can read what the other exposes of any memory */
    int64_t eager;              /* bytes: longer messages are exposed */
} shm_peer;

typedef struct shm_peers {
    int n;          /* other members that share memory */
    int low, high;  /* the first and the last of all that do, me too */
    int32_t *of;    /* [high - low + 1]: index of a rank among them; -1: MPI only */
    shm_peer *peer; /* [n] */
    void *memory;   /* mine in the segment, or NULL */
    size_t size;    /* bytes of it */
    void *shown;    /* the list of shm_peers_show in the segment, or NULL */
    size_t shown_size;
    shm_offer mine;
    uint64_t inits;    /* that have been agreed on or refused, the same on all ranks */
    atomic_int broken; /* error: a rank has failed, so that nobody may wait for what it would write,
                          and others may write what nobody reads */
} shm_peers;

/* Before the handshake: my offer, for a communicator of p ranks, of which channel_rank[r] (NULL: r)
 * is the rank in the channel. NULL: nobody to share with, or out of memory. */
shm_peers *shm_peers_make(int p, int rank, const int *channel_rank);

/* After it: what that rank has offered. same_node: are both on one node, as all ranks see it? */
void shm_peers_join(shm_peers *l, int rank, int me, shm_offer its, bool same_node);

/* in_step: this rank has made all calls of the communicator that the others have made. Else what
 * they write is not read, and may be still to come. */
void shm_peers_free(shm_peers *l, bool in_step);

/* The peer of that rank, or NULL. */
static inline shm_peer *shm_peers_find(const shm_peers *l, int rank)
{
    if (!l || rank < l->low || rank > l->high || l->of[rank - l->low] < 0)
        return NULL;
    return &l->peer[l->of[rank - l->low]];
}

/* ---- in an init ---- */

/* Copy a list of n words to where every peer can read it. The next call overwrites it, with a list
 * as long: by then all ranks have agreed once more after they have read it. False: there is no
 * room. */
bool shm_peers_show(shm_peers *l, const int64_t *words, size_t n);

/* The list that a peer has shown, or NULL. */
const int64_t *shm_peer_shown(const shm_peer *l);

/* ---- for one request ---- */

/* Publish rings for the sender, in the init of this number. */
void shm_peer_publish(shm_peer *l, const own_ring rings[RING_KINDS], uint64_t init);

/* Has the sender read what was published for it? */
bool shm_peer_has_read(const shm_peer *l);

/* Have all senders? l: or NULL. */
bool shm_peers_have_read(const shm_peers *l);

/* Read the next ring descriptor, and attach to its rings. False: it has not been published yet. */
bool shm_peer_poll(shm_peer *l, ring rings[RING_KINDS]);

/* The init has failed on all ranks, after all have published: its descriptors count as read. l: or
 * NULL. */
void shm_peers_skip(shm_peers *l);

#endif
