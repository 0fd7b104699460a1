/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_data.h - what the ranks of a simulated collective have in their buffers, and must have. */
#ifndef TUTTI_COLL_DATA_H
#define TUTTI_COLL_DATA_H

#include "nbc/sched/coll.h"
#include "oracle.h"

#include <stddef.h>

/* The call. */
typedef struct coll_data {
    coll_kind kind;
    int p, count; /* see coll_run.h */
    int root;     /* an index in each part */
    bool in_place, noncommutative;
    int turn;
    const int *part; /* [p] */
} coll_data;

/* One rank's blocks on one side: of, or for, each rank of the call, in items. */
typedef struct data_side {
    coll_extent extent;
    bool there;               /* this rank has it */
    int64_t *counts, *displs; /* [p]; [0] of a single block or a vector */
    int64_t length;           /* of the buffer, gaps included */
} data_side;

typedef struct rank_data {
    data_side send, recv;
    data_side sent; /* where in RECV what is sent lies, in place */
    oracle o;       /* of its part */
    int index;      /* its index there */
    int first;      /* the lowest rank of its part */
    int root;       /* the root of its part */
    bool in_place;
    uint64_t *sends, *recvs, *expected;
} rank_data;

/* Make ranks[rank], after those of lower ranks. Listed blocks are unequal, some of them empty, in
 * another order than the ranks, with gaps. What is not data is poison. */
void rank_data_make(rank_data *ranks, const coll_data *d, int rank);
void rank_data_free(rank_data *k);

/* Is every byte of the receive buffer, the gaps included, as it must be? */
bool rank_data_right(const rank_data *k);

#endif
