/* SPDX-License-Identifier: BSD-3-Clause */
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
 *   blocks   ack | words 0, 1, ... | line 0 | ...   a line: 64 bytes of data; a word for each line:
 *                                                   the first of a block is its stamp, the next
 *                                                   ones of a message say more about it
 *
 * A small message is written when there is room for all of it; a stamp is (position + 1, is it the
 * message's first line, bytes of the message). A longer one is written block by block, as room
 * comes, and may be longer than the ring. Or it is lent: its data stays where it is, in memory that
 * the receiver can read, and the message says where, and where the lender wants to hear that it has
 * been read: in memory of its own, because that of the ring may be gone by then. A receiver that
 * cannot read it after all says so in its answer, and the message comes again, block by block.
 *
 * A stamp is written last, with release; who reads it with acquire finds the data that was written
 * before. Where a stamp is there never was data, so nothing that the program sends looks like one;
 * and stamps of different laps differ, so none is cleared as long as the ring is used. A line is
 * written again a lap later, when `ack`, which the receiver writes with release behind its last
 * read of the line, has come so far. That is all the order there is: one writer for each word, and
 * each word carries or frees what was touched before it.
 *
 * A position is of 48 bits and may wrap: by then every line has been written.
 *
 * A message may go another way though it has its place here: where what is before it is late, and
 * nothing says when that comes. Then the receiver skips the place (ring_skip).
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

/* Of a stamp: the length of a small message, and the mark of a message's first line or block. */
#define RING_LENGTH ((uint64_t)0x7fff)
#define RING_FIRST  ((uint64_t)0x8000)
/* Of the first block of a message that comes again, where others have no length. */
#define RING_AGAIN ((uint64_t)1)

typedef enum ring_kind { RING_OF_LINES, RING_OF_BLOCKS, RING_KINDS } ring_kind;

/* One end of a ring. */
typedef struct ring {
    _Atomic uint64_t *shared_ack; /* positions below are free again */
    _Atomic uint64_t *stamp;      /* [lines], of blocks */
    unsigned char *line;
    uint64_t lines; /* a power of two; of blocks: 16 or more */
    int64_t block;  /* bytes of a block at most */
    uint64_t next;  /* position of the message that is named next */
    uint64_t ack;   /* what the sender has read of it last, the receiver written */
    uint64_t taken; /* receiver: all lines below have been read */
    uint32_t
        *ahead; /* [lines]: and so many from there on, of a message that does not begin there */
    struct ring_skipped *skipped; /* [nskipped]: further ahead than a lap */
    int nskipped;
    uint64_t skew, skewed; /* positions behind this one are so many lines further on */
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

/* Has one come behind those that have been read? It looks at ring_next, which brings a page if
 * nobody has touched that. */
bool ring_unread(const ring *r);
const void *ring_next(const ring *r);

/* Is there room for so many lines at this position? */
bool ring_room(ring *r, uint64_t position, uint64_t lines);

/* Has all before this position been read? Of blocks, because their receiver tells at once. */
bool ring_all_read(ring *r, uint64_t position);

/* Write as much of a message as there is room for, of a small one all or nothing; *done bytes have
 * been written before. again: it was lent in vain. True: all of it has been. */
bool ring_put(ring *r, uint64_t position, const void *from, int64_t bytes, bool again,
              int64_t *done);

/* Say where the data of a longer message is, not 0, and where the answer is wanted. False: there is
 * no room yet. */
bool ring_lend(ring *r, uint64_t position, uint64_t where, uint64_t answer, int64_t bytes);

/* The answer: it has been read, or cannot be. The last that the receiver does with the lender's
 * memory; a word is used for positions that rise. */
typedef enum ring_reply { RING_NO_REPLY, RING_WAS_READ, RING_UNREADABLE } ring_reply;

#define RING_REFUSED ((uint64_t)1 << 63)

static inline void ring_answer(_Atomic uint64_t *answer, uint64_t position, ring_reply reply)
{
    uint64_t refused = reply == RING_UNREADABLE ? RING_REFUSED : 0;

    atomic_store_explicit(answer, ((position + 1) & ~RING_REFUSED) | refused, memory_order_release);
}

static inline ring_reply ring_answered(const _Atomic uint64_t *answer, uint64_t position)
{
    uint64_t word = atomic_load_explicit(answer, memory_order_acquire);

    if ((word & ~RING_REFUSED) != ((position + 1) & ~RING_REFUSED))
        return RING_NO_REPLY;
    return word & RING_REFUSED ? RING_UNREADABLE : RING_WAS_READ;
}

/* What a receiver knows of a message; cleared before and behind it. */
typedef struct ring_progress {
    int64_t done;  /* bytes that have been read */
    int64_t bytes; /* of blocks: the sender's length, once it has begun */
    bool again;    /* what was lent cannot be read: it comes again */
} ring_progress;

/* Where a message is that the receiver counts to be there. */
static inline uint64_t ring_place(const ring *r, uint64_t position)
{
    return r->skew && (int64_t)(position - r->skewed) > 0 ? position + r->skew : position;
}

/* Has the sender begun to write it, again if so, and has nothing been read of it? */
static inline bool ring_begun(const ring *r, uint64_t position, bool again)
{
    uint64_t place = ring_place(r, position), at = place & (r->lines - 1);
    const _Atomic uint64_t *stamp =
        r->stamp ? &r->stamp[at] : (const void *)(r->line + at * RING_LINE + RING_DATA);
    uint64_t begun = atomic_load_explicit(stamp, memory_order_acquire);

    return (begun | RING_LENGTH) == ((place + 1) << 16 | RING_FIRST | RING_LENGTH) &&
           (!again || (begun & RING_LENGTH) == RING_AGAIN);
}

typedef enum ring_state { RING_EMPTY, RING_COMPLETE, RING_OTHER } ring_state;

/* Small messages: read what has come of the message at this position. EMPTY: more is to come. One
 * that is shorter than expected is read as it is, as MPI does it, and progress says how long it
 * was; OTHER: it is longer, and has been dropped. */
ring_state ring_get(ring *r, uint64_t position, void *to, int64_t bytes, ring_progress *progress);

/* The message at this position, of which nothing has come, comes another way. False: out of memory,
 * nothing has changed. */
bool ring_skip(ring *r, uint64_t position, uint64_t lines);

/* Longer ones: the next bytes of a message, where they lie. */
typedef struct ring_piece {
    const void *at;         /* NULL: they have been lent */
    uint64_t where, answer; /* of what is lent: where it is, and where to answer */
    uint64_t position;      /* of what is lent: the sender's, to be answered after ring_read */
    int64_t bytes;
    bool last;
} ring_piece;

/* What comes behind the bytes that have been read? COMPLETE: this piece has come. Read it, then say
 * so; of what was lent and cannot be read, set progress->again instead. Lengths that differ as
 * above; OTHER: what was lent is to be answered all the same. */
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
