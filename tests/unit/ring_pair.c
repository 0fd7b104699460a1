/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_pair.c - see ring_pair.h. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "unit/ring_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

const uint64_t ring_begins[BEGINS] = {0, (1ull << 32) - 3000, (1ull << 48) - 5000, 0 - 5000ull};
unsigned char sent[MOST], got[MOST];

pair pair_make(ring_kind kind, uint64_t lines)
{
    pair x = {.size = ring_size(kind, lines)};

    x.shared = mmap(NULL, x.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(x.shared, MAP_FAILED);
    assert_int_equal(x.size % (2 * RING_LINE), 0);
    assert_true(ring_open(&x.in, x.shared, kind, lines, true));
    assert_true(ring_open(&x.out, x.shared, kind, lines, false));
    return x;
}

void pair_drop(pair *x)
{
    ring_close(&x->in);
    munmap(x->shared, x->size);
}

ring_kind kind_of(int64_t bytes)
{
    return bytes <= RING_SMALL ? RING_OF_LINES : RING_OF_BLOCKS;
}

uint64_t lines_of(int64_t bytes)
{
    return ring_lines(kind_of(bytes), bytes);
}

void fill(unsigned char *to, int64_t bytes, uint64_t at)
{
    for (int64_t i = 0; i < bytes; i++) {
        uint64_t first = (uint64_t)(i / 8 % 2) * RING_FIRST;
        uint64_t stamp =
            (at + (uint64_t)i / 8 % 7 + 1) << 16 | first | ((uint64_t)bytes & RING_LENGTH);
        to[i] = (unsigned char)(stamp >> 8 * (i % 8));
    }
}

void pair_put(pair *x, uint64_t at, int64_t bytes)
{
    int64_t done = 0;

    fill(sent, bytes, at);
    assert_true(ring_room(&x->out, at, lines_of(bytes)));
    assert_true(ring_put(&x->out, at, sent, bytes, false, &done));
}

ring_state take(ring *r, uint64_t at, unsigned char *to, int64_t bytes, ring_progress *so)
{
    ring_piece piece = {.last = false};

    if (!r->stamp)
        return ring_get(r, at, to, bytes, so);
    while (!piece.last) {
        ring_state state = ring_look(r, at, bytes, so, &piece);
        if (state != RING_COMPLETE)
            return state;
        memcpy(to + so->done, piece.at ? piece.at : (const void *)(uintptr_t)piece.where,
               (size_t)piece.bytes);
        ring_read(r, at, bytes, so, &piece);
        if (!piece.at)
            ring_acknowledge((_Atomic uint64_t *)(uintptr_t)piece.ack, piece.position,
                             RING_WAS_READ);
    }
    return RING_COMPLETE;
}

void pair_get(pair *x, uint64_t at, int64_t bytes)
{
    ring_progress so = {0};

    memset(got, 0xee, sizeof got);
    assert_true(ring_begun(&x->in, at, false));
    assert_true(ring_complete(&x->in, at, false));
    assert_int_equal(take(&x->in, at, got, bytes, &so), RING_COMPLETE);
    assert_int_equal(so.done, bytes);
    fill(sent, bytes, at);
    assert_memory_equal(got, sent, (size_t)bytes);
}

void pair_expect_empty(pair *x, uint64_t at, int64_t bytes)
{
    ring_progress so = {0};

    assert_false(ring_begun(&x->in, at, false));
    assert_false(ring_complete(&x->in, at, false));
    assert_int_equal(take(&x->in, at, got, bytes, &so), RING_EMPTY);
    assert_int_equal(so.done, 0);
}
