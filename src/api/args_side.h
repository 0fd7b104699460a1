/* SPDX-License-Identifier: BSD-3-Clause */
/* args_side.h - one side of a call's arguments, for args_check.c, args_plan.c and repeat.c. */
#ifndef TUTTI_ARGS_SIDE_H
#define TUTTI_ARGS_SIDE_H

#include "api/args.h"

static inline bool side_has_counts(const args_side *s)
{
    return s->lists && (s->lists->counts || s->lists->counts_c);
}

static inline bool side_has_displs(const args_side *s)
{
    return s->lists && (s->lists->displs || s->lists->displs_c);
}

static inline int64_t side_count(const args_side *s, int i)
{
    return s->lists->counts ? s->lists->counts[i] : s->lists->counts_c[i];
}

static inline int64_t side_displ(const args_side *s, int i)
{
    return s->lists->displs ? s->lists->displs[i] : s->lists->displs_c[i];
}

/* Items of the type in one element of the space. */
static inline int64_t side_unit(const args *a, coll_extent extent, const args_side *s)
{
    return extent >= COLL_SIZED || coll_shapes[a->kind].send == COLL_SIZED ? 1 : s->count;
}

/* Is this the receive side of a call whose send side is the list of what all receive? */
static inline bool side_is_sized(const args *a, const facts_side *f)
{
    return coll_shapes[a->kind].send == COLL_SIZED && f->extent == COLL_ONE;
}

/* Bytes of my block, on a side that I have. */
static inline int64_t args_my_bytes(const facts *f)
{
    const facts_side *s = f->recv.extent ? &f->recv : &f->send;

    return s->mine * s->type.size;
}

/* TYPED: bytes of a block. An error class. */
int side_block_bytes(const args_side *s, int i, int64_t *bytes);

#endif
