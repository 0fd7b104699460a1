/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ring_expose.c - messages whose data stays in the sender's memory: the receiver acknowledges
 * that it has read them, or that it cannot, and then they come again through the ring. */
#include "unit/ring_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Exposed data stays where it is, until the other acknowledges that it has read it: not in the
 * ring, whose memory may have gone. */
static void data_is_exposed(void **state)
{
    pair x = pair_make(RING_OF_BLOCKS, 128);
    int64_t bytes = 3 * RING_BLOCK;
    uint64_t at = 0;
    _Atomic uint64_t ack = 0;

    (void)state;
    for (int k = 0; k < 20; k++, at += lines_of(bytes) + 40) {
        static unsigned char exposed[3 * RING_BLOCK];
        ring_progress so = {0};
        ring_piece piece;

        pair_expect_empty(&x, at, bytes);
        fill(exposed, bytes, at);
        assert_true(ring_expose(&x.out, at, (uintptr_t)exposed, (uintptr_t)&ack, bytes));
        assert_false(ring_expose(&x.out, at + lines_of(bytes), (uintptr_t)exposed, 0, bytes));
        assert_true(ring_complete(&x.in, at, false));
        assert_int_equal(ring_look(&x.in, at, bytes, &so, &piece), RING_COMPLETE);
        assert_true(!piece.at && piece.last && piece.bytes == bytes);
        assert_int_equal(ring_ack_of(&ack, at), RING_NO_ACK);
        so = (ring_progress){0};
        assert_int_equal(take(&x.in, at, got, bytes, &so), RING_COMPLETE);
        assert_memory_equal(got, exposed, (size_t)bytes);
        if (k % 2)
            memset(x.shared, 0, x.size / 2);
        assert_int_equal(ring_ack_of(&ack, at), RING_WAS_READ);
        if (k % 2) { /* as it was */
            pair_drop(&x);
            x = pair_make(RING_OF_BLOCKS, 128);
            at = 0 - lines_of(bytes) - 40;
            continue;
        }
        pair_put(&x, at + lines_of(bytes), 40 * RING_LINE);
        pair_get(&x, at + lines_of(bytes), 40 * RING_LINE);
    }
    pair_drop(&x);
}

/* What its receiver cannot read comes again, block by block: it is not taken before, also where
 * its first block is written over the words that said where it was. */
static void what_could_not_be_read_comes_again(void **state)
{
    int64_t bytes = 2 * RING_BLOCK;
    _Atomic uint64_t ack = 0;

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = ring_begins[b];
        pair x = pair_make(RING_OF_BLOCKS, 2 * RING_BLOCK / RING_LINE);
        uint64_t at = ring_test_begin;
        for (int k = 0; k < 20; k++, at += lines_of(bytes)) {
            int64_t done = 0;
            ring_progress so = {.again = false};
            ring_piece piece;

            fill(sent, bytes, at);
            assert_true(ring_expose(&x.out, at, 64, (uintptr_t)&ack, bytes));
            assert_int_equal(ring_look(&x.in, at, bytes, &so, &piece), RING_COMPLETE);
            assert_true(!piece.at && piece.where == 64);
            so.again = true;
            ring_acknowledge(&ack, piece.position, RING_UNREADABLE);
            assert_int_equal(ring_ack_of(&ack, at + 1), RING_NO_ACK);
            assert_int_equal(ring_ack_of(&ack, at), RING_UNREADABLE);
            assert_false(ring_begun(&x.in, at, true));
            assert_false(ring_complete(&x.in, at, true));
            assert_int_equal(take(&x.in, at, got, bytes, &so), RING_EMPTY);
            assert_true(ring_put(&x.out, at, sent, bytes, true, &done));
            assert_true(ring_complete(&x.in, at, true));
            assert_int_equal(take(&x.in, at, got, bytes, &so), RING_COMPLETE);
            assert_memory_equal(got, sent, (size_t)bytes);
        }
        pair_drop(&x);
    }
    ring_test_begin = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_exposed),
        cmocka_unit_test(what_could_not_be_read_comes_again),
    };

    return cmocka_run_group_tests_name("ring_expose", tests, NULL, NULL);
}
