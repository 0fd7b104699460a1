/* SPDX-License-Identifier: BSD-3-Clause */
/* test_layout.c - several arrays in one block. */
#include "nbc/process/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <cmocka.h>

typedef struct thing {
    char *letters, *none;
    long double *numbers;
    short *last;
} thing;

static void arrays_are_aligned_and_do_not_meet(void **state)
{
    (void)state;
    for (int n = 0; n < 40; n++) {
        thing t = {0}, *block;
        const layout_array arrays[] = {LAYOUT(t.letters, n), LAYOUT(t.none, 0),
                                       LAYOUT(t.numbers, n), LAYOUT(t.last, n + 1)};
        size_t bytes = layout_assign(NULL, sizeof t, arrays, LAYOUT_LENGTH(arrays));

        assert_null(t.letters); /* without a block they get no addresses */
        block = layout_make(sizeof t, arrays, LAYOUT_LENGTH(arrays));
        assert_non_null(block);
        assert_true((char *)(block + 1) <= t.letters && t.letters + n <= t.none);
        assert_true(t.none <= (char *)t.numbers && (char *)(t.numbers + n) <= (char *)t.last);
        assert_true((char *)(t.last + n + 1) <= (char *)block + bytes);
        assert_int_equal((uintptr_t)t.numbers % _Alignof(max_align_t), 0);
        assert_int_equal((uintptr_t)t.last % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(((char *)block)[i], 0);
        free(block);
    }
}

static void a_block_can_be_used_again(void **state)
{
    thing t = {0}, before;
    const layout_array arrays[] = {LAYOUT(t.letters, 5), LAYOUT(t.last, 7)};
    void *block = layout_make(0, arrays, LAYOUT_LENGTH(arrays));

    (void)state;
    before = t;
    t.letters = NULL;
    t.last = NULL;
    layout_assign(block, 0, arrays, LAYOUT_LENGTH(arrays));
    assert_ptr_equal(t.letters, before.letters);
    assert_ptr_equal(t.last, before.last);
    free(block);
}

static void nothing_is_a_block_too(void **state)
{
    thing t = {0};
    const layout_array arrays[] = {LAYOUT(t.none, 0)};
    void *block = layout_make(0, arrays, 1);

    (void)state;
    assert_non_null(block);
    free(block);
}

/* Sums and products, also such that come out small. */
static void too_much_is_refused(void **state)
{
    const size_t many[][2] = {{SIZE_MAX / 2 + 1, 0},    {SIZE_MAX / 2 + 9, 0}, {SIZE_MAX, 3},
                              {SIZE_MAX / 2 - 40, 100}, {0, SIZE_MAX - 3},     {0, SIZE_MAX - 60}};

    (void)state;
    for (size_t i = 0; i < LAYOUT_LENGTH(many); i++) {
        thing t = {0};
        const layout_array arrays[] = {LAYOUT(t.last, many[i][0]), LAYOUT(t.letters, many[i][1])};

        assert_true(layout_assign(NULL, 64, arrays, 2) == SIZE_MAX);
        assert_null(layout_make(64, arrays, 2));
        assert_null(t.last);
        assert_null(t.letters);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_aligned_and_do_not_meet),
        cmocka_unit_test(a_block_can_be_used_again),
        cmocka_unit_test(nothing_is_a_block_too),
        cmocka_unit_test(too_much_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
