/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.h - what is combined by an operation (mpi/reductions.h), and the result.
 *
 * Element e of rank s follows from its data and e; the result is that of ranks in their order.
 */
#ifndef TUTTI_FUZZ_REDUCE_H
#define TUTTI_FUZZ_REDUCE_H

#include "layout.h"
#include "mpi/reductions.h"

/* The MPI's own operation, or a new one of the same function, for the caller to free. */
MPI_Op reduce_operation(const reduction *r);

/* Into the image, whose blocks lie one after the other: what one rank gives, into a block; or what
 * p ranks make together, into the first n elements. */
void reduce_put(const reduction *r, blocks *b, int block, uint64_t data);
void reduce_put_result(const reduction *r, blocks *b, int n, int p, const uint64_t data[]);

#endif
