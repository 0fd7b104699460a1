/* ring.c - see ring.h. */
#include "nbc/node/ring.h"

#include "nbc/process/copy.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "two processes share them");
_Static_assert(sizeof(_Atomic uint64_t) == RING_LINE - RING_DATA, "a line of the cache");
_Static_assert(RING_BLOCK % RING_LINE == 0, "blocks fill their lines");

enum { PAIR = 2 * RING_LINE };

uint64_t ring_test_begin;

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

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

    *r = (ring){.shared_ack = shared,
                .stamp = kind == RING_OF_BLOCKS ? (void *)(at + PAIR) : NULL,
                .line = at + PAIR + stamps_size(kind, lines),
                .lines = lines,
                .next = ring_test_begin,
                .ack = ring_test_begin,
                .taken = ring_test_begin};
    if (!receives)
        return true;
    r->ahead = calloc(lines, sizeof *r->ahead);
    atomic_store_explicit(r->shared_ack, ring_test_begin, memory_order_relaxed);
    return r->ahead != NULL;
}

static inline unsigned char *line_at(const ring *r, uint64_t position)
{
    return r->line + (position & (r->lines - 1)) * RING_LINE;
}

static inline _Atomic uint64_t *stamp_at(const ring *r, uint64_t position)
{
    if (r->stamp)
        return &r->stamp[position & (r->lines - 1)];
    return (_Atomic uint64_t *)(void *)(line_at(r, position) + RING_DATA);
}

static inline uint64_t stamp_of(uint64_t position, int64_t bytes)
{
    return (position + 1) << 16 | ((uint64_t)bytes & 0xffff);
}

static inline void put_stamp(ring *r, uint64_t position, int64_t bytes)
{
    atomic_store_explicit(stamp_at(r, position), stamp_of(position, bytes), memory_order_release);
}

static inline uint64_t get_stamp(const ring *r, uint64_t position)
{
    return atomic_load_explicit(stamp_at(r, position), memory_order_acquire);
}

void ring_close(ring *r)
{
    free(r->ahead);
    *r = (ring){0};
}

/* ---- put ---- */

bool ring_room(ring *r, uint64_t position, uint64_t lines)
{
    if (position + lines - r->ack <= r->lines)
        return true;
    r->ack = atomic_load_explicit(r->shared_ack, memory_order_acquire);
    return position + lines - r->ack <= r->lines;
}

/* Whole lines are copied with a length that the compiler knows. */
static void put_lines(ring *r, uint64_t position, const char *from, int64_t bytes)
{
    int64_t left = bytes;

    for (; left >= RING_DATA; left -= RING_DATA, from += RING_DATA, position++) {
        memcpy(line_at(r, position), from, RING_DATA);
        put_stamp(r, position, bytes);
    }
    if (left == 0 && bytes)
        return;
    copy_few(line_at(r, position), from, (size_t)left);
    put_stamp(r, position, bytes);
}

/* Bytes that lie in the lines from this one to the end of the ring. */
static inline int64_t bytes_to_end(const ring *r, uint64_t position)
{
    return (int64_t)(r->lines - (position & (r->lines - 1))) * RING_LINE;
}

static void put_blocks(ring *r, uint64_t position, const char *from, int64_t bytes)
{
    for (int64_t done = 0; done < bytes; done += RING_BLOCK, position += RING_BLOCK / RING_LINE) {
        int64_t n = least(bytes - done, RING_BLOCK), first = least(n, bytes_to_end(r, position));

        memcpy(line_at(r, position), from + done, (size_t)first);
        memcpy(r->line, from + done + first, (size_t)(n - first));
        put_stamp(r, position, bytes);
    }
}

void ring_put(ring *r, uint64_t position, const void *from, int64_t bytes)
{
    if (r->stamp)
        put_blocks(r, position, from, bytes);
    else
        put_lines(r, position, from, bytes);
}

/* ---- get ---- */

/* Told late: the sender needs it a lap later, and reading it costs the sender a line. It never
 * waits for what is not told, because a message that fits (ring_fits) leaves room for that. */
static void tell(ring *r)
{
    if (r->taken - r->ack < r->lines / 4)
        return;
    r->ack = r->taken;
    atomic_store_explicit(r->shared_ack, r->ack, memory_order_release);
}

/* All of a message has been read. */
static void take(ring *r, uint64_t position, uint64_t lines)
{
    uint64_t mask = r->lines - 1;

    if (position != r->taken) {
        r->ahead[position & mask] = (uint32_t)lines;
        return;
    }
    r->taken += lines;
    while (r->ahead[r->taken & mask]) {
        uint32_t *n = &r->ahead[r->taken & mask];
        r->taken += *n;
        *n = 0;
    }
    tell(r);
}

static ring_state get_lines(ring *r, uint64_t position, char *to, int64_t bytes, int64_t *done)
{
    position += (uint64_t)(*done / RING_DATA);
    do {
        int64_t n = least(bytes - *done, RING_DATA);

        if (get_stamp(r, position) != stamp_of(position, bytes))
            return RING_EMPTY;
        if (n == RING_DATA)
            memcpy(to + *done, line_at(r, position), RING_DATA);
        else
            copy_few(to + *done, line_at(r, position), (size_t)n);
        *done += n;
        position++;
    } while (*done < bytes);
    return RING_COMPLETE;
}

static ring_state get_blocks(ring *r, uint64_t position, char *to, int64_t bytes, int64_t *done)
{
    while (*done < bytes) {
        uint64_t block = position + (uint64_t)*done / RING_LINE;
        int64_t n = least(bytes - *done, RING_BLOCK), first = least(n, bytes_to_end(r, block));

        if (get_stamp(r, block) != stamp_of(block, bytes))
            return RING_EMPTY;
        memcpy(to + *done, line_at(r, block), (size_t)first);
        memcpy(to + *done + first, r->line, (size_t)(n - first));
        *done += n;
    }
    return RING_COMPLETE;
}

/* The sender gives the message another length. */
static bool is_other(const ring *r, uint64_t position, int64_t bytes)
{
    uint64_t stamp = get_stamp(r, position);

    return stamp >> 16 == stamp_of(position, 0) >> 16 && stamp != stamp_of(position, bytes);
}

static ring_state get(ring *r, uint64_t position, void *to, int64_t bytes, int64_t *done)
{
    return r->stamp ? get_blocks(r, position, to, bytes, done)
                    : get_lines(r, position, to, bytes, done);
}

static ring_state get_other(ring *r, uint64_t position, void *to, int64_t bytes)
{
    int64_t its = (int64_t)(get_stamp(r, position) & 0xffff), done = 0;

    if (r->stamp && its <= RING_SMALL) /* of so many more that 16 bits do not tell */
        its += 65536;
    return its < bytes ? get(r, position, to, its, &done) : RING_OTHER;
}

ring_state ring_get(ring *r, uint64_t position, void *to, int64_t bytes, int64_t *done)
{
    ring_state state = get(r, position, to, bytes, done);

    if (state == RING_EMPTY && *done == 0 && is_other(r, position, bytes))
        state = get_other(r, position, to, bytes);
    if (state != RING_EMPTY)
        take(r, position, ring_lines(bytes));
    return state;
}

ring_state ring_look(const ring *r, uint64_t position, int64_t bytes)
{
    uint64_t last = r->stamp ? (uint64_t)((bytes - 1) / RING_BLOCK) * (RING_BLOCK / RING_LINE)
                             : ring_lines(bytes) - 1;

    if (get_stamp(r, position + last) == stamp_of(position + last, bytes))
        return RING_COMPLETE;
    return is_other(r, position, bytes) ? RING_OTHER : RING_EMPTY;
}
