/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - the buffers of one collective call of any shape: what each rank sends, and what must
 * be in the receive buffer afterwards, byte for byte, gaps and surroundings included.
 */
#ifndef TUTTI_TEST_BLOCKS_H
#define TUTTI_TEST_BLOCKS_H

#include "mpi/calls.h"
#include "mpi/reductions.h"
#include "mpi/type_pairs.h"
#include "oracle.h"

typedef struct blocks_side {
    int n, per;              /* blocks; elements of type for one of the sender's */
    bool there;              /* the rank has this side; else the call gets wild arguments for it */
    int *length, *at;        /* in elements, [n] */
    MPI_Count *large_counts; /* the same */
    MPI_Aint *large_displs;
    MPI_Aint bytes, origin; /* size of the buffer; where displacement 0 is */
    char *buffer;
} blocks_side;

typedef struct blocks {
    coll_kind kind;
    MPI_Comm comm;
    int p, rank;
    const type_pair *types;
    const reduction *reduction; /* of collectives that reduce */
    int count;                  /* elements in an ordinary block */
    bool in_place;              /* where the collective allows it: of a rooted one, at the root */
    bool below;                 /* listed: some displacements are negative */
    bool full;                  /* listed: no block is empty */
    bool shared;                /* buffers are tutti_alloc's */
    oracle o;
    call_args args;       /* for the call that is tested */
    call_args native;     /* for that of the MPI: not in place, but at the root that scatters */
    MPI_Datatype unready; /* not committed */
    blocks_side send, recv;
    char *expected, *sent, *packed;
} blocks;

/* Fill in what comes after in_place and below; o.root is given. */
void blocks_open(blocks *b);
void blocks_close(blocks *b);

/* New data, the same turn on all ranks. */
void blocks_fill(blocks *b, int turn);

/* Does the receive buffer hold what it must, and the send buffer what it did? */
bool blocks_are_right(const blocks *b);

/* Does the blocking collective of the MPI give what blocks_are_right wants? Collective. */
bool blocks_native_agrees(const blocks *b);

/* Spoil the lists of counts and displacements: a call has read them when it returns. */
void blocks_spoil_lists(blocks *b);

#endif
