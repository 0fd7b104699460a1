/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.h - one execution of a schedule: what is bound, its MPI requests and counters.
 *
 * Life cycle
 *   exec_create -> exec_bind -> (engine_start ... done)* -> exec_free
 *
 * exec_create allocates for the schedule's shape, exec_bind resolves intervals to messages for
 * given buffers and types and may be repeated while the exec is not running. A start resets the
 * counters with one memcpy and posts what is ready; it allocates nothing.
 *
 *   state      meaning                                           next
 *   IDLE       not running                                       engine_start
 *   GATED      started, waits for the communicator (gate.h)      RUNNING
 *   RUNNING    in the engine's list                              DONE
 *   DONE       all steps retired; `error` is valid               native.collect -> IDLE
 */
#ifndef TUTTI_EXEC_H
#define TUTTI_EXEC_H

#include "nbc/comm/ticket.h"
#include "nbc/run/bind.h"
#include "nbc/run/shm.h"
#include "nbc/run/staged.h"
#include "nbc/stats/stats.h"

#include <stdatomic.h>
#include <stddef.h>

struct comm;
struct exec;
struct known;
struct plan;

typedef enum exec_state { EXEC_IDLE, EXEC_GATED, EXEC_RUNNING, EXEC_DONE } exec_state;

/* Receives of one queue, in SimGrid (open_simulated.h). */
struct held {
    int32_t posted;         /* messages that are open */
    int32_t n, first, last; /* receives that are ready, but not posted yet; linked by `after` */
};

/* State of one start: what has retired, what is ready, what is open. */
typedef struct exec_run {
    int error;        /* the first one */
    bool flat;        /* it runs as a flat schedule */
    int tail_waits;   /* steps that the tail of a flat schedule waits for */
    int left;         /* steps not retired; of a flat schedule messages, and the tail */
    int nopen;        /* messages posted and not complete */
    int32_t *waiting; /* [nsteps]: dependencies left */
    int32_t *ready;   /* [nsteps]: messages from the front, local steps from nmessages on */
    int ready_head, ready_tail, local_head, local_tail;
    MPI_Request *requests; /* [nmessages] */
    bool persistent;       /* they are persistent requests: start them; else post anew */
    int32_t *queue_head;   /* [nqueues]: oldest open message of (peer, direction), or -1; of a flat
                              schedule -1: its messages are all probes */
    int32_t *queue_tail;
    struct held *held;          /* [nqueues], in SimGrid only: open_simulated.h */
    int32_t *after;             /* [nsteps]: next open message of the same queue, or -1 */
    int nprobes, turn;          /* turn: the probe that the next poll tests first */
    int32_t *probe_step;        /* [nprobes]: the heads of the queues with something open */
    MPI_Request *probe_request; /* [nprobes]: their requests, side by side for MPI_Testsome */
    int *indices;               /* [nqueues]: for MPI_Testsome */
    MPI_Status *statuses;       /* [max(nqueues, min(nmessages, EXEC_WAITALL))] */
    struct finished *finished;  /* [nmessages]: what the last poll or wait has found complete */
    int fruitless;              /* polls since something retired */
} exec_run;

/* The native request of the current start. */
typedef struct exec_native {
    MPI_Request request;             /* or MPI_REQUEST_NULL */
    void (*collect)(struct exec *e); /* called when the request is gone and the exec is DONE */
    void *owner;                     /* collect's */
    bool detached;                   /* the request was freed while running */
    atomic_bool completion_pending;  /* DONE, not yet reported to the native request */
} exec_native;

/* For people: tutti_get_stats, TUTTI_TIMEOUT, TUTTI_STATS and TUTTI_TRACE. */
typedef struct exec_stats {
    const char *collective, *algorithm;
    int64_t polls;
    uint64_t number;  /* of the last start that was recorded (record.h) */
    bool timed;       /* read the clock at start and end: twenty nanoseconds each */
    bool reported;    /* by report.c, in this start */
    double started;   /* seconds, of clock_now */
    double seconds;   /* from the last start to its completion */
    stats_call count; /* of TUTTI_STATS: only if timed */
} exec_stats;

typedef struct exec {
    bound bound;
    comm_ticket ticket;
    atomic_int state; /* exec_state */
    exec_run run;
    shm *shm;       /* messages that go through shared memory; NULL: none */
    staged *staged; /* host copies of device memory that it is bound to; NULL: none */
    exec_native native;
    exec_stats stats;

    struct plan *plan;   /* holds a reference, see plan.h */
    struct known *known; /* the call that it is bound for, or NULL; likewise (known.h) */
    struct comm *comm;

    /* An operation that was started before all is known that its schedule depends on: called when
     * it is the first one at the gate of a communicator that is ready, no lock held, and, while it
     * is set, when all steps are done, engine lock held; attaches a schedule, and binds it. */
    int (*prepare)(struct exec *e);
    void *prepare_from;
    int prepared;        /* what the first time has returned */
    struct exec *beside; /* it is not done before this one is, which has been started; or NULL */
    void *arrays;        /* of an exec that got its schedule later, or NULL */
    size_t size;         /* bytes of it and of the arrays that were made with it */

    struct exec *prev, *next; /* engine's list, or an idle list */
} exec;

/* Native MPI_Waitall is used for at most so many open messages. */
enum { EXEC_WAITALL = 64 };

/* Without a schedule yet: sched is an empty one, and prepare attaches one. */
exec *exec_create(const sched *s);
exec *exec_create_empty(void);

/* Give an empty exec its schedule. False: out of memory. And take it away. */
bool exec_attach(exec *e, const sched *s);
void exec_detach(exec *e);

void exec_free(exec *e);

/* Make the rings of a persistent exec in shared memory (shm.h) and publish them. Collective. No
 * lock held. */
int exec_publish_rings(exec *e);

/* Publish its rings, if that has not been done, wait for those of its receivers, and make
 * persistent MPI requests where they are the better choice. Collective. No lock held. */
int exec_make_requests(exec *e);

/* Where the messages go to, and their tags: once the communicator is ready. */
void exec_address(exec *e);

/* The same, and which of them go through shared memory, of the first schedule of a non-blocking
 * operation. */
int exec_address_all(exec *e);

/* The next start addresses anew. */
static inline void exec_forget_address(exec *e)
{
    e->bound.addressed = 0;
}

/* For the engine: counters and lists as before the first step. */
void exec_reset(exec *e);

/* The error of a completed operation, with its reason if the arguments have it. */
int exec_explain(const exec *e);

static inline int exec_error(const exec *e)
{
    return e->run.error ? exec_explain(e) : MPI_SUCCESS;
}

/* Once, or again while the exec is not running. */
static inline int exec_bind(exec *e, const binding *given)
{
    return bind_to(&e->bound, given);
}

static inline exec *exec_of(comm_ticket *t)
{
    return (exec *)((char *)t - offsetof(exec, ticket));
}

static inline exec_state exec_get_state(exec *e)
{
    return (exec_state)atomic_load_explicit(&e->state, memory_order_acquire);
}

/* The tag that one of its messages travels with. */
static inline int exec_tag(const exec *e, const message *m)
{
    return m->tag + e->ticket.window * SCHED_WINDOW;
}

#endif
