/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_compile.h - the schedules of all ranks for one collective, as the library would compile
 * them; a size exchange runs first where the algorithm asks for it. For coll_execute.c.
 */
#ifndef TUTTI_COLL_COMPILE_H
#define TUTTI_COLL_COMPILE_H

#include "sim/coll_data.h"
#include "sim/coll_run.h"
#include "sim/split.h"

typedef struct all_ranks {
    coll_run t;
    const coll_shape *shape;
    int *all; /* [p] zeros: everybody in one part */
    split split;
    rank_data *data;           /* [p] */
    sim_rank *ranks;           /* [p] */
    int64_t **exchanged_sizes; /* [p], or NULLs */
    bool compiled;
    uint64_t **kept; /* [p], bits: what each rank had after the run before; [0] NULL: none yet */
} all_ranks;

/* Bytes of an item of scratch: packed, there are twice as many of half the size. */
size_t scratch_size(const all_ranks *u);

/* Compile for data that is filled in, and check the schedules. Anew: those before are freed. */
void compile_all(all_ranks *u);
void compile_free(all_ranks *u);

#endif
