/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_get.c - what the receiver does with a ring: see ring.h. */
#include "nbc/node/ring_inside.h"
#include "nbc/process/copy.h"

#include <stdlib.h>
#include <string.h>

/* Lines are published as free late: the sender needs them a lap later, and reading the word costs
 * the sender a line. It never waits for lines that are free and not yet published, because a
 * message that fits (ring_fits) leaves room for them. Blocks are published at once, because a
 * message that is longer than the room begins when all before it has been read. */
static void publish_freed(ring *r)
{
    if (!r->stamp && r->taken - r->freed < r->lines / 4)
        return;
    r->freed = r->taken;
    atomic_store_explicit(r->shared_freed, r->freed, memory_order_release);
}

/* The slot of a message that has fallen back to MPI. */
typedef struct ring_skipped {
    uint64_t position;
    uint32_t lines;
} ring_skipped;

static void take_ahead(ring *r)
{
    uint64_t mask = r->lines - 1;

    while (r->ahead[r->taken & mask]) {
        uint32_t *n = &r->ahead[r->taken & mask];
        r->taken += *n;
        *n = 0;
    }
}

/* Those that have come within a lap. */
static void take_skipped(ring *r)
{
    for (int i = 0; i < r->nskipped;) {
        ring_skipped s = r->skipped[i];

        if (s.position - r->taken >= r->lines) {
            i++;
            continue;
        }
        r->skipped[i] = r->skipped[--r->nskipped];
        r->ahead[s.position & (r->lines - 1)] = s.lines;
        take_ahead(r);
        i = 0;
    }
}

/* So many lines from here on have been read. */
static inline void take_lines(ring *r, uint64_t position, uint64_t lines)
{
    if (position != r->taken) {
        r->ahead[position & (r->lines - 1)] = (uint32_t)lines;
        return;
    }
    r->taken += lines;
    take_ahead(r);
    if (r->nskipped)
        take_skipped(r);
    publish_freed(r);
}

bool ring_skip(ring *r, uint64_t position, uint64_t lines)
{
    uint64_t slot = ring_slot(r, position);
    ring_skipped *more;

    if (slot - r->taken < r->lines) {
        take_lines(r, slot, lines);
        return true;
    }
    more = realloc(r->skipped, ((size_t)r->nskipped + 1) * sizeof *more);
    if (!more)
        return false;
    r->skipped = more;
    r->skipped[r->nskipped++] = (ring_skipped){slot, (uint32_t)lines};
    return true;
}

/* A message at this position had another length: those after it are further on, or nearer. */
static void skew(ring *r, uint64_t position, int64_t bytes, int64_t its)
{
    ring_kind kind = ring_kind_of(r);

    r->skew += ring_lines(kind, its) - ring_lines(kind, bytes);
    r->skewed = position;
}

static ring_state get_lines(ring *r, uint64_t slot, char *to, int64_t bytes, int64_t *done)
{
    uint64_t first = *done ? 0 : RING_FIRST;

    slot += (uint64_t)(*done / RING_DATA);
    do {
        int64_t n = ring_least(bytes - *done, RING_DATA);

        if (ring_get_stamp(r, slot) != ring_stamp_of(slot, first, bytes))
            return RING_EMPTY;
        if (n == RING_DATA)
            memcpy(to + *done, ring_line_at(r, slot), RING_DATA);
        else
            copy_few(to + *done, ring_line_at(r, slot), (size_t)n);
        *done += n;
        slot++;
        first = 0;
    } while (*done < bytes);
    return RING_COMPLETE;
}

/* The sender gives the message another length. */
static ring_state get_other(ring *r, uint64_t position, uint64_t slot, char *to, int64_t bytes,
                            int64_t *done)
{
    int64_t its = (int64_t)(ring_get_stamp(r, slot) & RING_LENGTH);
    ring_state state = its < bytes ? get_lines(r, slot, to, its, done) : RING_OTHER;

    if (state == RING_EMPTY) {
        *done = 0; /* look for the length again, next time */
        return state;
    }
    skew(r, position, bytes, its);
    take_lines(r, slot, ring_lines(RING_OF_LINES, its));
    return state;
}

static ring_state get_some(ring *r, uint64_t position, uint64_t slot, void *to, int64_t bytes,
                           ring_progress *progress)
{
    ring_state state = get_lines(r, slot, to, bytes, &progress->done);

    if (state == RING_COMPLETE)
        take_lines(r, slot, ring_lines(RING_OF_LINES, bytes));
    else if (progress->done == 0 && ring_begun(r, position, false) &&
             (int64_t)(ring_get_stamp(r, slot) & RING_LENGTH) != bytes)
        state = get_other(r, position, slot, to, bytes, &progress->done);
    return state;
}

/* Most are of one line. */
ring_state ring_get(ring *r, uint64_t position, void *to, int64_t bytes, ring_progress *progress)
{
    uint64_t slot = ring_slot(r, position);

    if (bytes > RING_DATA || ring_get_stamp(r, slot) != ring_stamp_of(slot, RING_FIRST, bytes))
        return get_some(r, position, slot, to, bytes, progress);
    copy_few(to, ring_line_at(r, slot), (size_t)bytes);
    progress->done = bytes;
    take_lines(r, slot, 1);
    return RING_COMPLETE;
}

/* Slot of the block that has the byte after `done`. */
static inline uint64_t block_of_byte(const ring *r, uint64_t slot, int64_t done)
{
    return slot + (uint64_t)(done / r->block) * ring_block_lines(r);
}

/* Its first block, or what is exposed. After it the words may be another message's. */
static ring_piece first_piece(const ring *r, uint64_t slot)
{
    int64_t its = (int64_t)ring_get_word(r, slot, RING_WORD_BYTES);
    uint64_t where = ring_get_word(r, slot, RING_WORD_WHERE);
    int64_t n = ring_least(ring_least(its, r->block), ring_bytes_to_end(r, slot));

    if (!where)
        return (ring_piece){.at = ring_line_at(r, slot), .bytes = n, .last = n == its};
    return (ring_piece){.where = where,
                        .ack = ring_get_word(r, slot, RING_WORD_ACK),
                        .position = slot,
                        .bytes = its,
                        .last = true};
}

/* One that is longer than expected is dropped, as far as it has come. What else comes of it is not
 * waited for, because the sender may wait for us. */
static ring_state look_first(ring *r, uint64_t position, uint64_t slot, int64_t bytes,
                             ring_progress *progress, ring_piece *piece)
{
    if (!ring_begun(r, position, progress->again))
        return RING_EMPTY;
    *piece = first_piece(r, slot);
    progress->bytes = (int64_t)ring_get_word(r, slot, RING_WORD_BYTES);
    if (progress->bytes <= bytes)
        return RING_COMPLETE;
    skew(r, position, bytes, progress->bytes);
    take_lines(r, slot, ring_lines(RING_OF_BLOCKS, progress->bytes));
    return RING_OTHER;
}

ring_state ring_look(ring *r, uint64_t position, int64_t bytes, ring_progress *progress,
                     ring_piece *piece)
{
    uint64_t slot = ring_slot(r, position), line = slot + (uint64_t)progress->done / RING_LINE;
    uint64_t block = block_of_byte(r, slot, progress->done);
    int64_t n;

    if (progress->done == 0)
        return look_first(r, position, slot, bytes, progress, piece);
    if (progress->done % r->block == 0 && ring_get_stamp(r, block) != ring_stamp_of(block, 0, 0))
        return RING_EMPTY;
    n = ring_least(progress->bytes - progress->done, r->block - progress->done % r->block);
    n = ring_least(n, ring_bytes_to_end(r, line));
    *piece = (ring_piece){
        .at = ring_line_at(r, line), .bytes = n, .last = progress->done + n == progress->bytes};
    return RING_COMPLETE;
}

/* Lines are given back block by block, and those after a message's end with its last. */
void ring_read(ring *r, uint64_t position, int64_t bytes, ring_progress *progress,
               const ring_piece *piece)
{
    uint64_t slot = ring_slot(r, position);
    uint64_t begin = piece->at ? block_of_byte(r, slot, progress->done) : slot;

    progress->done += piece->bytes;
    if (piece->last) {
        if (progress->bytes != bytes)
            skew(r, position, bytes, progress->bytes);
        take_lines(r, begin, slot + ring_lines(RING_OF_BLOCKS, progress->bytes) - begin);
    } else if (progress->done % r->block == 0) {
        take_lines(r, begin, ring_block_lines(r));
    }
}

static bool all_blocks(const ring *r, uint64_t slot)
{
    uint64_t last = block_of_byte(r, slot, (int64_t)ring_get_word(r, slot, RING_WORD_BYTES) - 1);

    return ring_get_word(r, slot, RING_WORD_WHERE) || last == slot ||
           ring_get_stamp(r, last) == ring_stamp_of(last, 0, 0);
}

bool ring_complete(const ring *r, uint64_t position, bool again)
{
    uint64_t slot = ring_slot(r, position), last = slot;
    int64_t its;

    if (!ring_begun(r, position, again))
        return false;
    if (r->stamp)
        return all_blocks(r, slot);
    its = (int64_t)(ring_get_stamp(r, slot) & RING_LENGTH);
    last += ring_lines(RING_OF_LINES, its) - 1;
    return last == slot || ring_get_stamp(r, last) == ring_stamp_of(last, 0, its);
}
