/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ring.c - messages through a ring: both ends in this process, in every order; and two
 * processes that race, with random messages, laps without number, and positions that wrap.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "nbc/node/ring.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 5 * RING_BLOCK };

static const uint64_t begins[] = {0, (1ull << 32) - 3000, (1ull << 48) - 5000, 0 - 5000ull};
enum { BEGINS = sizeof begins / sizeof *begins };

typedef struct pair {
    ring in, out;
    void *shared;
    size_t size;
} pair;

static pair make(ring_kind kind, uint64_t lines)
{
    pair x = {.size = ring_size(kind, lines)};

    x.shared = mmap(NULL, x.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(x.shared, MAP_FAILED);
    assert_int_equal(x.size % (2 * RING_LINE), 0);
    assert_true(ring_open(&x.in, x.shared, kind, lines, true));
    assert_true(ring_open(&x.out, x.shared, kind, lines, false));
    return x;
}

static void drop(pair *x)
{
    ring_close(&x->in);
    munmap(x->shared, x->size);
}

static ring_kind kind_of(int64_t bytes)
{
    return bytes <= RING_SMALL ? RING_OF_LINES : RING_OF_BLOCKS;
}

static uint64_t lines_of(int64_t bytes)
{
    return ring_lines(kind_of(bytes), bytes);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Data that looks like stamps of positions near `at`, wherever a stamp might be looked for. */
static void fill(unsigned char *to, int64_t bytes, uint64_t at)
{
    for (int64_t i = 0; i < bytes; i++) {
        uint64_t first = (uint64_t)(i / 8 % 2) * RING_FIRST;
        uint64_t stamp =
            (at + (uint64_t)i / 8 % 7 + 1) << 16 | first | ((uint64_t)bytes & RING_LENGTH);
        to[i] = (unsigned char)(stamp >> 8 * (i % 8));
    }
}

static unsigned char sent[MOST], got[MOST];

static void put(pair *x, uint64_t at, int64_t bytes)
{
    int64_t done = 0;

    fill(sent, bytes, at);
    assert_true(ring_room(&x->out, at, lines_of(bytes)));
    assert_true(ring_put(&x->out, at, sent, bytes, false, &done));
}

/* What has come of a message, in whatever ring. */
static ring_state take(ring *r, uint64_t at, unsigned char *to, int64_t bytes, ring_progress *so)
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
            ring_answer((_Atomic uint64_t *)(uintptr_t)piece.answer, piece.position, RING_WAS_READ);
    }
    return RING_COMPLETE;
}

static void get(pair *x, uint64_t at, int64_t bytes)
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

static void is_empty(pair *x, uint64_t at, int64_t bytes)
{
    ring_progress so = {0};

    assert_false(ring_begun(&x->in, at, false));
    assert_false(ring_complete(&x->in, at, false));
    assert_int_equal(take(&x->in, at, got, bytes, &so), RING_EMPTY);
    assert_int_equal(so.done, 0);
}

static const int64_t sizes[] = {0,     1,     8,     55,    56,    57,    111,      112,
                                113,   392,   447,   448,   449,   1088,  4096,     32767,
                                32768, 32769, 65535, 65536, 65537, 98304, 4 * 32768};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void every_length_goes_round(void **state)
{
    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = begins[b];
        for (int i = 0; i < SIZES; i++) {
            uint64_t n = lines_of(sizes[i]), lines = 64;
            while (!ring_fits(n, lines))
                lines *= 2;
            pair x = make(kind_of(sizes[i]), lines);
            uint64_t at = ring_test_begin;
            for (uint64_t k = 0; k * n < 4 * lines + 6000; k++, at += n) {
                is_empty(&x, at, sizes[i]);
                put(&x, at, sizes[i]);
                get(&x, at, sizes[i]);
            }
            drop(&x);
        }
    }
    ring_test_begin = 0;
}

static bool is_zero(const pair *x)
{
    const unsigned char *at = x->shared;

    for (size_t i = 0; i < x->size; i++)
        if (at[i])
            return false;
    return true;
}

/* What has been read is cleared without a look at the rest, which others find as it was. */
static void memory_that_was_used_is_zero_again(void **state)
{
    (void)state;
    for (int kind = 0; kind < RING_KINDS; kind++)
        for (int messages = 0; messages < 40; messages++) {
            int64_t bytes = kind == RING_OF_LINES ? 8 * messages : RING_SMALL + 61 * messages + 1;
            uint64_t at = 0;
            pair x = make((ring_kind)kind, 256);
            for (int m = 0; m < messages; m++, at += lines_of(bytes)) {
                put(&x, at, bytes);
                get(&x, at, bytes);
            }
            assert_int_equal(is_zero(&x), messages == 0);
            assert_int_equal(ring_used(&x.in) == 0, messages == 0);
            assert_true(ring_used(&x.in) >=
                        (size_t)(messages * bytes < 256 ? messages * bytes : 256));
            assert_true(ring_used(&x.in) <= x.size);
            ring_clear(&x.in);
            assert_true(is_zero(&x));
            drop(&x);
        }
}

/* A ring that is full of small messages has no room until enough of them have been read. */
static void a_full_ring_has_no_room(void **state)
{
    pair x = make(RING_OF_LINES, 64);

    (void)state;
    for (uint64_t at = 0; at < 64; at++)
        put(&x, at, 8);
    assert_false(ring_room(&x.out, 64, 1));
    for (uint64_t at = 0; at < 15; at++) {
        get(&x, at, 8);
        assert_false(ring_room(&x.out, 64, 1));
    }
    get(&x, 15, 8);
    assert_true(ring_room(&x.out, 64, 16));
    assert_false(ring_room(&x.out, 64, 17));
    drop(&x);
}

/* What is behind a message that has not been read is not given back. */
static void messages_are_read_in_any_order(void **state)
{
    pair x = make(RING_OF_LINES, 64);

    (void)state;
    for (uint64_t at = 0; at < 63; at += 3)
        put(&x, at, 150);
    for (uint64_t at = 60; at > 0; at -= 3)
        get(&x, at, 150);
    assert_false(ring_room(&x.out, 63, 3));
    get(&x, 0, 150);
    assert_true(ring_room(&x.out, 63, 64));
    drop(&x);
}

static void messages_are_written_in_any_order(void **state)
{
    pair x = make(RING_OF_BLOCKS, 2048);
    uint64_t second = lines_of(40000);

    (void)state;
    put(&x, second, 2000);
    is_empty(&x, 0, 40000);
    get(&x, second, 2000);
    put(&x, 0, 40000);
    get(&x, 0, 40000);
    drop(&x);
}

/* The first block is read while the second is not there yet. */
static void blocks_are_read_as_they_come(void **state)
{
    pair x = make(RING_OF_BLOCKS, 2048);
    int64_t bytes = RING_BLOCK + 100;
    ring_progress so = {0};
    _Atomic uint64_t *stamp = &x.out.stamp[RING_BLOCK / RING_LINE];

    (void)state;
    put(&x, 0, bytes);
    uint64_t value = atomic_exchange(stamp, 0);
    assert_false(ring_complete(&x.in, 0, false));
    assert_int_equal(take(&x.in, 0, got, bytes, &so), RING_EMPTY);
    assert_int_equal(so.done, RING_BLOCK);
    atomic_store(stamp, value);
    assert_int_equal(take(&x.in, 0, got, bytes, &so), RING_COMPLETE);
    fill(sent, bytes, 0);
    assert_memory_equal(got, sent, (size_t)bytes);
    drop(&x);
}

/* A message that is longer than its ring: both ends go on whenever they can. Another one follows,
 * which finds no room before. */
static void stream(uint64_t lines)
{
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = begins[b];
        pair x = make(RING_OF_BLOCKS, lines);
        int64_t bytes = 5 * x.out.block - 100, written = 0, none = 0;
        int64_t tail = x.out.block < 2000 ? x.out.block : 2000;
        uint64_t at = ring_test_begin, next = at + lines_of(bytes);
        ring_progress so = {0};

        assert_false(ring_fits(lines_of(bytes), lines));
        fill(sent, bytes, at);
        assert_false(ring_put(&x.out, at, sent, bytes, false, &written));
        assert_int_equal(written, 2 * x.out.block);
        assert_false(ring_put(&x.out, next, sent, tail, false, &none));
        do {
            int64_t before = written;
            assert_int_equal(take(&x.in, at, got, bytes, &so), RING_EMPTY);
            assert_int_equal(so.done, before);
        } while (!ring_put(&x.out, at, sent, bytes, false, &written));
        assert_true(
            ring_put(&x.out, next, sent, tail, false, &none)); /* over what is left of the words */
        assert_int_equal(take(&x.in, at, got, bytes, &so), RING_COMPLETE);
        assert_memory_equal(got, sent, (size_t)bytes);
        so = (ring_progress){0};
        assert_int_equal(take(&x.in, next, got, tail, &so), RING_COMPLETE);
        assert_memory_equal(got, sent, (size_t)tail);
        drop(&x);
    }
    ring_test_begin = 0;
}

static void a_long_message_streams(void **state)
{
    (void)state;
    for (uint64_t lines = RING_STREAM; lines <= 2 * RING_BLOCK / RING_LINE; lines *= 2)
        stream(lines);
}

/* Lent data stays where it is, until the other answers that it has read it: not in the ring, whose
 * memory may have gone. */
static void data_is_lent(void **state)
{
    pair x = make(RING_OF_BLOCKS, 128);
    int64_t bytes = 3 * RING_BLOCK;
    uint64_t at = 0;
    _Atomic uint64_t answer = 0;

    (void)state;
    for (int k = 0; k < 20; k++, at += lines_of(bytes) + 40) {
        static unsigned char lent[3 * RING_BLOCK];
        ring_progress so = {0};
        ring_piece piece;

        is_empty(&x, at, bytes);
        fill(lent, bytes, at);
        assert_true(ring_lend(&x.out, at, (uintptr_t)lent, (uintptr_t)&answer, bytes));
        assert_false(ring_lend(&x.out, at + lines_of(bytes), (uintptr_t)lent, 0, bytes));
        assert_true(ring_complete(&x.in, at, false));
        assert_int_equal(ring_look(&x.in, at, bytes, &so, &piece), RING_COMPLETE);
        assert_true(!piece.at && piece.last && piece.bytes == bytes);
        assert_int_equal(ring_answered(&answer, at), RING_NO_REPLY);
        so = (ring_progress){0};
        assert_int_equal(take(&x.in, at, got, bytes, &so), RING_COMPLETE);
        assert_memory_equal(got, lent, (size_t)bytes);
        if (k % 2)
            memset(x.shared, 0, x.size / 2);
        assert_int_equal(ring_answered(&answer, at), RING_WAS_READ);
        if (k % 2) { /* as it was */
            drop(&x);
            x = make(RING_OF_BLOCKS, 128);
            at = 0 - lines_of(bytes) - 40;
            continue;
        }
        put(&x, at + lines_of(bytes), 40 * RING_LINE);
        get(&x, at + lines_of(bytes), 40 * RING_LINE);
    }
    drop(&x);
}

/* What its receiver cannot read comes again, block by block: it is not taken before, also where
 * its first block is written over the words that said where it was. */
static void what_is_lent_in_vain_comes_again(void **state)
{
    int64_t bytes = 2 * RING_BLOCK;
    _Atomic uint64_t answer = 0;

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = begins[b];
        pair x = make(RING_OF_BLOCKS, 2 * RING_BLOCK / RING_LINE);
        uint64_t at = ring_test_begin;
        for (int k = 0; k < 20; k++, at += lines_of(bytes)) {
            int64_t done = 0;
            ring_progress so = {.again = false};
            ring_piece piece;

            fill(sent, bytes, at);
            assert_true(ring_lend(&x.out, at, 64, (uintptr_t)&answer, bytes));
            assert_int_equal(ring_look(&x.in, at, bytes, &so, &piece), RING_COMPLETE);
            assert_true(!piece.at && piece.where == 64);
            so.again = true;
            ring_answer(&answer, piece.position, RING_UNREADABLE);
            assert_int_equal(ring_answered(&answer, at + 1), RING_NO_REPLY);
            assert_int_equal(ring_answered(&answer, at), RING_UNREADABLE);
            assert_false(ring_begun(&x.in, at, true));
            assert_false(ring_complete(&x.in, at, true));
            assert_int_equal(take(&x.in, at, got, bytes, &so), RING_EMPTY);
            assert_true(ring_put(&x.out, at, sent, bytes, true, &done));
            assert_true(ring_complete(&x.in, at, true));
            assert_int_equal(take(&x.in, at, got, bytes, &so), RING_COMPLETE);
            assert_memory_equal(got, sent, (size_t)bytes);
        }
        drop(&x);
    }
    ring_test_begin = 0;
}

/* A wrong program: the receiver expects other bytes. All that comes behind is what was sent, also
 * where it is looked for first. */
static void expect_other(ring_kind kind, uint64_t lines, int64_t its, int64_t mine)
{
    pair x = make(kind, lines);
    uint64_t at = 0, theirs = 0;
    int64_t after = kind == RING_OF_LINES ? 100 : 5000;

    for (int k = 0; k < 30; k++) {
        ring_progress so = {0}, early = {0};
        bool written = false;
        int64_t done = 0;

        fill(sent, its, theirs);
        written = ring_put(&x.out, theirs, sent, its, false, &done);
        assert_int_equal(take(&x.in, at + ring_lines(kind, mine), got, its, &early), RING_EMPTY);
        memset(got, 7, sizeof got);
        assert_int_equal(take(&x.in, at, got, mine, &so), its > mine ? RING_OTHER : RING_COMPLETE);
        if (its < mine)
            assert_memory_equal(got, sent, (size_t)its);
        assert_int_equal(got[its < mine ? its : 0], 7);
        if (!written) /* what was dropped is waited for no more */
            assert_true(ring_put(&x.out, theirs, sent, its, false, &done));
        at += ring_lines(kind, mine);
        theirs += ring_lines(kind, its);
        for (int i = 0; i < 3; i++) {
            int64_t none = 0;
            fill(sent, after, theirs);
            assert_true(ring_put(&x.out, theirs, sent, after, false, &none));
            so = (ring_progress){0};
            assert_int_equal(take(&x.in, at, got, after, &so), RING_COMPLETE);
            assert_memory_equal(got, sent, (size_t)after);
            at += ring_lines(kind, after);
            theirs += ring_lines(kind, after);
        }
    }
    drop(&x);
}

static void another_length_is_noticed(void **state)
{
    (void)state;
    expect_other(RING_OF_LINES, 64, 16, 8);
    expect_other(RING_OF_LINES, 64, 8, 100);
    expect_other(RING_OF_LINES, 64, 500, 100);
    expect_other(RING_OF_LINES, 64, 100, 500);
    expect_other(RING_OF_BLOCKS, 2048, 5000, 40000);
    expect_other(RING_OF_BLOCKS, 2048, 40000, 5000);
    expect_other(RING_OF_BLOCKS, 2048, 4 * RING_BLOCK, 5000);
    expect_other(RING_OF_BLOCKS, 2048, 5000, 4 * RING_BLOCK);
}

/* ---- two processes ---- */

/* The k-th message: mostly short, some as long as the ring takes, or longer. */
static int64_t length(ring_kind kind, uint64_t lines, uint64_t k)
{
    int64_t most = kind == RING_OF_LINES ? RING_SMALL : (int64_t)(lines / 8 * 5 * RING_LINE);
    uint64_t x = mix(k * 2 + (uint64_t)kind);

    if (most > MOST || (kind == RING_OF_BLOCKS && lines >= RING_STREAM))
        most = MOST;
    if (kind == RING_OF_LINES)
        return (int64_t)(x % 8 ? x % 60 : x / 8 % (uint64_t)(most + 1));
    return RING_SMALL + 1 + (int64_t)(x / 8 % (uint64_t)(x % 8 ? 4000 : most - RING_SMALL));
}

static void write_all(pair *x, ring_kind kind, uint64_t lines, int n)
{
    uint64_t at = ring_test_begin;

    for (int k = 0; k < n; k++) {
        int64_t bytes = length(kind, lines, (uint64_t)k), done = 0;
        fill(sent, bytes, at);
        while (!ring_put(&x->out, at, sent, bytes, false, &done))
            sched_yield();
        at += lines_of(bytes);
    }
}

/* Two messages at a time: the later one first, if it is there. */
static int read_all(pair *x, ring_kind kind, uint64_t lines, int n)
{
    uint64_t at = ring_test_begin;
    int wrong = 0;

    for (int k = 0; k < n; k += 2) {
        int64_t bytes[2] = {length(kind, lines, (uint64_t)k), length(kind, lines, (uint64_t)k + 1)};
        uint64_t place[2] = {at, at + lines_of(bytes[0])};
        bool have[2] = {false, false};
        ring_progress so[2] = {{0}, {0}};

        while (!have[0] || !have[1])
            for (int i = 1; i >= 0; i--) {
                static unsigned char partly[2][MOST];
                if (have[i] || take(&x->in, place[i], partly[i], bytes[i], &so[i]) == RING_EMPTY) {
                    sched_yield();
                    continue;
                }
                have[i] = true;
                fill(sent, bytes[i], place[i]);
                wrong += memcmp(partly[i], sent, (size_t)bytes[i]) != 0;
            }
        at = place[1] + lines_of(bytes[1]);
    }
    return wrong;
}

/* Of four messages all but the first have left the ring, the last one further on than a lap. */
static void places_are_skipped(void **state)
{
    uint64_t n = lines_of(1000);

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        pair x;
        uint64_t begin = ring_test_begin = begins[b];
        ring_progress progress = {0};
        ring_piece piece;
        int64_t done = 0;

        x = make(RING_OF_BLOCKS, 128);
        assert_true(ring_skip(&x.in, begin + 2 * n + 200, 1000));
        assert_true(ring_skip(&x.in, begin + 2 * n, 200));
        assert_true(ring_skip(&x.in, begin + n, n));
        assert_false(ring_room(&x.out, begin + 2 * n + 1200, n));
        assert_false(ring_all_read(&x.out, begin + n));
        assert_true(ring_put(&x.out, begin, sent, 1000, false, &done));
        do {
            assert_int_equal(ring_look(&x.in, begin, 1000, &progress, &piece), RING_COMPLETE);
            ring_read(&x.in, begin, 1000, &progress, &piece);
        } while (!piece.last);
        assert_true(ring_all_read(&x.out, begin + 2 * n + 1200));
        assert_true(ring_room(&x.out, begin + 2 * n + 1200, 128));
        assert_int_equal(x.in.nskipped, 0);
        drop(&x);
    }
    ring_test_begin = 0;
}

static void race(ring_kind kind, uint64_t lines, int n)
{
    pair x = make(kind, lines);
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        write_all(&x, kind, lines, n);
        _exit(0);
    }
    assert_int_equal(read_all(&x, kind, lines, n), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    drop(&x);
}

/* A tenth of it under sanitizers: TEST_CASES=few. */
static void two_processes_race(void **state)
{
    const char *cases = getenv("TEST_CASES");
    int times = cases && strcmp(cases, "few") == 0 ? 1 : 10;

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = begins[b];
        race(RING_OF_LINES, 64, 10000 * times);
        race(RING_OF_LINES, 1024, 10000 * times);
        race(RING_OF_BLOCKS, 128, 2000 * times);
        race(RING_OF_BLOCKS, 2048, 1000 * times);
    }
    ring_test_begin = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_goes_round),
        cmocka_unit_test(memory_that_was_used_is_zero_again),
        cmocka_unit_test(a_full_ring_has_no_room),
        cmocka_unit_test(messages_are_read_in_any_order),
        cmocka_unit_test(messages_are_written_in_any_order),
        cmocka_unit_test(blocks_are_read_as_they_come),
        cmocka_unit_test(a_long_message_streams),
        cmocka_unit_test(data_is_lent),
        cmocka_unit_test(what_is_lent_in_vain_comes_again),
        cmocka_unit_test(another_length_is_noticed),
        cmocka_unit_test(places_are_skipped),
        cmocka_unit_test(two_processes_race),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
