/* ring.h - one-way messages between two processes through shared memory, without matching.
 *
 * Both ends know all messages in advance, how long they are and in which order the program names
 * them: so each has a position, counted in lines from the ring's beginning, which both ends compute
 * for themselves (ring_lines). Nothing is searched, queued or unexpected. Messages may be put and
 * got in any order.
 *
 * A ring carries either small messages, of up to RING_SMALL bytes, or longer ones:
 *
 *   lines    ack | line 0 | line 1 | ...            a line: 56 bytes of data, stamp
 *   blocks   ack | stamp 0, 1, ... | line 0 | ...   a line: 64 bytes of data; a stamp for each
 *                                                   line, only that of a block's first is used
 *
 * A stamp is (position + 1, bytes of the message): written last, with release; who reads it with
 * acquire finds the data that was written before. Where a stamp is there never was data, so nothing
 * that the program sends looks like one; and stamps of different laps differ, so none is ever
 * cleared. A line is written again a lap later, when `ack`, which the receiver writes with release
 * behind its last read of the line, has come so far. That is all the order there is: one writer for
 * each word, and each word carries or frees what was touched before it.
 *
 * A position is of 48 bits and may wrap: by then every line has been written.
 */
#ifndef TUTTI_RING_H
#define TUTTI_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_LINE = 64,    /* bytes of a line, */
    RING_DATA = 56,    /* and of data in that of a small message */
    RING_SMALL = 1024, /* tuning: longer messages go in blocks, */
    RING_BLOCK = 32768 /* of at most so many bytes */
};

typedef enum ring_kind { RING_OF_LINES, RING_OF_BLOCKS, RING_KINDS } ring_kind;

/* One end of a ring. */
typedef struct ring {
    _Atomic uint64_t *shared_ack; /* positions below are free again */
    _Atomic uint64_t *stamp;      /* [lines], of blocks */
    unsigned char *line;
    uint64_t lines; /* a power of two */
    uint64_t next;  /* position of the message that is named next */
    uint64_t ack;   /* what the sender has read of it last, the receiver written */
    uint64_t taken; /* receiver: all lines below have been read, */
    uint32_t
        *ahead; /* [lines]: and so many from there on, of a message that does not begin there */
} ring;

/* Bytes of shared memory, cleared, that a ring of so many lines needs; a multiple of 128, because
 * neighbouring lines are fetched in pairs. */
size_t ring_size(ring_kind kind, uint64_t lines);

/* Which ring a message goes through, and how many lines it occupies there. */
static inline ring_kind ring_kind_of(int64_t bytes)
{
    return bytes <= RING_SMALL ? RING_OF_LINES : RING_OF_BLOCKS;
}

static inline uint64_t ring_lines(int64_t bytes)
{
    uint64_t n = (uint64_t)bytes;

    if (n <= RING_DATA)
        return 1;
    return n <= RING_SMALL ? (n + RING_DATA - 1) / RING_DATA : (n + RING_LINE - 1) / RING_LINE;
}

/* Does a message of so many lines find room as soon as all before it have been read? */
static inline bool ring_fits(uint64_t lines, uint64_t ring)
{
    return lines <= ring / 8 * 5;
}

/* Attach an end; the receiver before the sender. False: out of memory (a receiver's). */
bool ring_open(ring *r, void *shared, ring_kind kind, uint64_t lines, bool receives);
void ring_close(ring *r);

/* Is there room for so many lines at this position? Then write a message of them. */
bool ring_room(ring *r, uint64_t position, uint64_t lines);
void ring_put(ring *r, uint64_t position, const void *from, int64_t bytes);

typedef enum ring_state { RING_EMPTY, RING_COMPLETE, RING_OTHER } ring_state;

/* Read what has come of the message at this position; *done bytes have been read before. EMPTY:
 * more is to come. The two ends of a wrong program may differ: a shorter message is read as it is,
 * as MPI does it; OTHER: it is longer, and nothing has been read. */
ring_state ring_get(ring *r, uint64_t position, void *to, int64_t bytes, int64_t *done);

/* Has the sender begun to write it? */
static inline bool ring_begun(const ring *r, uint64_t position)
{
    uint64_t at = position & (r->lines - 1);
    const _Atomic uint64_t *stamp =
        r->stamp ? &r->stamp[at] : (const void *)(r->line + at * RING_LINE + RING_DATA);

    return atomic_load_explicit(stamp, memory_order_acquire) >> 16 ==
           ((position + 1) & (UINT64_MAX >> 16));
}

/* COMPLETE: all of it has come, and can be read. OTHER: it is of another length. */
ring_state ring_look(const ring *r, uint64_t position, int64_t bytes);

/* For tests: rings begin at this position. */
extern uint64_t ring_test_begin;

#endif
