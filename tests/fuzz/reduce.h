/* reduce.h - what is combined by an operation (mpi/reductions.h), and the result.
 *
 * Element e of rank s follows from its data and e; the result is that of all ranks in their order.
 */
#ifndef TUTTI_FUZZ_REDUCE_H
#define TUTTI_FUZZ_REDUCE_H

#include "layout.h"
#include "mpi/reductions.h"

/* The MPI's own operation, or a new one of the same function, for the caller to free. */
MPI_Op reduce_operation(const reduction *r);

/* Into block 0 of the image: what one rank gives, or what p ranks make together. */
void reduce_put(const reduction *r, blocks *b, uint64_t data);
void reduce_put_result(const reduction *r, blocks *b, int p, const uint64_t data[]);

#endif
