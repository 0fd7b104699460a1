/* SPDX-License-Identifier: BSD-3-Clause */
/* args.h - the arguments of a collective call, as the program gives them. What follows from them
 * is in checked.h.
 */
#ifndef TUTTI_ARGS_H
#define TUTTI_ARGS_H

#include "nbc/sched/coll.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

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

static inline bool lists_have_counts(const args_lists *l)
{
    return l && (l->counts || l->counts_c);
}

static inline bool lists_have_displs(const args_lists *l)
{
    return l && (l->displs || l->displs_c);
}

static inline int64_t lists_count(const args_lists *l, int i)
{
    return l->counts ? l->counts[i] : l->counts_c[i];
}

static inline int64_t lists_displ(const args_lists *l, int i)
{
    return l->displs ? l->displs[i] : l->displs_c[i];
}

/* Is MPI_IN_PLACE given, or is there nothing to send from? */
static inline bool args_in_place(const args *a)
{
    const coll_shape *shape = &coll_shapes[a->kind];

    if (shape->traits & COLL_ROOT_SENDS)
        return a->recv.buffer == MPI_IN_PLACE;
    return a->send.buffer == MPI_IN_PLACE || shape->send == COLL_NONE;
}

#endif
