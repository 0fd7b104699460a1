/* SPDX-License-Identifier: BSD-3-Clause */
/* vary.h - calls that are not the same as the one before, as programs make them.
 *
 *   word       what changes from call to call
 *   buffers    where the data begin
 *   lengths    how long all blocks are
 *   counts     how long each block is (v-collectives)
 *   roots      the root
 *   ops        the operation: sum, maximum, minimum, product
 *   types      the datatype: four predefined ones of one size
 *   derived    nothing, but the datatype is a derived one, with gaps
 *   own        nothing, but the operation is one of MPI_Op_create
 *
 * In turn, over VARIANTS calls. Blocks are never shorter than without.
 */
#ifndef BENCH_VARY_H
#define BENCH_VARY_H

#include "calls.h"

#include <stdint.h>

enum { VARIANTS = 8 };

typedef enum vary_kind {
    VARY_NOTHING,
    VARY_BUFFERS,
    VARY_LENGTHS,
    VARY_COUNTS,
    VARY_ROOTS,
    VARY_OPS,
    VARY_TYPES,
    VARY_DERIVED,
    VARY_OWN,
    VARIES
} vary_kind;

extern const char *const vary_names[VARIES];

/* Does it change anything of this collective? */
bool vary_fits(vary_kind v, coll_kind c);

/* Bytes of a block's memory, for blocks of `size` bytes. */
int64_t vary_room(vary_kind v, int64_t size);

/* The call as it is given, and what its variants need; freed by vary_end. */
typedef struct vary {
    vary_kind kind;
    run given;
    MPI_Datatype derived;
    MPI_Op own;
    int turn;
} vary;

void vary_begin(vary *v, vary_kind kind, run *r);
void vary_end(vary *v);

/* Change the arguments for the next call. */
void vary_next(vary *v, run *r);

#endif
