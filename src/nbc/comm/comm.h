/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h - the state attached to a user's communicator.
 *
 * Life cycle
 *   1. comm_get finds it or attaches it as an attribute. Local.
 *   2. comm_begin, in the first collective call: the ranks tell each other where they are, and by
 *      which number each knows the communicator (handshake.h). With the channel (channel.h) this
 *      does not block: started operations wait in `gated`, in the order of their starts, until
 *      comm_advance, called by the engine, opens the gate. Without it comm_begin blocks, and makes
 *      the channel or an MPI communicator of our own.
 *   3. Each exec in use and the attribute hold a reference. MPI_Comm_free only removes the
 *      attribute's; operations in flight and persistent requests go on.
 *   4. When the last reference is gone and the handshake is over, the next comm_reap gives back
 *      what it had: not at once, because that may be inside a progress callback.
 *
 * Windows of tags: the first number's windows below `split` go round among non-blocking operations;
 * an operation waits at the gate while its window is still in use by one that is a whole round
 * older. All others belong to persistent requests for their life; when they run out, the ranks
 * agree which are free on all of them, or take another number (windows.c).
 */
#ifndef TUTTI_COMM_H
#define TUTTI_COMM_H

#include "nbc/comm/handshake.h"
#include "nbc/comm/ticket.h"
#include "nbc/process/fault_tolerance.h"
#include "nbc/process/process_wisdom.h"
#include "nbc/process/process.h"
#include "nbc/sched/coll.h"
#include "nbc/tally/tally.h"

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
    int64_t node_eager; /* bytes: links.h */
} comm_hints;

/* One number of the communicator on every rank. */
typedef struct comm_lane {
    int mine;
    int32_t *of; /* [p]; NULL: all have the same */
} comm_lane;

/* What messages travel over: the channel; a communicator of our own; or, for one process, the
 * library's own. */
typedef struct comm_wire {
    MPI_Comm comm;
    bool ours;       /* to be freed */
    int *place;      /* [p]: ranks in it; NULL: the same */
    comm_lane *lane; /* [nlanes] */
    int nlanes;
    bool from_channel; /* numbers are to be given back */
} comm_wire;

/* Windows for persistent requests. Library lock. */
typedef struct comm_windows {
    comm_ticket *holders; /* of one */
    int capacity;         /* of all lanes */
    int next;             /* never used from here on */
    unsigned char *held;  /* [capacity]: on some rank, when they last agreed, or taken since */
    int agreed, looked;   /* of the first `agreed` that is known; those before `looked` are held */
} comm_windows;

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
    links *links;    /* messages inside a node; NULL: none */
    handshake first; /* of comm_begin */
    const handshake
        *current;       /* what a rank waits for now, or NULL; engine lock, as the next ones: */
    const char *caller; /* in which call, */
    double opened;      /* since when (gate.c) */
    bool reported;
    bool tested;                  /* in a call further up, or in another thread */
    bool lost;                    /* MPI_Finalize has begun before the handshake was over */
    topo *topo;                   /* where its ranks are; once ready */
    constants machine;            /* of the machine, as rank 0 knows them; once ready */
    wisdom *knows;                /* what was in force when the first handshake began */
    bool asks_alike, knows_alike; /* do all ranks' environments ask for the same algorithms? Do they
                                     all know the same? Once ready */
    bool reproducible;            /* TUTTI_REPRODUCIBLE=topology on all ranks. Once ready */
    coll_neighbors *neighbors;    /* NULL: not asked for yet */
    atomic_bool begun, ready;     /* the first handshake. Waited for without a lock */
    atomic_int shut;              /* why the gate is: not ready, or operations without a schedule */
    bool preparing;               /* the first one at the gate is given its schedule. Engine lock */
    pthread_mutex_t told;    /* topo, hints and knows stay, once ready. Before the engine's lock */
    bool placed, covered;    /* wire.place is known; all members are in the channel.
                                     Library lock */
    atomic_bool starved;     /* there was no number, and no call that may block since */
    atomic_int failure;      /* ready, but every operation ends with this error */
    atomic_bool out_of_step; /* this rank has refused a call, or a start: others may have sent */
    int new_calls;           /* that could be left to the MPI before it has begun */
    comm_hints hints;
    int p, rank;
    int made; /* how many this process has made state for, with this one: for people */
    int refs;
    int tally, serial; /* for TUTTI_STATS: index (tally/tally.h), and number at this rank */
    comm_ticket *gated_head, *gated_tail;   /* waiting for the handshake or for a window */
    comm_ticket *window_head, *window_tail; /* running non-blocking operations, oldest first */
    int64_t next_operation;                 /* number of the next non-blocking operation, */
    int next_window;                        /* and its window */
    int split, nwindows;                    /* of the first lane: [0, split) are not persistent */
    comm_windows persistent;
    struct plan *plans, *plan_found;  /* plan cache; the last one that was found there, or NULL; */
    uint64_t plan_uses;               /* how often a plan was found there or not looked for, */
    struct known *latest[COLL_KINDS]; /* the last call of each kind, or NULL, */
    struct known_calls *known;        /* all others that are remembered (plan/known.h), and */
    uint64_t decisions;               /* their situation, or 0 (api/decision_tables.h) */
    comm_tried *tried;                /* list by `next` */
    struct comm *prev, *next;         /* comm_all */
    struct comm *dead_next;           /* comm_reap's list */
} comm;

/* All communicators with state, by prev and next. Engine lock. */
extern comm *comm_all;

int comm_start_all(const struct comm_hooks *above);

/* MPI_Finalize has begun: give back what no request needs. True: nothing needs a wire any more. */
bool comm_end_all(void);

/* The state of an intracommunicator; a new one holds no reference but the attribute's.
 * MPI_ERR_COMM: null or an intercommunicator. Local, does not block. */
int comm_look_up(MPI_Comm user, comm **result);

/* The one of the last call, as long as it lives; without threads only. */
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

/* Give back what communicators had that nobody uses any more. Not inside a callback. */
void comm_reap_all(void);

static inline void comm_reap(void)
{
    if (atomic_load_explicit(&process_litter, memory_order_relaxed))
        comm_reap_all();
}

/* ---- for the engine, its lock held ---- */

/* Is there something to go on with in comm_advance? Callbacks run inside the native calls that it
 * makes: to them it must not look idle. */
typedef enum comm_work { COMM_IDLE, COMM_PENDING, COMM_ADVANCING } comm_work;
extern _Atomic(comm_work) comm_pending;

/* Complete pending handshakes and open gates. Returns how many communicators became ready;
 * admitted: what may begin now, in the order of the starts, by gate_next. */
int comm_advance(comm_ticket **admitted);

/* Do not go on with handshakes that are under way. */
void comm_abandon(void);

/* Is the oldest operation that runs so new that the one of the ticket has a window of its own? */
static inline bool comm_window_free(const comm *c, const comm_ticket *t)
{
    return !c->window_head || t->operation - c->window_head->operation < c->split;
}

static inline void comm_window_take(comm *c, comm_ticket *t)
{
    t->next = NULL;
    t->prev = c->window_tail;
    if (c->window_tail)
        c->window_tail->next = t;
    else
        c->window_head = t;
    c->window_tail = t;
}

void comm_gate_shut(comm *c, comm_ticket *t);

/* Is the gate closed for this non-blocking operation? */
static inline bool comm_gate(comm *c, comm_ticket *t)
{
    if (c->shut || c->gated_head || !comm_window_free(c, t)) {
        comm_gate_shut(c, t);
        return true;
    }
    comm_window_take(c, t);
    return false;
}

void comm_gate_look(void);

/* The operation waits at the gate, where it will come, until it has been prepared. It never comes.
 */
void comm_hold(comm *c, comm_ticket *t);
void comm_hold_no_more(comm *c, comm_ticket *t);

/* The operation, which is non-blocking, has completed: its window is free. */
static inline void comm_window_done(comm *c, comm_ticket *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        c->window_head = t->next;
    if (t->next)
        t->next->prev = t->prev;
    else
        c->window_tail = t->prev;
    if (c->gated_head)
        comm_gate_look();
}

/* All that wait at a gate. */
void comm_visit_gated(void (*visit)(comm_ticket *t));

/* ---- for calls ---- */

/* The number of a non-blocking operation, in the order of the calls, and its window. */
static inline void comm_number_next(comm *c, comm_ticket *t)
{
    process_lock();
    t->operation = c->next_operation++;
    t->window = c->next_window++;
    if (c->next_window == c->split)
        c->next_window = 0;
    process_unlock();
    t->lane = 0;
}

/* Begin the handshake, if nobody has: after all arguments have been checked, because it is
 * collective. caller: the name of the call. May it block? Then it is over on return. Else it blocks
 * only where comm_prepared says so. An error also if it has failed before. */
int comm_begin_slowly(comm *c, const char *caller, bool may_block);

static inline int comm_begin(comm *c, const char *caller, bool may_block)
{
    if (atomic_load_explicit(&c->ready, memory_order_acquire) && !c->failure && !c->starved)
        return MPI_SUCCESS;
    return comm_begin_slowly(c, caller, may_block);
}

/* Would comm_begin return at once in every call from now on? The same on all ranks. */
bool comm_prepared(comm *c);

/* Wait until the communicator is ready, if it has been begun; advances. Returns its error. */
int comm_wait_ready(comm *c);

/* comm_begin, which may block, and comm_wait_ready. Collective the first time. */
static inline int comm_make_ready(comm *c, const char *caller)
{
    int error = comm_begin(c, caller, true);

    return error ? error : comm_wait_ready(c);
}

/* From which length on messages inside the node are read (links.h): of its topology, constants and
 * hints. Engine lock, if the communicator is in use already. */
void comm_find_eager(comm *c);

/* One more handshake, waited for. may_block: as in comm_begin, the same on all ranks. Close it
 * afterwards, also if it fails. */
int comm_meet(comm *c, const char *caller, const hello *mine, bool may_block, handshake *h);

/* The first one of all, in tutti_init: tells after ten seconds which ranks do not come. */
int comm_start(comm *world, const hello *mine, handshake *h);

/* ---- parts of comm_begin and comm_advance: comm.c, first.c, gate.c ---- */

/* Hand it to comm_reap. From anywhere, also from inside the engine: takes no lock. */
void comm_bury(comm *c);

/* What the ranks wait for, or NULL. */
void comm_set_current(comm *c, const handshake *h, const char *caller);

/* The first handshake is over, with this result. */
void comm_become_ready(comm *c, int error);

/* The constants of this process, for the first handshake, with the cores that have been found once
 * there is a channel; and those of the first rank become the communicator's, when its topology is
 * known. */
void comm_tell_machine(hello *mine);
void comm_take_machine(comm *c);

/* A non-blocking first call has told and heard. Engine lock held. */
void comm_first_finish(comm *c, int error);

/* Take a window of tags for a persistent request. Collective, may block. */
int comm_persistent_window(comm *c, comm_ticket *t);
void comm_persistent_release(comm *c, comm_ticket *t);

/* Raise an error through the user's communicator's handler (MPI_COMM_WORLD's once it is freed);
 * returns it. */
int comm_raise(const comm *c, int error);

/* The same for a call on `user`, whose state may be NULL: without one through its own handler, if
 * it has any. Nothing happens if there is no error. */
int comm_raise_for(MPI_Comm user, const comm *c, int error);

/* With fault tolerance on it has failed (failures.h): messages of operations that were given up may
 * still arrive. */
static inline bool comm_is_broken(const comm *c)
{
    return fault_tolerance && c->failure;
}

static inline int comm_place(const comm *c, int rank)
{
    return c->wire.place ? c->wire.place[rank] : rank;
}

/* The number by which a rank knows the communicator. */
static inline int comm_number(const comm *c, int lane, int rank)
{
    const comm_lane *l = &c->wire.lane[lane];

    return l->of ? l->of[rank] : l->mine;
}

#endif
