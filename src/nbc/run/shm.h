/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.h - the messages of an exec that go through shared memory (node/shm_peers.h) instead of MPI.
 *
 * Which ones follows from what both sides know: the two ranks share memory, the receiver has a ring
 * for messages of this length, and the ring is long enough. Messages of a non-blocking operation go
 * through the communicator's rings, those of a persistent one through rings of its own. Their data
 * is packed, or copied directly where it is one contiguous range of bytes.
 *
 * A longer message is not copied into the ring but exposed (ring.h): its receiver copies, unpacks
 * or reduces it where it is, then acknowledges, and then the send is complete. That needs data that
 * the receiver can read: in the shared heap; or anywhere, if the message is longer than `eager`
 * (shm_peers.h) and the kernel lets the receiver read the sender's memory (vmread.h). If it does
 * not, and the ring is short, a copy in the shared heap is exposed (pool.h). Data that is only to
 * be reduced is reduced out of the ring, or out of what is exposed, without a copy in scratch.
 *
 * A slot in a ring is taken when an operation begins. The messages before it may be late: those of
 * an older operation that waits for a rank which is in a call of the MPI. So a message of a
 * non-blocking operation that finds no room for long falls back to MPI. The sender decides. The
 * receiver finds the message by its tag, and skips the slot.
 *
 * Of an operation with several schedules (a size exchange in front) only the first one uses the
 * rings: the others begin in an order that may differ between ranks.
 *
 * Engine lock held but where noted.
 */
#ifndef TUTTI_SHM_H
#define TUTTI_SHM_H

#include "nbc/node/shm_peers.h"
#include "nbc/run/bound.h"

struct exec;

enum { SHM_EXPOSE = 4096 }; /* tuning: shorter messages are copied rather than exposed */

/* The messages of one (peer, direction) in one kind of ring. */
typedef struct shm_track {
    ring *ring;
    uint64_t base;  /* position of its first message in this start */
    uint64_t lines; /* of all its messages */
} shm_track;

typedef struct shm_message {
    shm_track *track; /* NULL: it goes through MPI */
    shm_peer *peer;   /* to or from the other rank */
    uint64_t before;  /* lines of earlier messages of the track */
    int64_t bytes;
    ring_progress progress;
    int64_t offset;  /* of contiguous data, from the base of `space` */
    int8_t space;    /* of contiguous data; -1: it is packed */
    int64_t packed;  /* of packed data: its offset in shm.packed */
    int32_t reduces; /* the only step that reads it, if that can reduce piece by piece, or -1 */
    int error;       /* the first one, of packing it or of pieces that have come */
    _Atomic uint64_t *ack; /* the receiver writes it; NULL: the message cannot be exposed */
    bool exposes_heap;     /* it may be exposed where it lies in the shared heap */
    bool exposes_all;      /* it may be exposed where it lies anywhere */
    bool exposes_copy;     /* a copy of it in the shared heap may be exposed */
    void *copy;            /* that copy */
    bool packs;            /* it has been packed */
    bool exposed;          /* it has been exposed, and not been acknowledged */
    bool again;            /* the receiver could not read what was exposed */
    int64_t reduced;       /* bytes that had been reduced before */
    int waited;            /* polls that found no room for it */
    bool reducing;         /* that step is being done */
} shm_message;

typedef struct shm {
    size_t size;          /* bytes of it and its arrays */
    shm_message *message; /* [nmessages] */
    shm_track *track;     /* [ntracks] */
    int ntracks;
    int32_t *open; /* [nopen]: steps that wait for data or for room */
    int nopen;
    unsigned fruitless;     /* polls that found nothing */
    bool put_off;           /* what was posted has not been polled yet */
    char *packed;           /* buffer for packed messages */
    int64_t *reduced;       /* [local steps]: bytes of its message that have been reduced */
    bool own;               /* it has rings of its own: a persistent request's */
    int nrings;             /* kinds x queues */
    own_ring *in;           /* [nrings] */
    ring *out;              /* [nrings] */
    char *exchanged;        /* [nqueues]: its rings are published, or known */
    _Atomic uint64_t *acks; /* [n_acks], in the segment */
    int n_acks;
    int64_t messages; /* that go through rings in one start */
    int64_t bytes;    /* what they carry in one start */
} shm;

static inline uint64_t shm_lines(const shm_message *m)
{
    return ring_lines(ring_kind_of(m->track->ring), m->bytes);
}

/* All of a message is packed at once, and can be put at once: one buffer serves all of them. */
static inline bool shm_is_brief(const shm_message *m)
{
    return ring_fits(shm_lines(m), m->track->ring->lines);
}

/* A message that has come or gone. */
struct finished {
    int32_t step;
    int error;
};

/* For a non-blocking operation on a communicator that is ready. *n: NULL, or to be freed; becomes
 * NULL if no message goes through a ring. */
int shm_address(shm **n, const bound *b, const shm_peers *l);

/* For a persistent one, of this name: make its rings, and publish them for their senders; then wait
 * for those of its receivers. No lock held. */
int shm_publish(shm **n, const bound *b, const shm_peers *l, const char *collective);
int shm_await(shm **n, const bound *b, const shm_peers *l, const char *collective);
void shm_free(shm **n);

/* Free it where this rank fails although the other ranks have made the request. */
void shm_abandon(shm **n);

/* ---- parts of both ---- */

/* Which messages may go through rings; own: rings of its own. *n: NULL, or one to be used again, if
 * it has none of its own; becomes NULL if there are no shm_peers. */
int shm_make(shm **n, const bound *b, const shm_peers *l, bool own);

/* Take the memory that shm_finish may need, so that it does not fail: the ranks have agreed by
 * then. */
int shm_reserve(shm *n, const bound *b);

/* Complete what has got its rings. Without a message there is no need for any of it. */
int shm_finish(shm **n, const bound *b);

/* The positions of this start. */
static inline void shm_begin(shm *n)
{
    for (int i = 0; i < n->ntracks; i++) {
        n->track[i].base = n->track[i].ring->next;
        n->track[i].ring->next += n->track[i].lines;
    }
    n->nopen = 0;
    n->put_off = false;
}

/* Does this message go through a ring? */
static inline bool shm_takes(const shm *n, const step *st)
{
    return n && n->message[st->message].track;
}

/* Begin a message of an exec that has shm. True: it has come or gone already, with this error. */
bool shm_post(struct exec *e, int index, int *error);

/* Try those that are open. Returns how many have come or gone. */
int shm_poll(struct exec *e, struct finished *finished);

/* After polls that found nothing: the step of an open message that falls back to MPI from now on,
 * or -1. */
int shm_fall_back(struct exec *e);

/* Bytes that this local step need not reduce: they have been, with its message. Asked once. */
static inline int64_t shm_reduced(shm *n, const step *st)
{
    int64_t done = n ? n->reduced[st->queue] : 0;

    if (done)
        n->reduced[st->queue] = 0;
    return done;
}

static inline bool shm_waits(const shm *n)
{
    return n && n->nopen > 0;
}

/* Is the message of this step open? */
bool shm_is_open(const shm *n, int index);

#endif
