/* SPDX-License-Identifier: BSD-3-Clause */
/* known.h - the calls that a communicator has met, by their signature: all of a call but its
 * buffers.
 *
 *   hash of the signature -> a set of 4 -> a known call: its plan, and the execs that idle bound
 *                                          for it; or it is left to the MPI
 *
 * At most KNOWN_SETS * KNOWN_WAYS calls on a communicator, of some 300 bytes; of a set the least
 * recently used leaves. Each has the execs that it needs at a time, at most KNOWN_IDLE, of at most
 * KNOWN_MEMORY bytes of scratch; on a communicator they have at most KNOWN_BYTES. A call has more
 * than KNOWN_FEW only while those of the process have less than KNOWN_ALL_BYTES, and never with
 * derived types, of which execs hold copies; with these it has none while the process holds
 * KNOWN_TYPES: MPICH 4.0 packs contiguous types wrong when there are more than 770.
 *
 * A call with derived types leaves when one of them ends, and before the program frees one: execs
 * that are bound for it have copies of them. All under the library's lock.
 */
#ifndef TUTTI_KNOWN_H
#define TUTTI_KNOWN_H

#include "nbc/comm/comm.h"
#include "nbc/run/exec.h"

/* Tuning: powers of two. */
enum {
    KNOWN_SETS = 128,
    KNOWN_WAYS = 4,
    KNOWN_FEW = 8,
    KNOWN_IDLE = 256,
    KNOWN_MEMORY = 2048,
    KNOWN_BYTES = 1 << 22,
    KNOWN_ALL_BYTES = 1 << 23,
    KNOWN_TYPES = 256
};

/* Flag of a kind: the lists count only by their sum. Of calls that are left to the MPI. */
enum { KNOWN_BY_SUM = 256 };

/* Handles as numbers. Counts and displacements of lists are in the plan's key. */
typedef struct known_signature {
    int32_t kind, algo, root, in_place;
    uint64_t sendtype, recvtype, op;
    int64_t sendcount, recvcount;
} known_signature;

typedef struct known {
    known_signature signature;
    uint64_t hash;    /* of the signature, and of lists */
    int refs;         /* the table's, and one for each exec that is bound for it and in use */
    bool native;      /* calls that may be left to the MPI are left */
    bool settled;     /* they are ours; neither: nobody has asked */
    int8_t native_op; /* the program's operation that they are left with, which 1: commutes, 0: does
                          not; -1: it is not the program's */
    struct plan *plan; /* NULL: it has left the table, or has only been left to the MPI */
    coll_sides has;
    bool lists;       /* the call has some; they are in the plan's key */
    int nsend, nrecv; /* blocks, where they are many */
    coll_bytes bytes; /* KNOWN_BY_SUM: .given is of the call that was remembered */
    MPI_Aint mine;    /* bytes from the receive buffer to where the send buffer must not be */
    exec *idle;       /* list by `next` */
    int nidle;
    binding binding;               /* without the buffers; its blocks are references */
    lifetime *sendlife, *recvlife; /* of derived types, with references; or NULL */
    comm *comm;                    /* where it is known; NULL: it has no derived types */
    struct known *prev, *next;     /* list of all calls with derived types */
} known;

typedef struct known_calls {
    known *way[KNOWN_SETS][KNOWN_WAYS]; /* most recently used first */
    int64_t bytes;                      /* of the execs that idle in there */
    bool has_by_sum;                    /* some calls with lists have been left to the MPI */
} known_calls;

/* Lists by `next` of what belonged to calls that have left their table: execs, each with its
 * `plan`, and blocks. plan_take_left empties them. */
extern exec *known_left;
extern typed_blocks *known_left_blocks;

/* Bytes of all communicators' known calls. */
extern int64_t known_all_bytes;

/* KNOWN_WAYS slots, in which a call of this hash is if it is known; NULL: no call is. */
static inline known **known_set(comm *c, uint64_t hash)
{
    return c->known ? c->known->way[(hash ^ hash >> 32) % KNOWN_SETS] : NULL;
}

/* It is used: the first of its set, and the latest of its kind. */
void known_use(comm *c, known **set, int way);

/* Room for a call that is not in its set: in place of the least recently used. NULL: no memory. */
known *known_add(comm *c, const known_signature *signature, uint64_t hash);

/* It describes nothing any more: what it had is left (known_left). */
void known_clear(comm *c, known *k);

/* Note which derived types the call names, so that it leaves when one of them ends: those of its
 * two sides (NULL: none, or a predefined one), and those of the blocks it already has. */
void known_ends_with(comm *c, known *k, lifetime *send, lifetime *recv);

/* Drop, on all communicators, the calls that name this type; NULL: those that name any type that
 * has ended. */
void known_forget_type(const lifetime *l);

/* All of a plan go, or all; and the table, of which nothing is left. */
void known_forget(comm *c, const struct plan *p);
void known_end(comm *c);

/* The exec has been bound for it. */
void known_bound(known *k, exec *e);

void known_unref(known *k);

/* What an exec counts in known_calls.bytes. */
static inline int64_t known_bytes(const exec *e)
{
    return e->bound.memory + (int64_t)(e->size + (e->shm ? e->shm->size : 0));
}

/* It idles in there from now on (1), or not any more (-1). */
static inline void known_count(comm *c, const exec *e, int sign)
{
    c->known->bytes += sign * known_bytes(e);
    known_all_bytes += sign * known_bytes(e);
}

/* An exec of this plan comes back. False: it does not stay. Its reference is gone. */
bool known_keep(comm *c, const struct plan *p, exec *e);

#endif
