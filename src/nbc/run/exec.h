/* exec.h - one execution of a schedule: bound addresses, datatypes, MPI requests and counters.
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
 *   GATED      started, waits for the communicator (comm.h)      RUNNING
 *   RUNNING    in the engine's list                              DONE
 *   DONE       all steps retired; `error` is valid               exec_collect -> IDLE
 */
#ifndef TUTTI_EXEC_H
#define TUTTI_EXEC_H

#include "nbc/comm/ticket.h"
#include "nbc/run/datatype.h"
#include "nbc/run/operation.h"
#include "nbc/sched/sched.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>

struct comm;
struct plan;

typedef enum exec_state { EXEC_IDLE, EXEC_GATED, EXEC_RUNNING, EXEC_DONE } exec_state;

/* What one element of a space is, and where the space begins. */
typedef struct space_binding {
    char *base;
    datatype type;
    MPI_Datatype given; /* the caller's handle of it */
    int64_t count;      /* of type in `parts` elements */
    int parts;
} space_binding;

/* What the caller binds: buffers and types as MPI gives them. SCRATCH has the type of RECV, unless
 * elements of that interleave (a column of a matrix, resized to one number) and so cannot lie one
 * behind the other: then they are packed. Not always, because MPICH 4.0 cannot receive packed
 * messages of more than 8 KiB into a type that mixes basic types. */
typedef struct binding {
    void *sendbuf;
    MPI_Datatype sendtype;
    int64_t sendcount; /* of sendtype in sched.parts elements of SEND */
    void *recvbuf;
    MPI_Datatype recvtype;
    int64_t recvcount; /* of recvtype in sched.parts elements of RECV */
    operation op;
    int error; /* with which it ends, although it runs: the others count on this rank */
} binding;

/* A SEND or RECV step, resolved. */
typedef struct message {
    MPI_Datatype type;
    int64_t offset; /* bytes from the base */
    int count;
    int32_t peer; /* rank in the wire, */
    int32_t tag;  /* and tag in window 0 of the lane: both once addressed */
    uint8_t base; /* index in exec.base */
    bool made;    /* type is ours to free */
    bool empty;   /* a part without data: not sent */
} message;

/* A COPY step, resolved, if it moves bytes as they are. */
typedef struct raw_copy {
    int64_t from, to;           /* bytes from the bases */
    size_t bytes;               /* 0: it does not */
    uint8_t from_base, to_base; /* indices in exec.base */
} raw_copy;

enum { BASE_PACK = SPACES, BASES };

/* A message that has come or gone. */
struct finished {
    int32_t step;
    int error;
};

/* Of one queue, in SimGrid (open_simulated.h). */
struct held {
    int32_t posted;         /* messages that are open */
    int32_t n, first, last; /* receives that are ready, but not posted yet; linked by `after` */
};

typedef struct exec {
    const sched *sched;
    struct plan *plan; /* holds a reference, see plan.h */
    struct comm *comm;
    binding bound;
    bool reusable; /* only predefined types are bound: a rebind may only change addresses */
    bool holds_op;
    bool spanning; /* a message's type holds the distances between the spaces */
    space_binding space[SPACES];
    char *base[BASES]; /* SEND, RECV, SCRATCH, and the packing buffer */
    message *messages; /* [nmessages] */
    raw_copy *copies;  /* [nsteps - nmessages]: of local steps */
    bool unpacks;      /* some receive is packed */
    char *scratch, *pack;
    int64_t memory;           /* bytes of both */
    bool persistent_messages; /* requests are persistent: start them; else post anew */

    comm_ticket ticket;
    int addressed; /* lane that the messages' tags are of, plus 1; 0: they have none yet */

    /* run state */
    atomic_int state; /* exec_state */
    int error;        /* the first one */
    int left;         /* steps not retired */
    int nopen;        /* messages posted and not complete */
    int32_t *waiting; /* [nsteps]: dependencies left */
    int32_t *ready;   /* [nsteps]: messages from the front, local steps from nmessages on */
    int ready_head, ready_tail, local_head, local_tail;
    MPI_Request *requests; /* [nmessages] */
    int32_t *queue_head;   /* [nqueues]: oldest open message of (peer, direction), or -1; of a flat
                              schedule always -1: its messages are all probes */
    int32_t *queue_tail;
    struct held *held;          /* [nqueues], in SimGrid only: open_simulated.h */
    int32_t *after;             /* [nsteps]: next open message of the same queue, or -1 */
    int nprobes, turn;          /* turn: the probe that the next poll tests first */
    int32_t *probe_step;        /* [nprobes]: the heads of the queues with something open, */
    MPI_Request *probe_request; /* and their requests, side by side for MPI_Testsome */
    int *indices;               /* [nqueues]: for MPI_Testsome */
    struct finished *finished;  /* [nmessages]: what the last poll or wait has found complete */
    MPI_Status *statuses;       /* [max(nqueues, EXEC_WAITALL)] */
    int fruitless;              /* polls since something retired */

    /* for people: tutti_get_stats and TUTTI_TIMEOUT */
    const char *collective, *algorithm;
    int64_t polls;
    bool timed;     /* read the clock at start and end: twenty nanoseconds each */
    bool reported;  /* by watch.c, in this start */
    double started; /* seconds, of clock_now */
    double seconds; /* from the last start to its completion */

    /* native request of the current start, or MPI_REQUEST_NULL */
    MPI_Request native;
    void (*collect)(struct exec *e); /* called when the native request is gone and e is DONE */
    void *owner;                     /* collect's */
    bool detached;                   /* the native request was freed while running */
    atomic_bool untold;              /* done, but the native request does not know yet: engine.c */

    /* An operation that was started before the topology was known: called when it is, before the
     * first step; attaches a schedule, and binds it. Engine lock held. */
    int (*prepare)(struct exec *e);
    void *prepare_from;
    void *arrays; /* of an exec that got its schedule later, or NULL */

    struct exec *prev, *next; /* engine's list, or the plan's idle list */
} exec;

/* Native MPI_Waitall is used for at most so many open messages. */
enum { EXEC_WAITALL = 64 };

/* Without a schedule yet: sched is an empty one, and prepare attaches one. */
exec *exec_create(const sched *s);
exec *exec_create_empty(void);

/* Give an empty exec its schedule. False: out of memory. */
bool exec_attach(exec *e, const sched *s);

/* Resolve for these buffers and types; holds derived types. On error nothing is bound. */
int exec_bind(exec *e, const binding *b);

/* Release what exec_bind made; exec_free does so too. */
void exec_unbind(exec *e);
void exec_free(exec *e);

/* Make the persistent MPI requests of a persistent exec, if they are the better choice. */
int exec_make_requests(exec *e);
void exec_free_requests(exec *e);

/* Where the messages go to, and their tags: once the communicator is ready. */
void exec_address(exec *e);

/* For the engine: counters and lists as before the first step. */
void exec_reset(exec *e);

static inline exec *exec_of(comm_ticket *t)
{
    return (exec *)((char *)t - offsetof(exec, ticket));
}

static inline exec_state exec_get_state(exec *e)
{
    return (exec_state)atomic_load_explicit(&e->state, memory_order_acquire);
}

#endif
