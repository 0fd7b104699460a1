/* SPDX-License-Identifier: BSD-3-Clause */
/* type_pairs.h - pairs of datatypes with the same signature, for both sides of a collective. */
#ifndef TUTTI_TYPE_PAIRS_H
#define TUTTI_TYPE_PAIRS_H

#include <mpi.h>

/* `per` elements of recvtype match one of sendtype. */
typedef struct type_pair {
    const char *name;
    MPI_Datatype sendtype, recvtype;
    int per;
} type_pair;

enum { type_pair_count = 7 };
extern type_pair type_pairs[type_pair_count];

/* Make them: after MPI_Init. They live until MPI_Finalize. */
void type_pairs_make(void);

#endif
