/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_inside.h - the lines of a ring and what is written beside them: for ring_memory.c,
 * ring_put.c and ring_get.c alone.
 */
#ifndef TUTTI_RING_INSIDE_H
#define TUTTI_RING_INSIDE_H

#include "nbc/node/ring.h"

static inline int64_t ring_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline unsigned char *ring_line_at(const ring *r, uint64_t position)
{
    return r->line + (position & (r->lines - 1)) * RING_LINE;
}

static inline _Atomic uint64_t *ring_stamp_at(const ring *r, uint64_t position)
{
    if (r->stamp)
        return &r->stamp[position & (r->lines - 1)];
    return (_Atomic uint64_t *)(void *)(ring_line_at(r, position) + RING_DATA);
}

/* first: RING_FIRST or 0. */
static inline uint64_t ring_stamp_of(uint64_t position, uint64_t first, int64_t bytes)
{
    return (position + 1) << 16 | first | (uint64_t)bytes;
}

static inline void ring_put_stamp(ring *r, uint64_t position, uint64_t stamp)
{
    atomic_store_explicit(ring_stamp_at(r, position), stamp, memory_order_release);
}

static inline uint64_t ring_get_stamp(const ring *r, uint64_t position)
{
    return atomic_load_explicit(ring_stamp_at(r, position), memory_order_acquire);
}

/* Bytes that lie in the lines from this one to the end of the ring. */
static inline int64_t ring_bytes_to_end(const ring *r, uint64_t position)
{
    return (int64_t)(r->lines - (position & (r->lines - 1))) * RING_LINE;
}

/* The words of a message that begins at this position: they are side by side. */
enum { RING_WORD_BYTES = 1, RING_WORD_WHERE, RING_WORD_ACK };

static inline _Atomic uint64_t *ring_word_at(const ring *r, uint64_t position, int word)
{
    return &r->stamp[(position & (r->lines - 1)) + (uint64_t)word];
}

static inline void ring_put_word(ring *r, uint64_t position, int word, uint64_t value)
{
    atomic_store_explicit(ring_word_at(r, position, word), value, memory_order_relaxed);
}

static inline uint64_t ring_get_word(const ring *r, uint64_t position, int word)
{
    return atomic_load_explicit(ring_word_at(r, position, word), memory_order_relaxed);
}

static inline uint64_t ring_block_lines(const ring *r)
{
    return (uint64_t)r->block / RING_LINE;
}

#endif
