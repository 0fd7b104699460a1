/* buffers.h - the data of a measurement: what a rank sends, and whether the right thing came. */
#ifndef BENCH_BUFFERS_H
#define BENCH_BUFFERS_H

#include "calls.h"

#include <stdint.h>

/* Send and receive buffers for blocks of up to `size` bytes. In SimGrid, of more than `fold` bytes
 * (0: never): all ranks' memory is the same few pages, and what is in it cannot be verified. False:
 * no memory. */
typedef struct buffers {
    char *send, *recv;
    int *counts, *place;
    bool folded;
} buffers;

bool buffers_open(buffers *b, coll_kind c, int p, int64_t size, int64_t fold);
void buffers_close(buffers *b);

/* What vectors consist of, and its bytes: what is reduced is added up as doubles. */
MPI_Datatype buffers_type(coll_kind c);
int buffers_unit(coll_kind c);

/* Bytes that a rank of p needs for blocks of this size. */
int64_t buffers_need(coll_kind c, int p, int64_t size);

/* Are they folded? */
bool buffers_fold(coll_kind c, int p, int64_t size, int64_t fold);

/* Counts and places for blocks of this size. */
void buffers_size(buffers *b, int p, int size);

/* Fill what is sent with what belongs to repetition `seed`, spoil where something is received. */
void buffers_fill(const run *r, int seed);

/* Bytes of the receive buffer that are wrong after repetition `seed`; on this rank. */
int64_t buffers_wrong(const run *r, int seed);

#endif
