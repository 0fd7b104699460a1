/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.h - a schedule resolved for given buffers and types: each step is a message or a copy. A
 * part of the exec. bind.h makes it, wire.h moves its data.
 */
#ifndef TUTTI_BOUND_H
#define TUTTI_BOUND_H

#include "nbc/run/datatype.h"
#include "nbc/run/operation.h"
#include "nbc/run/reduce.h"
#include "nbc/run/typed.h"
#include "nbc/sched/sched.h"

#include <mpi.h>

/* What one element of a space is, and where the space begins. */
typedef struct space_binding {
    char *base;
    datatype type;
    MPI_Datatype given; /* the caller's handle of it */
    int64_t count;      /* of type in `parts` elements */
    int parts;
    int64_t *room_at;     /* SCRATCH, of elements that interleave: bytes from base to each of
                         sched.room; NULL: all is contiguous */
    typed_blocks *blocks; /* or NULL: types of their own; an element is a byte of their data then */
} space_binding;

/* What the caller binds: buffers and types as MPI gives them. SCRATCH has the type of RECV, unless
 * elements of that interleave (a column of a matrix, resized to one number) and so cannot lie one
 * after the other: then they are packed. Not always, because MPICH 4.0 cannot receive packed
 * messages of more than 8 KiB into a type that mixes basic types. */
typedef struct binding {
    void *sendbuf;
    MPI_Datatype sendtype;
    int64_t sendcount; /* of sendtype in sched.parts elements of SEND */
    void *recvbuf;
    MPI_Datatype recvtype;
    int64_t recvcount;                     /* of recvtype in sched.parts elements of RECV */
    typed_blocks *sendblocks, *recvblocks; /* instead of types and counts, or NULL; taken over */
    void *room;                            /* recvbuf, if it is nobody else's; NULL; taken over */
    operation op;
    int error; /* with which it ends, although it runs: the others count on this rank */
    int64_t own_sent, own_room; /* then: bytes that the rank sends to itself, and receives */
    bool packs; /* a vector that is cut goes through SCRATCH: its data is not contiguous */
} binding;

/* A SEND or RECV step, resolved. */
typedef struct message {
    MPI_Datatype type;
    int64_t offset; /* bytes from the base */
    int count;
    int32_t peer; /* rank in the wire, once addressed */
    int32_t tag;  /* tag in window 0 of the tag space, once addressed */
    uint8_t base; /* index in bound.base */
    bool made;    /* type is ours to free */
    bool empty;   /* a part without data: not sent */
} message;

/* A COPY step, resolved, if it moves bytes as they are; a REDUCE step, if the operation is MPI's
 * own and an int counts the items. */
typedef struct raw_local {
    int64_t from, to;           /* bytes from the bases */
    size_t amount;              /* bytes of a copy, items of a reduction; 0: it is not */
    uint8_t from_base, to_base; /* indices in bound.base */
} raw_local;

enum { BASE_PACK = SPACES, BASES };

typedef struct bound {
    const sched *sched;
    binding given;
    bool resolved; /* since bind_to, until bind_release */
    bool reusable; /* only predefined types are bound: a rebind may only change addresses */
    bool holds_op; /* given.op, which is the program's, is held */
    reduce_function *reduce; /* what given.op does, or NULL: MPI_Reduce_local */
    bool spanning;           /* a message's type holds the distances between the spaces */
    bool unpacks;            /* some receive is packed */
    int addressed;           /* tag space of the messages' tags, plus 1; 0: they have none yet */
    space_binding space[SPACES];
    char *base[BASES]; /* SEND, RECV, SCRATCH, and the packing buffer */
    message *messages; /* [nmessages] */
    raw_local *locals; /* [nsteps - nmessages] */
    char *scratch, *pack;
    int64_t scratch_shared; /* bytes of it in the segment's shared heap; 0: malloc */
    int64_t memory;         /* bytes of both */
} bound;

#endif
