/* SPDX-License-Identifier: BSD-3-Clause */
/* sched.h - schedules: what one rank does in one collective, as a graph of steps.
 *
 *   kind     intervals                 meaning
 *   SEND     list                      send these bytes, in list order, as one message to peer
 *   RECV     list                      receive one message from peer into these bytes
 *   COPY     from, to                  to = from
 *   REDUCE   from, to                  to = from op to     (from is the left operand)
 *   FENCE    none                      later steps wait for all earlier ones
 *
 * `from` and `to` do not overlap: memcpy and MPI's own copies and reductions are not made for it.
 *
 * An algorithm is written as textbook code: it declares steps in program order through a
 * sched_builder. sched_commit derives the dependencies from the bytes each step reads and writes
 * (read-after-write, write-after-read, write-after-write) and returns a read-only sched. It holds
 * no address: an interval names (space, offset, length) in elements of that space, and the exec
 * that runs the schedule says where each space is and what its elements are. SEND is only read.
 *
 * Matching: the k-th message from rank a to rank b in program order has tag k mod SCHED_WINDOW on
 * both sides, and message k waits for message k - SCHED_WINDOW of the same pair and direction. So
 * messages with equal tags are always posted in the same order on both sides, whatever the timing,
 * and at most SCHED_WINDOW receives per source are posted at a time.
 */
#ifndef TUTTI_SCHED_H
#define TUTTI_SCHED_H

#include "nbc/sched/coll.h"

#include <stdint.h>
#include <stdio.h>

enum { SCHED_WINDOW = 64, SCHED_PHASES = 16 };

typedef enum sched_space { SPACE_SEND, SPACE_RECV, SPACE_SCRATCH, SPACES } sched_space;

typedef enum step_kind { STEP_SEND, STEP_RECV, STEP_COPY, STEP_REDUCE, STEP_FENCE } step_kind;

/* A range of elements of one space. */
typedef struct interval {
    int64_t offset;
    uint64_t length : 62;
    uint64_t space : 2;
} interval;

typedef struct step {
    uint8_t kind;     /* step_kind */
    uint8_t tag;      /* SEND, RECV: k mod SCHED_WINDOW */
    uint8_t phase;    /* index in sched.phase; nothing but a note for people */
    int32_t peer;     /* SEND, RECV: rank */
    int32_t queue;    /* SEND, RECV: index of (peer, direction) in 0..nqueues-1; else number of
                         this local step among them */
    int32_t message;  /* SEND, RECV: index in 0..nmessages-1; else -1 */
    int32_t first, n; /* intervals[first .. first + n - 1] */
} step;

/* Read-only after sched_commit; shared by any number of execs. One block of memory. */
typedef struct sched {
    int nsteps, nmessages, nqueues, nintervals, nedges;
    int nready;  /* steps without dependencies */
    int nphases; /* 0: the algorithm has named none */
    int parts;   /* elements that a vector is cut into (sched_cut); 1: an element is never cut */
    bool packs;  /* elements of SCRATCH are bytes of packed data */
    bool flat;   /* every message is ready and has a queue of its own; all other steps are ready and
                    none of them reduces, but for the tail */
    int tail;    /* of a flat one: a local step that waits for others, or -1 */
    const char *phase[SCHED_PHASES]; /* names, static */
    int64_t extent[SPACES];          /* elements used of each space: 1 + the highest one named */
    const step *steps;               /* [nsteps], in program order */
    const interval *list;            /* [nintervals] */
    int nrooms;
    const int64_t *room;    /* [nrooms]: where the parts of SCRATCH begin (sched_scratch), rising */
    const int32_t *ndeps;   /* [nsteps]: how many steps this one waits for */
    const int32_t *succ_at; /* [nsteps + 1]: successors of i are succ[succ_at[i] .. [i+1]-1] */
    const int32_t *succ;    /* [nedges] */
    const int32_t *ready;   /* [nready]: receives, then sends, then local steps */
} sched;

typedef enum sched_error {
    SCHED_OK,
    SCHED_NO_MEMORY,
    SCHED_BAD_STEP,
    SCHED_TOO_LARGE,
    SCHED_MISMATCH /* what other ranks have said does not fit the call */
} sched_error;

typedef struct sched_builder sched_builder;

/* A builder for a schedule over ranks 0..p-1. NULL: out of memory. */
sched_builder *sched_begin(int p, coll_form form);

/* One count of the caller's is so many elements here: element e begins at item sched_items(parts,
 * count, e) of the vector, so that the schedule serves every count. Elements of SCRATCH are as long
 * as those of the vector with the same index modulo `parts`; so data moves only between elements
 * of one index. Some may be empty: nothing is sent then. Before the first step. */
void sched_cut(sched_builder *b, int parts);

/* Elements of SCRATCH are bytes of packed data, whatever those of the other spaces are. */
void sched_pack_scratch(sched_builder *b);

/* The number that has been set, or 1. */
int sched_parts(const sched_builder *b);

/* Emit steps. Errors are sticky: the first one is kept and returned by sched_commit. Intervals of
 * length 0 are dropped; so are messages, copies and reductions of nothing, and copies of something
 * to itself. */
void sched_send(sched_builder *b, interval what, int peer);
void sched_recv(sched_builder *b, interval what, int peer);
void sched_copy(sched_builder *b, interval from, interval to);
void sched_reduce(sched_builder *b, interval from, interval to);
void sched_fence(sched_builder *b);

/* One message of several intervals: open, add each, close. Adjacent ones are merged. */
void sched_open(sched_builder *b, step_kind kind, int peer);
void sched_add(sched_builder *b, interval what);
void sched_close(sched_builder *b);

/* From here on all messages to this rank are left out, because it has already what they bring; on
 * itself (`me`) its receives are. All ranks say so at one point in program order. -1: to nobody. */
void sched_spare(sched_builder *b, int rank, bool me);

/* From here on at most n exchanges are in flight: a send waits for the n-th last send and the n-th
 * last receive before it in program order, a receive for the receive before the n-th last, so that
 * one more is posted than messages are sent. Emit the send of an exchange first, and exchanges in
 * an order in which partners meet each other in the same one: then this never deadlocks. */
void sched_throttle(sched_builder *b, int n);

/* From here on one exchange after the other, as in the rounds of papers: a message waits for the
 * one before it in its direction, a send for the receive before it too. For pipelines in which a
 * message before its time would hold up another one. Emit as for sched_throttle. False: whatever is
 * ready goes again. */
void sched_rounds(sched_builder *b, bool on);

/* The steps from here on are a new phase of the algorithm, of this (static) name: for people, and
 * for tutti-plan, which shows how phases overlap. It orders nothing. The last of too many lasts to
 * the end. */
void sched_phase(sched_builder *b, const char *name);

/* Memory for the algorithm until the commit, zeroed. NULL: there is none, and the schedule has
 * failed: the algorithm returns. */
void *sched_borrow(sched_builder *b, size_t size);

/* The same, but not zeroed: where much of it may never be used. */
void *sched_borrow_unset(sched_builder *b, size_t size);

/* The algorithm has failed to get what it needs. Returns false. */
bool sched_fail(sched_builder *b, sched_error error);

/* How messages of several blocks are to be emitted (see blockmap.h). */
coll_form sched_form(const sched_builder *b);

/* Elements [0, length) of a new part of SCRATCH. */
interval sched_scratch(sched_builder *b, int64_t length);

/* Derive the dependencies and make the schedule; frees the builder in any case. */
sched_error sched_commit(sched_builder *b, sched **result);
void sched_free(sched *s);

/* Bytes of memory that the schedule occupies. */
size_t sched_memory(const sched *s);

/* One line per step. unit: what an element is called ("block"). False: out of memory. */
bool sched_print(FILE *out, const sched *s, const char *unit);

/* Check every invariant above, and by brute force that any two steps of which one writes what the
 * other touches are ordered. O(nsteps^2): for tests and tools. Returns NULL, or what is wrong. */
const char *sched_check(const sched *s);

static inline interval interval_make(sched_space space, int64_t offset, int64_t length)
{
    return (interval){.offset = offset, .length = (uint64_t)length, .space = space};
}

static inline int64_t interval_end(interval i)
{
    return i.offset + (int64_t)i.length;
}

static inline bool interval_overlap(interval a, interval b)
{
    return a.space == b.space && a.offset < interval_end(b) && b.offset < interval_end(a);
}

/* Items before element e, if `parts` elements are `count` items. */
static inline int64_t sched_items(int parts, int64_t count, int64_t e)
{
    int64_t whole, part;

    if (parts == 1)
        return e * count;
    whole = e / parts;
    part = e % parts;
    return whole * count + part * (count / parts) + part * (count % parts) / parts;
}

static inline bool step_is_message(const step *s)
{
    return s->kind <= STEP_RECV;
}

/* Does the step write its i-th interval? (COPY and REDUCE: from, to.) */
static inline bool step_writes(const step *s, int i)
{
    return s->kind == STEP_RECV || (i == 1 && (s->kind == STEP_COPY || s->kind == STEP_REDUCE));
}

#endif
