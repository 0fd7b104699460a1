/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.h - the data of a measurement: what a rank sends, and whether the right thing came. */
#ifndef BENCH_BUFFERS_H
#define BENCH_BUFFERS_H

#include "calls.h"

#include <stdint.h>

/* Send and receive buffers for blocks of up to `size` bytes, as many as a rank has; where it
 * receives nothing, and others do, one that must stay as it is. In SimGrid, of more than `fold`
 * bytes (0: never): all ranks' memory is the same few pages, and what is in it cannot be verified.
 * False: no memory. */
typedef struct buffers {
    MPI_Datatype type;
    int unit; /* its bytes */
    char *send, *recv;
    int *counts, *displs;
    MPI_Aint *byte_displs;
    MPI_Datatype *types;
    bool folded, shared;
} buffers;

/* Where data lie: folded above so many bytes (0: never); in memory of tutti_alloc. */
typedef struct buffers_memory {
    int64_t fold;
    bool shared;
} buffers_memory;

bool buffers_open(buffers *b, coll_kind c, coll_sides has, int n, int64_t size,
                  buffers_memory memory);
void buffers_close(buffers *b);

/* The same without the memory for data. */
bool buffers_lists(buffers *b, coll_kind c, int n);
void buffers_lists_free(buffers *b);

/* What vectors consist of, and its bytes: what is reduced is added up as doubles. */
MPI_Datatype buffers_type(coll_kind c);
int buffers_unit(coll_kind c);

/* Bytes that a rank needs at most for blocks of this size, of n ranks or neighbors. */
int64_t buffers_need(coll_kind c, int n, int64_t size);

/* Are they folded? */
bool buffers_fold(coll_kind c, int n, int64_t size, int64_t fold);

/* Counts, displacements and types of n blocks of this size. */
void buffers_size(buffers *b, int n, int size);

/* Fill what is sent with what belongs to repetition `seed`, spoil where something is received. */
void buffers_fill(const run *r, int seed);

/* Bytes of the receive buffer that are wrong after repetition `seed`; on this rank. */
int64_t buffers_wrong(const run *r, int seed);

#endif
