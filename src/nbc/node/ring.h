/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h - one-way messages between two processes through shared memory, without matching.
 *
 * Both ends know all messages in advance, how long they are and in which order the program names
 * them. So each message has a position, counted in lines from the ring's beginning, which both ends
 * compute for themselves (ring_lines). Nothing is searched, queued or unexpected. Messages may be
 * put and got in any order.
 *
 * A ring carries either small messages, of up to RING_SMALL bytes, or longer ones:
 *
 *   lines    freed | line 0 | line 1 | ...            a line: 56 bytes of data, stamp
 *   blocks   freed | words 0, 1, ... | line 0 | ...   a line: 64 bytes of data; a word a line:
 *                                                     the first of a block is its stamp, the next
 *                                                     ones of a message say more about it
 *
 * A small message is written when there is room for all of it. A stamp is (position + 1, is it the
 * message's first line, bytes of the message). A longer message is written block by block, as room
 * comes, and may be longer than the ring. Or it is exposed: its data stays where it is, in memory
 * that the receiver can read. The message then says where the data is, and where the receiver is to
 * write its ack: in memory of the exposer, because that of the ring may be gone by then. A receiver
 * that cannot read the data says so in the ack, and the message comes again, block by block.
 *
 * A stamp is written last, with release. Who reads it with acquire finds the data that was written
 * before. Where a stamp is there never was data, so nothing that the program sends looks like one.
 * Stamps of different laps differ, so none is cleared as long as the ring is used. A line is
 * written again a lap later, when `freed` has come so far: the receiver writes it with release
 * after its last read of the line. There is no other order: each word has one writer, and carries
 * or frees what was touched before it.
 *
 * A position has 48 bits and may wrap: by then every line has been written.
 *
 * A message may fall back to MPI though it has a slot here: where the messages before it are late,
 * and nothing says when they come. Then the receiver skips the slot (ring_skip).
 *
 * The two ends of a wrong program may differ in the length of a message. Then the receiver finds
 * out when it comes, and moves its later positions by the difference.
 */
#ifndef TUTTI_RING_H
#define TUTTI_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_LINE = 64,     /* bytes of a line */
    RING_DATA = 56,     /* bytes of data in a line of a small message */
    RING_SMALL = 448,   /* tuning: longer messages go in blocks */
    RING_BLOCK = 32768, /* bytes of a block at most, two to a ring */
    RING_STREAM = 16    /* lines of a ring that carries messages of any length */
};

/* Bits of a stamp: length of a small message, and the mark of a message's first line or block. */
#define RING_LENGTH ((uint64_t)0x7fff)
#define RING_FIRST  ((uint64_t)0x8000)
/* In place of a length in the stamp of the first block of a message that comes again. */
#define RING_AGAIN ((uint64_t)1)

typedef enum ring_kind { RING_OF_LINES, RING_OF_BLOCKS, RING_KINDS } ring_kind;

/* One end of a ring. */
typedef struct ring {
    _Atomic uint64_t *shared_freed; /* positions below it are free again */
    _Atomic uint64_t *stamp;        /* [lines], of blocks */
    unsigned char *line;
    uint64_t lines;  /* a power of two; of blocks: 16 or more */
    int64_t block;   /* bytes of a block at most */
    uint64_t next;   /* position of the message that is named next */
    uint64_t freed;  /* the value that the sender has read last, or the receiver written */
    uint64_t taken;  /* receiver: all lines below have been read */
    uint32_t *ahead; /* [lines]: so many lines from there on have been read ahead of `taken` */
    struct ring_skipped *skipped; /* [nskipped]: further ahead than a lap */
    int nskipped;
    uint64_t skew, skewed; /* positions after `skewed` are `skew` lines further on */
} ring;

static inline ring_kind ring_kind_of(const ring *r)
{
    return r->stamp ? RING_OF_BLOCKS : RING_OF_LINES;
}

/* Bytes of shared memory that a ring of so many lines needs; a multiple of 128, because
 * neighbouring lines are fetched in pairs. */
size_t ring_size(ring_kind kind, uint64_t lines);

/* How many lines a message occupies: of blocks, so many that the words of each message are in one
 * line of the cache. */
static inline uint64_t ring_lines(ring_kind kind, int64_t bytes)
{
    uint64_t n = (uint64_t)bytes, words = RING_LINE / sizeof(uint64_t);

    if (kind == RING_OF_BLOCKS)
        return (n + words * RING_LINE - 1) / (words * RING_LINE) * words;
    return n <= RING_DATA ? 1 : (n + RING_DATA - 1) / RING_DATA;
}

/* Is there room for all of a message of so many lines as soon as all before it have been read? */
static inline bool ring_fits(uint64_t lines, uint64_t ring)
{
    return lines <= ring / 8 * 5;
}

/* Attach an end, to memory that is zero; the receiver before the sender. False: out of memory (a
 * receiver's). */
bool ring_open(ring *r, void *shared, ring_kind kind, uint64_t lines, bool receives);
void ring_close(ring *r);

/* A receiver's end, all messages of which have been read: the bytes of its memory that need not be
 * zero any more, and zeros there again. */
size_t ring_used(const ring *r);
void ring_clear(ring *r);

/* Has one come after those that have been read? It looks at ring_next, which brings a page if
 * nobody has touched that. */
bool ring_unread(const ring *r);
const void *ring_next(const ring *r);

/* Is there room for so many lines at this position? */
bool ring_room(ring *r, uint64_t position, uint64_t lines);

/* Has all before this position been read? Only of blocks, which the receiver frees at once. */
bool ring_all_read(ring *r, uint64_t position);

/* Write as much of a message as there is room for, of a small one all or nothing. *done bytes have
 * been written before. again: it was exposed, and could not be read. True: all of it is written. */
bool ring_put(ring *r, uint64_t position, const void *from, int64_t bytes, bool again,
              int64_t *done);

/* Say where the data of a longer message is, not 0, and where to write the ack. False: there is no
 * room yet. */
bool ring_expose(ring *r, uint64_t position, uint64_t where, uint64_t ack, int64_t bytes);

/* The receiver's ack: the data has been read, or cannot be. After it the receiver does not touch
 * the exposer's memory any more. A word serves messages of rising positions. */
typedef enum ring_ack { RING_NO_ACK, RING_WAS_READ, RING_UNREADABLE } ring_ack;

#define RING_ACK_UNREADABLE ((uint64_t)1 << 63)

static inline void ring_acknowledge(_Atomic uint64_t *ack, uint64_t position, ring_ack kind)
{
    uint64_t unreadable = kind == RING_UNREADABLE ? RING_ACK_UNREADABLE : 0;

    atomic_store_explicit(ack, ((position + 1) & ~RING_ACK_UNREADABLE) | unreadable,
                          memory_order_release);
}

static inline ring_ack ring_ack_of(const _Atomic uint64_t *ack, uint64_t position)
{
    uint64_t word = atomic_load_explicit(ack, memory_order_acquire);

    if ((word & ~RING_ACK_UNREADABLE) != ((position + 1) & ~RING_ACK_UNREADABLE))
        return RING_NO_ACK;
    return word & RING_ACK_UNREADABLE ? RING_UNREADABLE : RING_WAS_READ;
}

/* What a receiver knows of a message; cleared before and after it. */
typedef struct ring_progress {
    int64_t done;  /* bytes that have been read */
    int64_t bytes; /* of blocks: the sender's length, once it has begun */
    bool again;    /* what was exposed cannot be read: it comes again */
} ring_progress;

/* Where the sender has put the message that the receiver expects at this position. */
static inline uint64_t ring_slot(const ring *r, uint64_t position)
{
    return r->skew && (int64_t)(position - r->skewed) > 0 ? position + r->skew : position;
}

/* Has the sender begun to write it, again if so, and has nothing been read of it? */
static inline bool ring_begun(const ring *r, uint64_t position, bool again)
{
    uint64_t slot = ring_slot(r, position), at = slot & (r->lines - 1);
    const _Atomic uint64_t *stamp =
        r->stamp ? &r->stamp[at] : (const void *)(r->line + at * RING_LINE + RING_DATA);
    uint64_t begun = atomic_load_explicit(stamp, memory_order_acquire);

    return (begun | RING_LENGTH) == ((slot + 1) << 16 | RING_FIRST | RING_LENGTH) &&
           (!again || (begun & RING_LENGTH) == RING_AGAIN);
}

typedef enum ring_state { RING_EMPTY, RING_COMPLETE, RING_OTHER } ring_state;

/* Small messages: read what has come of the message at this position. EMPTY: more is to come. One
 * that is shorter than expected is read as it is, as MPI does it, and progress says how long it
 * was; OTHER: it is longer, and has been dropped. */
ring_state ring_get(ring *r, uint64_t position, void *to, int64_t bytes, ring_progress *progress);

/* The message at this position, of which nothing has come, comes through MPI. False: out of memory,
 * nothing has changed. */
bool ring_skip(ring *r, uint64_t position, uint64_t lines);

/* Longer ones: the next bytes of a message, where they lie. */
typedef struct ring_piece {
    const void *at;      /* NULL: they have been exposed */
    uint64_t where, ack; /* of what is exposed: where it is, and where to write the ack */
    uint64_t position;   /* of what is exposed: the sender's, for the ack after ring_read */
    int64_t bytes;
    bool last;
} ring_piece;

/* What comes after the bytes that have been read? COMPLETE: this piece has come. Read it, then call
 * ring_read; or, if it was exposed and cannot be read, set progress->again. Lengths that differ as
 * above; OTHER: what was exposed is acknowledged all the same. */
ring_state ring_look(ring *r, uint64_t position, int64_t bytes, ring_progress *progress,
                     ring_piece *piece);
void ring_read(ring *r, uint64_t position, int64_t bytes, ring_progress *progress,
               const ring_piece *piece);

/* Has all of it come, again if so, so that it can be read at once? Of a message that fits, not
 * begun. */
bool ring_complete(const ring *r, uint64_t position, bool again);

/* For tests: rings begin at this position. */
extern uint64_t ring_test_begin;

#endif
