/* SPDX-License-Identifier: BSD-3-Clause */
/* own_ring.c - see own_ring.h. */
#include "nbc/node/own_ring.h"

#include "nbc/node/segment.h"

enum {
    MOST_OWN = 2048, /* lines */
    SHORT_OWN = 512, /* for short messages */
    PLENTY_OWN = 32, /* at least so many, as long as there is plenty */
    LEAST_OWN = 16   /* at least so many, else */
};

/* Two starts find room in it, whatever they are. As long as there is plenty, more of them can be
 * under way before the sender looks for room: it would find little, and each look costs a line. */
static uint64_t wanted_lines(uint64_t lines)
{
    size_t left = segment_left(), slice = segment_slice();
    uint64_t n = left > slice / 2 ? PLENTY_OWN : LEAST_OWN;

    while (n < MOST_OWN &&
           (n < 2 * lines || (left > slice / 4 * 3 && n < 8 * lines && n < SHORT_OWN)))
        n *= 2;
    return n;
}

size_t own_rings_room(int rings)
{
    return segment_left() / SEGMENT_SHARE / (size_t)rings;
}

bool own_ring_make(own_ring *r, ring_kind kind, uint64_t lines, size_t room)
{
    uint64_t n = wanted_lines(lines);

    *r = (own_ring){0};
    while (ring_size(kind, n) > room && n > LEAST_OWN)
        n /= 2;
    if (lines == 0 || ring_size(kind, n) > room)
        return true;
    r->size = ring_size(kind, n);
    r->memory = segment_take(r->size);
    if (!r->memory || ring_open(&r->ring, r->memory, kind, n, true))
        return true;
    own_ring_free(r);
    return false;
}

/* Senders may have written what this rank has not read, because it has left a start out. What is
 * short is cleared as fast as it is looked at. */
static bool may_be_unread(const own_ring *r)
{
    if (r->size <= SEGMENT_TOUCHED)
        return true;
    return (ring_used(&r->ring) || segment_touched(ring_next(&r->ring))) && ring_unread(&r->ring);
}

void own_ring_free(own_ring *r)
{
    bool mine = r->memory && segment_is_mine();

    if (mine && (may_be_unread(r) || ring_used(&r->ring) > SEGMENT_CLEARED)) {
        segment_return(r->memory, r->size);
    } else {
        if (mine)
            ring_clear(&r->ring);
        segment_give(r->memory, r->size);
    }
    ring_close(&r->ring);
    *r = (own_ring){0};
}
