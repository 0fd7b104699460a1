/* SPDX-License-Identifier: BSD-3-Clause */
/* piece.h - an interval of a bound schedule as MPI wants it: items of a type at an offset. */
#ifndef TUTTI_PIECE_H
#define TUTTI_PIECE_H

#include "nbc/run/bound.h"

typedef struct piece {
    const datatype *type;
    MPI_Datatype given; /* the caller's handle of it */
    int64_t items;
    int64_t offset; /* bytes from the space's base */
    char *address;
} piece;

/* Items of the space's type. */
static inline int64_t piece_items(const space_binding *s, interval i)
{
    return sched_items(s->parts, s->count, interval_end(i)) -
           sched_items(s->parts, s->count, i.offset);
}

/* The part of SCRATCH that an element is in. */
static inline int piece_room(const sched *s, int64_t offset)
{
    int low = 0, high = s->nrooms;

    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->room[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static inline int64_t piece_offset(const bound *b, const space_binding *s, interval i)
{
    int64_t before = 0, begin = 0;

    if (s->room_at) {
        int room = piece_room(b->sched, i.offset);
        begin = b->sched->room[room];
        before = s->room_at[room];
    }
    return before + sched_items(s->parts, s->count, i.offset - begin) * s->type.extent;
}

static inline piece piece_of(const bound *b, interval i)
{
    const space_binding *s = &b->space[i.space];
    piece x;

    if (s->blocks) {
        const typed_block *block = typed_find(s->blocks, i.offset);
        x = (piece){&block->type, block->given, block->count, block->offset, NULL};
    } else {
        x = (piece){&s->type, s->given, piece_items(s, i), piece_offset(b, s, i), NULL};
    }
    x.address = b->base[i.space] + x.offset;
    return x;
}

static inline int64_t piece_bytes(const piece *x)
{
    return x->items * x->type->size;
}

/* The i-th interval of a step. */
static inline piece piece_at(const bound *b, const step *st, int i)
{
    return piece_of(b, b->sched->list[st->first + i]);
}

#endif
