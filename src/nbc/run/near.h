/* near.h - the messages of an exec that go through shared memory (node/links.h) instead of MPI.
 *
 * Which ones follows from what both sides know: the two ranks share memory, the receiver has a ring
 * for messages of this length, and it is long enough. Of a non-blocking operation they go through
 * the communicator's rings, of a persistent one through rings of its own. Their data is the
 * packed one, copied directly where it is a run of bytes.
 *
 * An operation with several schedules (a survey in front) has only the first in the rings: the
 * others begin in an order that may differ between ranks.
 *
 * Engine lock held but where noted.
 */
#ifndef TUTTI_NEAR_H
#define TUTTI_NEAR_H

#include "nbc/node/links.h"
#include "nbc/run/exec.h"

/* Of one (peer, direction) and kind of ring. */
typedef struct near_track {
    ring *ring;
    uint64_t base;  /* position of its first message in this start */
    uint64_t lines; /* of all its messages */
} near_track;

typedef struct near_message {
    near_track *track; /* NULL: by MPI */
    uint64_t before;   /* lines of earlier messages of the track */
    int64_t bytes, done;
    int64_t offset; /* of a run, from the base of */
    int8_t space;   /* this space; -1: it is packed */
} near_message;

typedef struct near {
    near_message *message; /* [nmessages] */
    near_track *track;     /* [ntracks] */
    int ntracks;
    int32_t *open; /* [nopen]: steps that wait for data or for room */
    int nopen;
    char *packed;     /* one message */
    bool own;         /* a persistent request's rings: */
    int nrings;       /* kinds x queues */
    own_ring *in;     /* [nrings], */
    ring *out;        /* [nrings] */
    int64_t messages; /* that go through rings, */
    int64_t bytes;    /* and what they carry, in one start */
} near;

/* For a non-blocking operation on a communicator that is ready. */
int near_address(exec *e);

/* For a persistent one. Collective, waits for other ranks. No lock held. */
int near_init(exec *e);
void near_free(exec *e);

/* The positions of this start. */
static inline void near_begin(exec *e)
{
    struct near *n = e->near;

    for (int i = 0; i < n->ntracks; i++) {
        n->track[i].base = n->track[i].ring->next;
        n->track[i].ring->next += n->track[i].lines;
    }
    n->nopen = 0;
}

/* Does this message go through a ring? */
static inline bool near_takes(const exec *e, const step *st)
{
    return e->near && e->near->message[st->message].track;
}

/* Begin it. True: it has come or gone already, with this error. */
bool near_post(exec *e, int index, int *error);

/* Try those that are open; what has come or gone is in exec.finished. Returns how many. */
int near_poll(exec *e);

static inline bool near_waits(const exec *e)
{
    return e->near && e->near->nopen > 0;
}

/* Is it open? */
bool near_is_open(const exec *e, int index);

#endif
