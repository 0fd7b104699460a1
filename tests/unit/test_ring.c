/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ring.c - messages through a ring with both ends in this process: of all lengths, also longer
 * than the ring or other than the receiver expects; in any order; and skipped ones. */
#include "unit/ring_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const int64_t sizes[] = {0,     1,     8,     55,    56,    57,    111,      112,
                                113,   392,   447,   448,   449,   1088,  4096,     32767,
                                32768, 32769, 65535, 65536, 65537, 98304, 4 * 32768};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void every_length_goes_round(void **state)
{
    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = ring_begins[b];
        for (int i = 0; i < SIZES; i++) {
            uint64_t n = lines_of(sizes[i]), lines = 64;
            while (!ring_fits(n, lines))
                lines *= 2;
            pair x = pair_make(kind_of(sizes[i]), lines);
            uint64_t at = ring_test_begin;
            for (uint64_t k = 0; k * n < 4 * lines + 6000; k++, at += n) {
                pair_expect_empty(&x, at, sizes[i]);
                pair_put(&x, at, sizes[i]);
                pair_get(&x, at, sizes[i]);
            }
            pair_drop(&x);
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
            pair x = pair_make((ring_kind)kind, 256);
            for (int m = 0; m < messages; m++, at += lines_of(bytes)) {
                pair_put(&x, at, bytes);
                pair_get(&x, at, bytes);
            }
            assert_int_equal(is_zero(&x), messages == 0);
            assert_int_equal(ring_used(&x.in) == 0, messages == 0);
            assert_true(ring_used(&x.in) >=
                        (size_t)(messages * bytes < 256 ? messages * bytes : 256));
            assert_true(ring_used(&x.in) <= x.size);
            ring_clear(&x.in);
            assert_true(is_zero(&x));
            pair_drop(&x);
        }
}

/* A ring that is full of small messages has no room until enough of them have been read. */
static void a_full_ring_has_no_room(void **state)
{
    pair x = pair_make(RING_OF_LINES, 64);

    (void)state;
    for (uint64_t at = 0; at < 64; at++)
        pair_put(&x, at, 8);
    assert_false(ring_room(&x.out, 64, 1));
    for (uint64_t at = 0; at < 15; at++) {
        pair_get(&x, at, 8);
        assert_false(ring_room(&x.out, 64, 1));
    }
    pair_get(&x, 15, 8);
    assert_true(ring_room(&x.out, 64, 16));
    assert_false(ring_room(&x.out, 64, 17));
    pair_drop(&x);
}

/* What is after a message that has not been read is not given back. */
static void messages_are_read_in_any_order(void **state)
{
    pair x = pair_make(RING_OF_LINES, 64);

    (void)state;
    for (uint64_t at = 0; at < 63; at += 3)
        pair_put(&x, at, 150);
    for (uint64_t at = 60; at > 0; at -= 3)
        pair_get(&x, at, 150);
    assert_false(ring_room(&x.out, 63, 3));
    pair_get(&x, 0, 150);
    assert_true(ring_room(&x.out, 63, 64));
    pair_drop(&x);
}

static void messages_are_written_in_any_order(void **state)
{
    pair x = pair_make(RING_OF_BLOCKS, 2048);
    uint64_t second = lines_of(40000);

    (void)state;
    pair_put(&x, second, 2000);
    pair_expect_empty(&x, 0, 40000);
    pair_get(&x, second, 2000);
    pair_put(&x, 0, 40000);
    pair_get(&x, 0, 40000);
    pair_drop(&x);
}

/* The first block is read while the second is not there yet. */
static void blocks_are_read_as_they_come(void **state)
{
    pair x = pair_make(RING_OF_BLOCKS, 2048);
    int64_t bytes = RING_BLOCK + 100;
    ring_progress so = {0};
    _Atomic uint64_t *stamp = &x.out.stamp[RING_BLOCK / RING_LINE];

    (void)state;
    pair_put(&x, 0, bytes);
    uint64_t value = atomic_exchange(stamp, 0);
    assert_false(ring_complete(&x.in, 0, false));
    assert_int_equal(take(&x.in, 0, got, bytes, &so), RING_EMPTY);
    assert_int_equal(so.done, RING_BLOCK);
    atomic_store(stamp, value);
    assert_int_equal(take(&x.in, 0, got, bytes, &so), RING_COMPLETE);
    fill(sent, bytes, 0);
    assert_memory_equal(got, sent, (size_t)bytes);
    pair_drop(&x);
}

/* A message that is longer than its ring: both ends go on whenever they can. Another one follows,
 * which finds no room before. */
static void stream(uint64_t lines)
{
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = ring_begins[b];
        pair x = pair_make(RING_OF_BLOCKS, lines);
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
        pair_drop(&x);
    }
    ring_test_begin = 0;
}

static void a_long_message_streams(void **state)
{
    (void)state;
    for (uint64_t lines = RING_STREAM; lines <= 2 * RING_BLOCK / RING_LINE; lines *= 2)
        stream(lines);
}

/* A wrong program: the receiver expects other bytes. All that comes after it is what was sent, also
 * where it is looked for first. */
static void expect_other(ring_kind kind, uint64_t lines, int64_t its, int64_t mine)
{
    pair x = pair_make(kind, lines);
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
    pair_drop(&x);
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

/* Of four messages all but the first have left the ring, the last one further on than a lap. */
static void slots_are_skipped(void **state)
{
    uint64_t n = lines_of(1000);

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        pair x;
        uint64_t begin = ring_test_begin = ring_begins[b];
        ring_progress progress = {0};
        ring_piece piece;
        int64_t done = 0;

        x = pair_make(RING_OF_BLOCKS, 128);
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
        pair_drop(&x);
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
        cmocka_unit_test(another_length_is_noticed),
        cmocka_unit_test(slots_are_skipped),
    };

    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
