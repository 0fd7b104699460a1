/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_put.c - what the sender does with a ring: see ring.h. */
#include "nbc/node/ring_inside.h"
#include "nbc/process/copy.h"

#include <string.h>

/* The other end of a wrong program may be further on than this one has ever been. */
static inline bool has_room_for_lines(const ring *r, uint64_t position, uint64_t lines)
{
    return (int64_t)(position + lines - r->freed) <= (int64_t)r->lines;
}

bool ring_room(ring *r, uint64_t position, uint64_t lines)
{
    if (has_room_for_lines(r, position, lines))
        return true;
    r->freed = atomic_load_explicit(r->shared_freed, memory_order_acquire);
    return has_room_for_lines(r, position, lines);
}

bool ring_all_read(ring *r, uint64_t position)
{
    if (r->freed != position)
        r->freed = atomic_load_explicit(r->shared_freed, memory_order_acquire);
    return r->freed == position;
}

/* This line is written soon: take it from the receiver's cache, which has read it a lap ago, while
 * there is time. Without it the line would travel twice, once to be written and once to be read:
 * worth a tenth of a small broadcast. A line that the receiver polls already goes back to it, for
 * nothing. GCC makes of __builtin_prefetch one for reading, unless compiled for a newer processor;
 * where there is no such instruction x86-64 takes it for none. */
static inline void claim(const unsigned char *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* Whole lines are copied with a length that the compiler knows. What comes next is as long, most
 * often. */
static void put_lines(ring *r, uint64_t position, const char *from, int64_t bytes)
{
    uint64_t first = RING_FIRST;
    int64_t left = bytes;

    for (; left >= RING_DATA; left -= RING_DATA, from += RING_DATA, position++, first = 0) {
        memcpy(ring_line_at(r, position), from, RING_DATA);
        ring_put_stamp(r, position, ring_stamp_of(position, first, bytes));
    }
    if (left || !bytes) {
        copy_few(ring_line_at(r, position), from, (size_t)left);
        ring_put_stamp(r, position, ring_stamp_of(position, first, bytes));
        position++;
    }
    for (uint64_t n = ring_lines(RING_OF_LINES, bytes); n > 0; n--)
        claim(ring_line_at(r, position++));
}

/* Lines of the part of a message that begins so far after its beginning. */
static inline uint64_t lines_of_block(const ring *r, int64_t bytes, int64_t done)
{
    uint64_t before = (uint64_t)done / RING_LINE, rest = ring_lines(RING_OF_BLOCKS, bytes) - before;

    return rest < ring_block_lines(r) ? rest : ring_block_lines(r);
}

static bool put_blocks(ring *r, uint64_t position, const char *from, int64_t bytes, bool again,
                       int64_t *done)
{
    while (*done < bytes) {
        uint64_t block = position + (uint64_t)*done / RING_LINE;
        int64_t n = ring_least(bytes - *done, r->block),
                first = ring_least(n, ring_bytes_to_end(r, block));

        if (!ring_room(r, block, lines_of_block(r, bytes, *done)))
            return false;
        memcpy(ring_line_at(r, block), from + *done, (size_t)first);
        memcpy(r->line, from + *done + first, (size_t)(n - first));
        if (*done == 0) {
            ring_put_word(r, position, RING_WORD_BYTES, (uint64_t)bytes);
            ring_put_word(r, position, RING_WORD_WHERE, 0);
        }
        if (*done == 0)
            ring_put_stamp(r, block,
                           ring_stamp_of(block, RING_FIRST, again ? (int64_t)RING_AGAIN : 0));
        else
            ring_put_stamp(r, block, ring_stamp_of(block, 0, 0));
        *done += n;
    }
    return true;
}

bool ring_put(ring *r, uint64_t position, const void *from, int64_t bytes, bool again,
              int64_t *done)
{
    if (r->stamp)
        return put_blocks(r, position, from, bytes, again, done);
    if (!ring_room(r, position, ring_lines(RING_OF_LINES, bytes)))
        return false;
    put_lines(r, position, from, bytes);
    return true;
}

bool ring_expose(ring *r, uint64_t position, uint64_t where, uint64_t ack, int64_t bytes)
{
    if (!ring_room(r, position, RING_LINE / sizeof(uint64_t)))
        return false;
    ring_put_word(r, position, RING_WORD_BYTES, (uint64_t)bytes);
    ring_put_word(r, position, RING_WORD_WHERE, where);
    ring_put_word(r, position, RING_WORD_ACK, ack);
    ring_put_stamp(r, position, ring_stamp_of(position, RING_FIRST, 0));
    return true;
}
