/* SPDX-License-Identifier: BSD-3-Clause */
/* checked.h - a call whose arguments have been checked: the one value that choice, plan, binding
 * and statistics read.
 *
 * Everything follows from the shape of the collective (nbc/sched/coll.h).
 */
#ifndef TUTTI_CHECKED_H
#define TUTTI_CHECKED_H

#include "api/args.h"
#include "nbc/comm/comm.h"
#include "nbc/plan/plan.h"

/* What this rank sends, or receives. */
typedef struct call_side {
    coll_extent extent;      /* NONE: no such side; type, total, mine and low are 0 then */
    const void *buffer;      /* as given */
    datatype type;           /* TYPED: a byte */
    int64_t count;           /* items of the type in one element of the space */
    const args_lists *lists; /* where blocks have lengths of their own; the program's */
    int n;                   /* blocks, where there are many */
    int64_t total;           /* elements in all blocks */
    int64_t mine;            /* elements in the block from and to myself */
    int64_t low; /* LISTED: the least displacement below 0 of a block that is not empty, or 0 */
} call_side;

/* Where the room for my own block is too short: what is received goes elsewhere, packed. */
typedef struct call_room {
    int64_t bytes; /* of all blocks; 0: there is none, it goes into recv.buffer */
    int64_t own;   /* of my own block, and of all if they are equal */
    int64_t item;  /* of an element as given: recv.type is MPI_PACKED */
} call_room;

typedef struct call {
    coll coll; /* what selection sees: without counts, the same on all ranks but for who it is */
    comm *comm;
    int algo; /* as in args */
    operation op;
    call_side send, recv;
    coll_bytes bytes;
    bool packs; /* the plan's coll.packs; others may pack where this rank need not */
    int error;  /* it is to run, because MPI's would, and to end with this error */
    int64_t own_sent, own_room; /* then: bytes that the rank sends to itself, and receives */
    staged *staged;    /* host copies, which send and recv are; NULL: none. Set after the check */
    int64_t forbidden; /* bytes from the receive buffer to where sending from is an error */
    call_room room;
} call;

static inline int64_t side_bytes(const call_side *s)
{
    return s->total * s->type.size;
}

/* Bytes of the block from and to myself. */
static inline int64_t side_own_bytes(const call_side *s)
{
    return s->mine * s->type.size;
}

/* Check everything but the communicator, which is `on`. Returns an error class. */
int call_check(const args *a, comm *on, call *result);

/* The part of it that looks at buffers and at what a rank sends to itself. An error class. */
int call_check_buffers(call *c);

/* Bytes of block i in the room. */
int64_t call_room_of(const call *c, int i);

/* The plan's key and its size, but for algorithm, form and parameter: *small if that is large
 * enough, else allocated, for call_key_free. NULL: out of memory. */
plan_key *call_key(const call *c, plan_key *small, size_t *size);
void call_key_free(plan_key *key, const plan_key *small);

/* Bytes that this rank sends to another one, of a call with lists. */
int64_t call_key_bytes(const plan_key *key, const call *c, int to);

/* Buffers, types and counts for the exec, which takes it over; else bind_drop. */
int call_binding(const call *c, binding *result);

/* TYPED: bytes of a block. An error class. */
int lists_block_bytes(const args_lists *l, int i, int64_t *bytes);

#endif
