/* SPDX-License-Identifier: BSD-3-Clause */
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
                .block = least(RING_BLOCK, (int64_t)lines / 2 * RING_LINE),
                .next = ring_test_begin,
                .ack = ring_test_begin,
                .taken = ring_test_begin};
    if (!receives)
        return true;
    r->ahead = calloc(lines, sizeof *r->ahead);
    if (ring_test_begin)
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

/* first: RING_FIRST or 0. */
static inline uint64_t stamp_of(uint64_t position, uint64_t first, int64_t bytes)
{
    return (position + 1) << 16 | first | (uint64_t)bytes;
}

static inline void put_stamp(ring *r, uint64_t position, uint64_t stamp)
{
    atomic_store_explicit(stamp_at(r, position), stamp, memory_order_release);
}

static inline uint64_t get_stamp(const ring *r, uint64_t position)
{
    return atomic_load_explicit(stamp_at(r, position), memory_order_acquire);
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
    return stamp_at(r, r->taken);
}

bool ring_unread(const ring *r)
{
    return get_stamp(r, r->taken) >> 16 == r->taken + 1;
}

void ring_clear(ring *r)
{
    uint64_t lines = used_lines(r);

    if (!lines)
        return;
    memset((void *)r->shared_ack, 0, PAIR);
    if (r->stamp)
        memset((void *)r->stamp, 0, lines * sizeof *r->stamp);
    memset(r->line, 0, lines * RING_LINE);
}

/* ---- put ---- */

/* The other end of a wrong program may be further on than this one has ever been. */
static inline bool has_room(const ring *r, uint64_t position, uint64_t lines)
{
    return (int64_t)(position + lines - r->ack) <= (int64_t)r->lines;
}

bool ring_room(ring *r, uint64_t position, uint64_t lines)
{
    if (has_room(r, position, lines))
        return true;
    r->ack = atomic_load_explicit(r->shared_ack, memory_order_acquire);
    return has_room(r, position, lines);
}

bool ring_all_read(ring *r, uint64_t position)
{
    if (r->ack != position)
        r->ack = atomic_load_explicit(r->shared_ack, memory_order_acquire);
    return r->ack == position;
}

/* This line is written soon: take it from the receiver's cache, which has read it a lap ago, while
 * there is time. Without it the line would travel twice, once to be written and once to be read:
 * worth a tenth of a small broadcast. A line that the receiver polls already goes back to it, for
 * nothing. GCC makes of __builtin_prefetch one for reading, unless told of a newer processor; where
 * there is no such instruction x86-64 takes it for none. */
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
        memcpy(line_at(r, position), from, RING_DATA);
        put_stamp(r, position, stamp_of(position, first, bytes));
    }
    if (left || !bytes) {
        copy_few(line_at(r, position), from, (size_t)left);
        put_stamp(r, position, stamp_of(position, first, bytes));
        position++;
    }
    for (uint64_t n = ring_lines(RING_OF_LINES, bytes); n > 0; n--)
        claim(line_at(r, position++));
}

/* Bytes that lie in the lines from this one to the end of the ring. */
static inline int64_t bytes_to_end(const ring *r, uint64_t position)
{
    return (int64_t)(r->lines - (position & (r->lines - 1))) * RING_LINE;
}

/* The words of a message that begins at this position: they are side by side. */
enum { WORD_BYTES = 1, WORD_WHERE, WORD_ANSWER };

static inline _Atomic uint64_t *word_at(const ring *r, uint64_t position, int word)
{
    return &r->stamp[(position & (r->lines - 1)) + (uint64_t)word];
}

static inline void put_word(ring *r, uint64_t position, int word, uint64_t value)
{
    atomic_store_explicit(word_at(r, position, word), value, memory_order_relaxed);
}

static inline uint64_t get_word(const ring *r, uint64_t position, int word)
{
    return atomic_load_explicit(word_at(r, position, word), memory_order_relaxed);
}

static inline uint64_t block_lines(const ring *r)
{
    return (uint64_t)r->block / RING_LINE;
}

/* Lines of the part of a message that begins so far behind its beginning. */
static inline uint64_t lines_of_block(const ring *r, int64_t bytes, int64_t done)
{
    uint64_t before = (uint64_t)done / RING_LINE, rest = ring_lines(RING_OF_BLOCKS, bytes) - before;

    return rest < block_lines(r) ? rest : block_lines(r);
}

static bool put_blocks(ring *r, uint64_t position, const char *from, int64_t bytes, bool again,
                       int64_t *done)
{
    while (*done < bytes) {
        uint64_t block = position + (uint64_t)*done / RING_LINE;
        int64_t n = least(bytes - *done, r->block), first = least(n, bytes_to_end(r, block));

        if (!ring_room(r, block, lines_of_block(r, bytes, *done)))
            return false;
        memcpy(line_at(r, block), from + *done, (size_t)first);
        memcpy(r->line, from + *done + first, (size_t)(n - first));
        if (*done == 0) {
            put_word(r, position, WORD_BYTES, (uint64_t)bytes);
            put_word(r, position, WORD_WHERE, 0);
        }
        if (*done == 0)
            put_stamp(r, block, stamp_of(block, RING_FIRST, again ? (int64_t)RING_AGAIN : 0));
        else
            put_stamp(r, block, stamp_of(block, 0, 0));
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

bool ring_lend(ring *r, uint64_t position, uint64_t where, uint64_t answer, int64_t bytes)
{
    if (!ring_room(r, position, RING_LINE / sizeof(uint64_t)))
        return false;
    put_word(r, position, WORD_BYTES, (uint64_t)bytes);
    put_word(r, position, WORD_WHERE, where);
    put_word(r, position, WORD_ANSWER, answer);
    put_stamp(r, position, stamp_of(position, RING_FIRST, 0));
    return true;
}

/* ---- get ---- */

/* Of lines told late: the sender needs it a lap later, and reading it costs the sender a line. It
 * never waits for what is not told, because a message that fits (ring_fits) leaves room for that.
 * Of blocks told at once, because a message that is longer than the room begins when all before it
 * has been read. */
static void tell(ring *r)
{
    if (!r->stamp && r->taken - r->ack < r->lines / 4)
        return;
    r->ack = r->taken;
    atomic_store_explicit(r->shared_ack, r->ack, memory_order_release);
}

/* A message's place that is skipped. */
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
static inline void take(ring *r, uint64_t position, uint64_t lines)
{
    if (position != r->taken) {
        r->ahead[position & (r->lines - 1)] = (uint32_t)lines;
        return;
    }
    r->taken += lines;
    take_ahead(r);
    if (r->nskipped)
        take_skipped(r);
    tell(r);
}

bool ring_skip(ring *r, uint64_t position, uint64_t lines)
{
    uint64_t place = ring_place(r, position);
    ring_skipped *more;

    if (place - r->taken < r->lines) {
        take(r, place, lines);
        return true;
    }
    more = realloc(r->skipped, ((size_t)r->nskipped + 1) * sizeof *more);
    if (!more)
        return false;
    r->skipped = more;
    r->skipped[r->nskipped++] = (ring_skipped){place, (uint32_t)lines};
    return true;
}

/* A message at this position had another length: those behind it are further on, or nearer. */
static void skew(ring *r, uint64_t position, int64_t bytes, int64_t its)
{
    ring_kind kind = ring_kind_of(r);

    r->skew += ring_lines(kind, its) - ring_lines(kind, bytes);
    r->skewed = position;
}

static ring_state get_lines(ring *r, uint64_t place, char *to, int64_t bytes, int64_t *done)
{
    uint64_t first = *done ? 0 : RING_FIRST;

    place += (uint64_t)(*done / RING_DATA);
    do {
        int64_t n = least(bytes - *done, RING_DATA);

        if (get_stamp(r, place) != stamp_of(place, first, bytes))
            return RING_EMPTY;
        if (n == RING_DATA)
            memcpy(to + *done, line_at(r, place), RING_DATA);
        else
            copy_few(to + *done, line_at(r, place), (size_t)n);
        *done += n;
        place++;
        first = 0;
    } while (*done < bytes);
    return RING_COMPLETE;
}

/* The sender gives the message another length. */
static ring_state get_other(ring *r, uint64_t position, uint64_t place, char *to, int64_t bytes,
                            int64_t *done)
{
    int64_t its = (int64_t)(get_stamp(r, place) & RING_LENGTH);
    ring_state state = its < bytes ? get_lines(r, place, to, its, done) : RING_OTHER;

    if (state == RING_EMPTY) {
        *done = 0; /* look for the length again, next time */
        return state;
    }
    skew(r, position, bytes, its);
    take(r, place, ring_lines(RING_OF_LINES, its));
    return state;
}

static ring_state get_some(ring *r, uint64_t position, uint64_t place, void *to, int64_t bytes,
                           ring_progress *progress)
{
    ring_state state = get_lines(r, place, to, bytes, &progress->done);

    if (state == RING_COMPLETE)
        take(r, place, ring_lines(RING_OF_LINES, bytes));
    else if (progress->done == 0 && ring_begun(r, position, false) &&
             (int64_t)(get_stamp(r, place) & RING_LENGTH) != bytes)
        state = get_other(r, position, place, to, bytes, &progress->done);
    return state;
}

/* Most are of one line. */
ring_state ring_get(ring *r, uint64_t position, void *to, int64_t bytes, ring_progress *progress)
{
    uint64_t place = ring_place(r, position);

    if (bytes > RING_DATA || get_stamp(r, place) != stamp_of(place, RING_FIRST, bytes))
        return get_some(r, position, place, to, bytes, progress);
    copy_few(to, line_at(r, place), (size_t)bytes);
    progress->done = bytes;
    take(r, place, 1);
    return RING_COMPLETE;
}

/* Place of the block that has the byte behind `done`. */
static inline uint64_t block_of(const ring *r, uint64_t place, int64_t done)
{
    return place + (uint64_t)(done / r->block) * block_lines(r);
}

/* Its first block, or what is lent. Behind it the words may be another message's. */
static ring_piece first_piece(const ring *r, uint64_t place)
{
    int64_t its = (int64_t)get_word(r, place, WORD_BYTES);
    uint64_t where = get_word(r, place, WORD_WHERE);
    int64_t n = least(least(its, r->block), bytes_to_end(r, place));

    if (!where)
        return (ring_piece){.at = line_at(r, place), .bytes = n, .last = n == its};
    return (ring_piece){.where = where,
                        .answer = get_word(r, place, WORD_ANSWER),
                        .position = place,
                        .bytes = its,
                        .last = true};
}

/* One that is longer than expected is dropped, as far as it has come. What else comes of it is not
 * waited for, because the sender may wait for us. */
static ring_state look_first(ring *r, uint64_t position, uint64_t place, int64_t bytes,
                             ring_progress *progress, ring_piece *piece)
{
    if (!ring_begun(r, position, progress->again))
        return RING_EMPTY;
    *piece = first_piece(r, place);
    progress->bytes = (int64_t)get_word(r, place, WORD_BYTES);
    if (progress->bytes <= bytes)
        return RING_COMPLETE;
    skew(r, position, bytes, progress->bytes);
    take(r, place, ring_lines(RING_OF_BLOCKS, progress->bytes));
    return RING_OTHER;
}

ring_state ring_look(ring *r, uint64_t position, int64_t bytes, ring_progress *progress,
                     ring_piece *piece)
{
    uint64_t place = ring_place(r, position), line = place + (uint64_t)progress->done / RING_LINE;
    uint64_t block = block_of(r, place, progress->done);
    int64_t n;

    if (progress->done == 0)
        return look_first(r, position, place, bytes, progress, piece);
    if (progress->done % r->block == 0 && get_stamp(r, block) != stamp_of(block, 0, 0))
        return RING_EMPTY;
    n = least(progress->bytes - progress->done, r->block - progress->done % r->block);
    n = least(n, bytes_to_end(r, line));
    *piece = (ring_piece){
        .at = line_at(r, line), .bytes = n, .last = progress->done + n == progress->bytes};
    return RING_COMPLETE;
}

/* Lines are given back block by block, and those behind a message's end with its last. */
void ring_read(ring *r, uint64_t position, int64_t bytes, ring_progress *progress,
               const ring_piece *piece)
{
    uint64_t place = ring_place(r, position);
    uint64_t begin = piece->at ? block_of(r, place, progress->done) : place;

    progress->done += piece->bytes;
    if (piece->last) {
        if (progress->bytes != bytes)
            skew(r, position, bytes, progress->bytes);
        take(r, begin, place + ring_lines(RING_OF_BLOCKS, progress->bytes) - begin);
    } else if (progress->done % r->block == 0) {
        take(r, begin, block_lines(r));
    }
}

static bool all_blocks(const ring *r, uint64_t place)
{
    uint64_t last = block_of(r, place, (int64_t)get_word(r, place, WORD_BYTES) - 1);

    return get_word(r, place, WORD_WHERE) || last == place ||
           get_stamp(r, last) == stamp_of(last, 0, 0);
}

bool ring_complete(const ring *r, uint64_t position, bool again)
{
    uint64_t place = ring_place(r, position), last = place;
    int64_t its;

    if (!ring_begun(r, position, again))
        return false;
    if (r->stamp)
        return all_blocks(r, place);
    its = (int64_t)(get_stamp(r, place) & RING_LENGTH);
    last += ring_lines(RING_OF_LINES, its) - 1;
    return last == place || get_stamp(r, last) == stamp_of(last, 0, its);
}
