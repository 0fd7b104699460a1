/* comm.h - the state attached to a user's communicator.
 *
 * Life cycle
 *   1. comm_get finds it or attaches it as an attribute; comm_begin begins MPI_Comm_idup. Neither
 *      blocks.
 *   2. Until the duplicate (the shadow communicator) is there, and all ranks have told each other
 *      over it where they are (places.h), started execs wait in `gated`, in the order of their
 *      starts. comm_advance, called by the engine, opens the gate.
 *   3. Each exec in use and the attribute hold a reference. MPI_Comm_free only removes the
 *      attribute's; operations in flight and persistent requests go on over the shadow.
 *   4. When the last reference is gone and the shadow is there, the next comm_reap frees it: not at
 *      once, because that may be inside a progress callback.
 *
 * Tags: an exec takes SCHED_WINDOW tags. Windows below `split` go round among non-blocking
 * operations; an operation waits at the gate while its window is still in use by one that is a
 * whole round older. Windows from `split` on belong to persistent requests for their life; when
 * they run out, the ranks agree which are free on all of them.
 */
#ifndef TUTTI_COMM_H
#define TUTTI_COMM_H

#include "nbc/coll.h"
#include "nbc/places.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct exec;
struct plan;

/* The last call of a regular collective with predefined types, for the next one like it: call.c. */
typedef struct comm_repeat {
    struct plan *plan; /* NULL: there is none, or it has left the cache */
    int algo, parameter;
    bool in_place;
    MPI_Datatype sendtype, recvtype;
    MPI_Count sendcount, recvcount;
    MPI_Aint mine; /* bytes from the receive buffer to where the send buffer must not be */
} comm_repeat;

/* What tutti_comm_set_hints has set. */
typedef struct comm_hints {
    char algorithm[COLL_KINDS][64]; /* empty: none */
    bool has_order;
    coll_order order;
} comm_hints;

typedef struct comm {
    MPI_Comm user; /* MPI_COMM_NULL once the user has freed it */
    MPI_Comm shadow;
    MPI_Request duplication;  /* of MPI_Comm_idup */
    places exchange;          /* at is NULL: not begun, or done */
    atomic_bool begun, ready; /* the duplication; shadow and topo. Waited for without a lock */
    int failure;              /* ready, but every operation ends with this error */
    comm_hints hints;
    int p, rank;
    topo *topo; /* where its ranks are; once ready */
    int refs;
    struct exec *gated_head, *gated_tail;   /* waiting for the shadow or for a tag window */
    struct exec *window_head, *window_tail; /* running non-blocking operations, oldest first */
    int64_t next_operation;                 /* number of the next non-blocking operation */
    int split, windows;                     /* tag windows: [0, split) and [split, windows) */
    int next_persistent;                    /* next window never used by a persistent request */
    unsigned char *held;                    /* [windows - split]: taken here, once they ran out */
    struct exec *persistent;                /* execs that hold a persistent window */
    struct plan *plans;                     /* plan cache, least recently used first */
    comm_repeat repeat[COLL_KINDS];         /* library lock */
    struct comm *prev, *next;               /* all communicators with state */
    struct comm *dead_next;                 /* comm_reap's list */
} comm;

int comm_start_all(void);
void comm_end_all(void);

/* The state of an intracommunicator; a new one holds no reference but the attribute's.
 * MPI_ERR_COMM: null or an intercommunicator. Local, does not block. */
int comm_get(MPI_Comm user, comm **result);

void comm_ref(comm *c);
void comm_unref(comm *c);

/* Free the shadows of communicators that nobody uses any more. Not inside a callback. */
void comm_reap(void);

/* Engine lock held: complete pending duplications and start what waited for them.
 * Returns how many communicators became ready. */
int comm_advance(void);

/* Is the gate closed for this exec? Engine lock held. */
bool comm_gate(comm *c, struct exec *e);

/* Engine lock held: the exec has completed, its window is free. */
void comm_window_done(comm *c, struct exec *e);

/* Begin the duplication, if nobody has: after all arguments have been checked, because it is
 * collective. Local, does not block. An error also if it has failed before. */
int comm_begin(comm *c);

/* Wait for shadow and topology, if the duplication has begun; advances the engine. Returns its
 * error. */
int comm_wait_ready(comm *c);

/* Wait for a native request on a shadow, which is consumed; advances the engine meanwhile. */
int comm_wait_native(MPI_Request *request);

/* Take a window of tags for a persistent exec. Collective, may block. */
int comm_persistent_window(comm *c, struct exec *e);
void comm_persistent_release(comm *c, struct exec *e);

/* Raise an error through the user's communicator's handler (MPI_COMM_WORLD's once it is freed);
 * returns it. */
int comm_raise(const comm *c, int error);

/* Upper bound of tags used, for tests of exhaustion; 0: what the MPI offers. */
extern int comm_tag_limit;

#endif
