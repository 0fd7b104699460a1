/* SPDX-License-Identifier: BSD-3-Clause */
/* links.h - the rings of one communicator, between its members that share memory.
 *
 * Every member gives away a part of its slice for the rings into it, before the handshake
 * (handshake.h), which tells the others where that is; a rank that has none left offers none, and
 * everybody sends to it by MPI.
 *
 *   desk of member k    what the others write to me and I tell them:
 *     [ desk of sender 0 | desk of sender 1 | ... ]    in the order of their ranks, without me
 *   desk of a sender
 *     [ taken | notice | ring of lines | ring of blocks ]
 *
 * The two rings are for non-blocking operations, which all ranks begin in the same order, so that
 * positions go on from one to the next. Persistent requests are started in any order: each has
 * rings of its own, which the receiver makes in the init and tells the sender in a notice. Both
 * know from the schedule whether there is anything to tell. All ranks tell, then agree that the
 * init is right on all of them, then read what they were told: so an init waits once. The sender
 * marks a notice that it has read; the next one is written, and the desk given back, only then.
 */
#ifndef TUTTI_LINKS_H
#define TUTTI_LINKS_H

#include "nbc/node/ring.h"
#include <stdatomic.h>
#include <stdint.h>

/* What a rank offers: a place in the segment, and the sizes of the rings there. No padding. */
typedef struct link_offer {
    uint32_t at, lines[RING_KINDS]; /* at 0: none */
    uint32_t takes;                 /* LINK_: what it does with the rings that others offer */
} link_offer;

enum {
    LINK_SENDS = 1,  /* it sends to them */
    LINK_STORES = 2, /* it reads what is lent there of a store */
    LINK_ALL = 4,    /* it reads what is lent there of any other memory */
    LINK_LENDS = 8   /* it lends any other memory */
};

/* To and from one other member. */
typedef struct node_link {
    ring in[RING_KINDS], out[RING_KINDS];
    struct link_desk *from, *to; /* in my memory, in the other's; NULL: nothing goes this way */
    uint64_t told, heard;        /* notices */
    int64_t pid;                 /* of the other: to read what it lends of other memory */
    bool reads_store, reads_all; /* the other can read what I lend: of my store, of any memory */
    bool both_stores;            /* each can read what the other lends of its store */
    bool both_read;              /* each can read what the other lends of any memory */
    int64_t eager;               /* bytes: longer messages are lent */
} node_link;

typedef struct links {
    int n;           /* other members that share memory */
    int low, high;   /* the first and the last of all that do, me too */
    int32_t *of;     /* [high - low + 1]: index of a rank among them; -1: MPI only */
    node_link *link; /* [n] */
    void *memory;    /* mine in the segment, or NULL */
    size_t size;     /* bytes of it */
    link_offer mine;
    uint64_t inits;    /* that have been agreed on or refused, all ranks alike */
    atomic_int broken; /* error: a rank has failed, so that nobody may wait for what it would write,
                          and others may write what nobody reads */
} links;

/* Before the handshake: my offer, for a communicator of p ranks, of which place[r] (NULL: r) is the
 * place in the channel. NULL: nobody to share with, or out of memory. */
links *links_make(int p, int rank, const int *place);

/* After it: what that rank has offered. same_node: are both on one node, as all ranks see it? */
void links_join(links *l, int rank, int me, link_offer its, bool same_node);

/* in_step: this rank has made all calls of the communicator that the others have made. Else what
 * they write is not read, and may be still to come. */
void links_free(links *l, bool in_step);

/* The way to a rank, or NULL. */
static inline node_link *links_to(const links *l, int rank)
{
    if (!l || rank < l->low || rank > l->high || l->of[rank - l->low] < 0)
        return NULL;
    return &l->link[l->of[rank - l->low]];
}

/* ---- for one request ---- */

/* Bytes for each of so many rings that are made together, so that the last one gets as much as the
 * first. */
size_t own_rings_room(int rings);

/* A ring into my slice, with room for two starts of so many lines if that is not more than `room`
 * bytes; no lines: there is none. False: out of other memory; there is no ring then. */
typedef struct own_ring {
    ring ring;
    void *memory;
    size_t size;
} own_ring;

bool own_ring_make(own_ring *r, ring_kind kind, uint64_t lines, size_t room);
void own_ring_free(own_ring *r);

/* Tell the sender which rings there are, in the init of this number; and has it read that? */
void link_tell(node_link *l, const own_ring rings[RING_KINDS], uint64_t init);
bool link_told(const node_link *l);

/* Have all senders? l: or NULL. */
bool links_told(const links *l);

/* Hear of the next notice, and attach to its rings. False: it has not come yet. */
bool link_hear(node_link *l, ring rings[RING_KINDS]);

/* The init has failed on all ranks, after all have told: what has come of it counts as heard. l: or
 * NULL. */
void links_skip(links *l);

#endif
