/* SPDX-License-Identifier: BSD-3-Clause */
/* blockmap_inside.h - which blocks an item has, and where items that lie side by side are: for
 * blockmap.c, blockmap_messages.c and blockmap_local.c alone.
 */
#ifndef TUTTI_BLOCKMAP_INSIDE_H
#define TUTTI_BLOCKMAP_INSIDE_H

#include "algos/blockmap.h"
#include "algos/group.h"

/* Blocks of item i, which does not wrap around. */
static inline int blockmap_item_size(const blockmap *b, int i)
{
    return b->first ? b->first[i + 1] - b->first[i] : b->pieces;
}

/* The k-th of them. */
static inline int blockmap_item_block(const blockmap *b, int i, int k)
{
    if (b->first)
        return b->list[b->first[i] + k];
    return (b->list ? b->list[i] : i) * b->pieces + k;
}

/* Do items that follow one another lie side by side in this row? */
static inline bool blockmap_is_contiguous(const blockmap *b, const blockrow *row)
{
    return !b->first && !b->list && !row->counts;
}

/* Then n of them, which do not wrap around, are here. */
static inline interval blockmap_contiguous(const blockmap *b, const blockrow *row, int first, int n)
{
    interval one = row_at(row, first * b->pieces);

    return part_of(one, 0, (int64_t)n * b->pieces, (int64_t)one.length);
}

#endif
