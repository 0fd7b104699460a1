/* SPDX-License-Identifier: BSD-3-Clause */
/* args.h - the arguments of a collective call, checked, and as a plan and an exec want them.
 *
 * Everything follows from the shape of the collective (nbc/sched/coll.h).
 */
#ifndef TUTTI_ARGS_H
#define TUTTI_ARGS_H

#include "nbc/comm/comm.h"
#include "nbc/plan/plan.h"

#include <mpi.h>

/* Counts and displacements of every rank, either as int or as large ones. */
typedef struct args_lists {
    const int *counts, *displs;
    const MPI_Count *counts_c;
    const MPI_Aint *displs_c;
    const MPI_Datatype *types; /* TYPED: of every block */
} args_lists;

/* What is sent, or what is received: one count, or lists. */
typedef struct args_side {
    const void *buffer;
    MPI_Datatype type;
    MPI_Count count;
    const args_lists *lists;
} args_side;

/* Every call makes one: what is longer than 96 bytes GCC clears by `rep stos`, which takes as long
 * as a tenth of a small exchange. */
typedef struct args {
    coll_kind kind;
    int algo; /* index in algo_table, or ALGO_NONE for auto */
    int root;
    MPI_Op op; /* of a collective that reduces */
    args_side send, recv;
    MPI_Comm comm;
} args;

/* What the checks find out. TYPED: an element is a byte. */
typedef struct facts_side {
    datatype type;
    coll_extent extent; /* NONE: this rank has no such side */
    int n;              /* blocks, where there are many */
    int64_t total;      /* elements in all blocks */
    int64_t mine;       /* elements in the block from and to myself */
    int64_t low; /* LISTED: the least displacement below 0 of a block that is not empty, or 0 */
} facts_side;

typedef struct facts {
    comm *comm;
    bool in_place;
    operation op;
    facts_side send, recv;
    int error; /* the operation is to run, because MPI's would, and to end with this error */
} facts;

/* Check everything but the communicator, which f->comm is. Returns an error class. */
int args_check(const args *a, facts *f);

/* Is MPI_IN_PLACE given, or is there nothing to send from? */
static inline bool args_in_place(const args *a)
{
    if (coll_has(a->kind, COLL_ROOT_SENDS))
        return a->recv.buffer == MPI_IN_PLACE;
    return a->send.buffer == MPI_IN_PLACE || coll_shapes[a->kind].send == COLL_NONE;
}

/* What this rank sends and receives. */
static inline coll_sides args_sides(const args *a, const comm *c)
{
    return coll_sides_of(a->kind, c->rank, a->root, args_in_place(a));
}

/* Bytes from the receive buffer to where sending from would be an error. */
int64_t args_forbidden(const args *a, const facts *f);

/* Bytes of all blocks that a rank receives, as far as all ranks know them; else 0. */
int64_t args_bytes(const args *a, const facts *f);

/* Bytes that this rank sends to another one, of a call with lists. */
int64_t args_key_bytes(const plan_key *key, const facts *f, int to);

/* What selection sees of the call: without counts. */
coll args_coll(const args *a, const facts *f);

/* The plan's key and its size, but for algorithm, form and parameter: *small if that is large
 * enough, else allocated, for args_key_free. NULL: out of memory. */
plan_key *args_key(const args *a, const facts *f, plan_key *small, size_t *size);
void args_key_free(plan_key *key, const plan_key *small);

/* Buffers, types and counts for the exec, which takes it over; else bind_drop. */
int args_binding(const args *a, const facts *f, binding *result);

#endif
