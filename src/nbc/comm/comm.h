/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h - the state attached to a user's communicator.
 *
 * Life cycle
 *   1. comm_get finds it or attaches it as an attribute. Local.
 *   2. comm_begin (first.h), in the first collective call: the ranks exchange their locations, and
 *      the context id that each has allocated for the communicator (handshake.h). With the channel
 *      (channel.h) this does not block: started operations wait at the gate (gate.h) until
 *      comm_advance, called by the engine, opens it. Without it comm_begin blocks, and makes the
 *      channel or an MPI communicator of our own.
 *   3. Each exec in use and the attribute hold a reference. MPI_Comm_free only removes the
 *      attribute's; operations in flight and persistent requests go on.
 *   4. When the last reference is gone and the handshake is over, the next comm_free_deferred frees
 *      it: not at once, because that may be inside a progress callback.
 */
#ifndef TUTTI_COMM_H
#define TUTTI_COMM_H

#include "nbc/comm/gate.h"
#include "nbc/comm/handshake.h"
#include "nbc/process/fault_tolerance.h"
#include "nbc/process/process.h"
#include "nbc/process/process_wisdom.h"
#include "nbc/sched/coll.h"
#include "nbc/stats/stats.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct comm_hooks;
struct plan;
struct known;
struct known_calls;

/* What tutti_comm_set_hints has set. */
typedef struct comm_hints {
    char algorithm[COLL_KINDS][64]; /* empty: none */
    bool has_order, has_eager, has_reproducible;
    coll_order order;
    bool reproducible;  /* tutti_reproducible=topology */
    int64_t node_eager; /* bytes: shm_peers.h */
} comm_hints;

/* A context id of the communicator on every rank, and the tags of it. */
typedef struct comm_tag_space {
    int context_id;       /* mine */
    int32_t *context_ids; /* [p]; NULL: all have mine */
} comm_tag_space;

/* What messages travel over: the channel; a communicator of our own; or, for one process, the
 * library's own. */
typedef struct comm_wire {
    MPI_Comm comm;
    bool ours;                 /* to be freed */
    int *channel_rank;         /* [p]: ranks in it; NULL: the same */
    comm_tag_space *tag_space; /* [ntag_spaces] */
    int ntag_spaces;
    bool from_channel; /* its context ids are to be freed */
} comm_wire;

/* Windows of tags for persistent requests: windows.h. Library lock. */
typedef struct comm_windows {
    int per_tag_space;
    comm_ticket *holders; /* of one */
    int capacity;         /* of all tag spaces */
    int next;             /* never used from here on */
    unsigned char *held;  /* [capacity]: on some rank, when they last agreed, or taken since */
    int agreed, looked;   /* `held` is known of the first `agreed`; all before `looked` are held */
    handshake meeting;    /* in which they agree; open from the reservation on */
} comm_windows;

/* What the ranks wait for now: meet.h. Engine lock. */
typedef struct comm_meeting {
    const handshake *now; /* or NULL */
    const char *caller;   /* the call in which they wait */
    double opened;        /* clock_now when it began */
    bool reported;
} comm_meeting;

/* Blocking calls of a class that go to the MPI (0) and to Tutti (1), some in a row to each, to see
 * who is faster (api/try_both.h). */
enum { COMM_ROWS = 12 };
typedef struct comm_tried {
    struct comm_tried *next;
    uint64_t class;         /* of decisions.h */
    int rows, length;       /* so many rows of each, of so many calls */
    int calls;              /* so far; more than all: they have agreed */
    bool native;            /* then: the MPI is faster */
    float us[2][COMM_ROWS]; /* of a row, but for its first call */
} comm_tried;

typedef struct comm {
    MPI_Comm user; /* MPI_COMM_NULL once the user has freed it */
    comm_wire wire;
    shm_peers *shm_peers; /* messages inside a node; NULL: none */
    handshake first;      /* of comm_begin */
    comm_meeting meeting;
    bool testing;      /* its handshake is being tested, by a call further up or another thread */
    bool lost;         /* MPI_Finalize has begun before the handshake was over */
    topo *topo;        /* where its ranks are; once ready */
    constants machine; /* of the machine, as rank 0 knows them; once ready */
    wisdom *wisdom;    /* what was in force when the first handshake began */
    bool same_environment;     /* all ranks' environments ask for the same algorithms. Once ready */
    bool same_wisdom;          /* all ranks have the same wisdom. Once ready */
    bool reproducible;         /* TUTTI_REPRODUCIBLE=topology on all ranks. Once ready */
    coll_neighbors *neighbors; /* NULL: not asked for yet, or no virtual topology */
    int64_t *degrees;          /* of the ranks of my node (degrees.h), or NULL. As topo */
    struct halo_found *halo_found; /* in the last init of a persistent neighborhood collective whose
                                      form was estimated (api/halo_choice.c), or NULL. state_lock */
    atomic_bool begun, ready;      /* the first handshake. Waited for without a lock */
    pthread_mutex_t state_lock;    /* of topo, hints and wisdom, once ready; before the engine's */
    bool channel_ranks_known;      /* wire.channel_rank is known. Library lock */
    bool covered;                  /* all members are in the channel. Library lock */
    atomic_bool no_context_id;     /* none was free, and no call that may block has come since */
    atomic_int failure;            /* ready, but every operation ends with this error */
    atomic_bool out_of_step; /* this rank has refused a call, or a start: others may have sent */
    int new_calls;           /* that could be left to the MPI before it has begun */
    comm_hints hints;
    int p, rank;
    int made; /* how many this process has made state for, with this one: for people */
    int refs;
    int stats_index, serial; /* for TUTTI_STATS: index (stats/stats.h), and number at this rank */
    gate gate;
    comm_windows persistent;
    struct plan *plans, *plan_found;  /* plan cache; the last one that was found there, or NULL */
    uint64_t plan_uses;               /* how often a plan was found there, or not looked for */
    struct known *latest[COLL_KINDS]; /* the last call of each kind, or NULL */
    struct known_calls *known;        /* all other calls that are remembered (plan/known.h) */
    uint64_t decisions;       /* situation of what has been decided (api/decision_tables.h), or 0 */
    comm_tried *tried;        /* list by `next` */
    struct comm *prev, *next; /* comm_all */
    struct comm *deferred_next; /* list of comm_free_deferred */
} comm;

/* All communicators with state, by prev and next. Engine lock. */
extern comm *comm_all;

int comm_start_all(const struct comm_hooks *above);

/* MPI_Finalize has begun: give back what no request needs. True: nothing needs a wire any more. */
bool comm_end_all(void);

/* The state of an intracommunicator; a new one holds no reference but the attribute's.
 * MPI_ERR_COMM: null or an intercommunicator. Local, does not block. */
int comm_look_up(MPI_Comm user, comm **result);

/* The one of the last call, as long as it lives. Without threads only. */
extern comm *comm_latest;

/* An attribute look-up costs tens of nanoseconds. */
static inline int comm_get(MPI_Comm user, comm **result)
{
    if (!comm_latest || comm_latest->user != user)
        return comm_look_up(user, result);
    *result = comm_latest;
    return MPI_SUCCESS;
}

/* Find out c->neighbors, once. MPI_ERR_TOPOLOGY: there is no virtual topology. Local. */
int comm_find_neighbors(comm *c);

/* Those of a collective, when they have been found; NULL where it has none. */
static inline const coll_neighbors *comm_neighbors(const comm *c, coll_kind kind)
{
    return coll_has(kind, COLL_NEIGHBORS) ? c->neighbors : NULL;
}

void comm_ref(comm *c);
void comm_unref(comm *c);

/* Free communicators that nobody uses any more. Not inside a callback. */
void comm_free_deferred_all(void);

static inline void comm_free_deferred(void)
{
    if (atomic_load_explicit(&process_has_deferred, memory_order_relaxed))
        comm_free_deferred_all();
}

/* Leave it to comm_free_deferred. From anywhere, also from inside the engine: takes no lock. */
void comm_defer_free(comm *c);

/* Raise an error of a call, whose name this is, through the user's communicator's handler
 * (MPI_COMM_WORLD's once it is freed); returns it. */
int comm_raise(const char *call, const comm *c, int error);

/* The same for a call on `user`, whose state may be NULL: without one through its own handler, if
 * it has any. Nothing happens if there is no error. */
int comm_raise_for(const char *call, MPI_Comm user, const comm *c, int error);

/* With fault tolerance on it has failed (failures.h): messages of operations that were given up may
 * still arrive. */
static inline bool comm_is_broken(const comm *c)
{
    return fault_tolerance && c->failure;
}

static inline int comm_channel_rank(const comm *c, int rank)
{
    return c->wire.channel_rank ? c->wire.channel_rank[rank] : rank;
}

/* The context id of the communicator at a rank. */
static inline int comm_context_id(const comm *c, int tag_space, int rank)
{
    const comm_tag_space *t = &c->wire.tag_space[tag_space];

    return t->context_ids ? t->context_ids[rank] : t->context_id;
}

#endif
