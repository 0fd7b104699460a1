/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_memory.c - the memory of a ring: see ring.h. */
#include "nbc/node/ring_inside.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "two processes share them");
_Static_assert(sizeof(_Atomic uint64_t) == RING_LINE - RING_DATA, "a line of the cache");
_Static_assert(RING_BLOCK % RING_LINE == 0, "blocks fill their lines");

enum { PAIR = 2 * RING_LINE };

uint64_t ring_test_begin;

static size_t stamps_size(ring_kind kind, uint64_t lines)
{
    size_t bytes = kind == RING_OF_BLOCKS ? lines * sizeof(uint64_t) : 0;

    return (bytes + PAIR - 1) / PAIR * PAIR;
}

size_t ring_size(ring_kind kind, uint64_t lines)
{
    return PAIR + stamps_size(kind, lines) + (lines * RING_LINE + PAIR - 1) / PAIR * PAIR;
}

bool ring_open(ring *r, void *shared, ring_kind kind, uint64_t lines, bool receives)
{
    unsigned char *at = shared;

    *r = (ring){.shared_freed = shared,
                .stamp = kind == RING_OF_BLOCKS ? (void *)(at + PAIR) : NULL,
                .line = at + PAIR + stamps_size(kind, lines),
                .lines = lines,
                .block = ring_least(RING_BLOCK, (int64_t)lines / 2 * RING_LINE),
                .next = ring_test_begin,
                .freed = ring_test_begin,
                .taken = ring_test_begin};
    if (!receives)
        return true;
    r->ahead = calloc(lines, sizeof *r->ahead);
    if (ring_test_begin)
        atomic_store_explicit(r->shared_freed, ring_test_begin, memory_order_relaxed);
    return r->ahead != NULL;
}

void ring_close(ring *r)
{
    free(r->ahead);
    free(r->skipped);
    *r = (ring){0};
}

static uint64_t used_lines(const ring *r)
{
    uint64_t used = r->taken - ring_test_begin;

    return used < r->lines ? used : r->lines;
}

size_t ring_used(const ring *r)
{
    uint64_t lines = used_lines(r);

    return lines ? PAIR + lines * (RING_LINE + (r->stamp ? sizeof *r->stamp : 0)) : 0;
}

const void *ring_next(const ring *r)
{
    return ring_stamp_at(r, r->taken);
}

bool ring_unread(const ring *r)
{
    return ring_get_stamp(r, r->taken) >> 16 == r->taken + 1;
}

void ring_clear(ring *r)
{
    uint64_t lines = used_lines(r);

    if (!lines)
        return;
    memset((void *)r->shared_freed, 0, PAIR);
    if (r->stamp)
        memset((void *)r->stamp, 0, lines * sizeof *r->stamp);
    memset(r->line, 0, lines * RING_LINE);
}
