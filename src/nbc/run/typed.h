/* SPDX-License-Identifier: BSD-3-Clause */
/* typed.h - a space whose blocks have types of their own (alltoallw).
 *
 * For the schedule it is bytes: the blocks' data in their order, with a gap after each that nobody
 * names. So no two of them are adjacent, and none are merged into one interval (sched_add): an
 * interval is one whole block.
 */
#ifndef TUTTI_TYPED_H
#define TUTTI_TYPED_H

#include "nbc/run/datatype.h"
#include "nbc/sched/sched.h"

#include <stdatomic.h>

enum { TYPED_GAP = 1 };

typedef struct typed_block {
    int64_t at;         /* its offset in the schedule's space */
    int64_t bytes;      /* its length there */
    int64_t offset;     /* bytes from the buffer */
    int64_t count;      /* of this type */
    datatype type;      /* held */
    MPI_Datatype given; /* the caller's handle of it */
} typed_block;

typedef struct typed_blocks {
    atomic_int refs;
    struct typed_blocks *next; /* for who frees them later */
    int n;
    typed_block block[]; /* [n], by `at`; those without data are left out */
} typed_blocks;

/* Room for n blocks, none yet; one reference. NULL: out of memory. */
typed_blocks *typed_make(int n);

/* One more, after the others. */
int typed_add(typed_blocks *t, MPI_Datatype type, int64_t count, int64_t offset);

/* One more reference. NULL stays NULL. */
typed_blocks *typed_share(typed_blocks *t);

/* Give a reference back. */
void typed_free(typed_blocks *t);

/* Are all their types predefined? Do all their handles still name them (datatype_lasts)? Of no
 * blocks: yes. */
bool typed_predefined(const typed_blocks *t);
bool typed_lasts(const typed_blocks *t);

/* Are they the same, but for the buffer? */
bool typed_equal(const typed_blocks *a, const typed_blocks *b);

/* The block that begins at this offset. */
const typed_block *typed_find(const typed_blocks *t, int64_t at);

#endif
