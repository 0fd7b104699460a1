/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom_pick.c - the verdicts of one communicator as bytes for its other ranks: they come out
 * as they went in, and damaged bytes do no harm. */
#include "tune/size.h"
#include "tune/wisdom_pick.h"
#include "unit/wisdom_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void what_is_picked_is_taken(void **state)
{
    wisdom *all = every_algorithm(), *mine, *w = few();
    size_t n = wisdom_pick(all, 64, "node:8", NULL, 0), more;
    unsigned char *bytes = malloc(n + 1);

    (void)state;
    assert_true(n >= 100 * WISDOM_PICKED);
    bytes[0] = bytes[n] = 77;
    assert_int_equal(wisdom_pick(all, 64, "node:8", bytes, n - 1), n);
    assert_int_equal(bytes[0], 77);
    assert_int_equal(wisdom_pick(all, 64, "node:8", bytes, n), n);
    assert_int_equal(bytes[n], 77);
    mine = wisdom_take(64, "node:8", bytes, n);
    assert_int_equal(wisdom_count(mine), n / WISDOM_PICKED);
    more = 0;
    for (const verdict *v = NULL; (v = wisdom_next(mine, v)); more++)
        assert_true(same_choice(&v->choice, &wisdom_find(all, &v->key)->choice) && v->ns == 0);
    assert_int_equal(more, n / WISDOM_PICKED);
    assert_int_equal(wisdom_pick(w, 64, "node:8@cyclic", NULL, 0), 0);
    assert_int_equal(wisdom_pick(w, 63, "node:8", NULL, 0), 0);
    wisdom_free(mine);
    assert_non_null(mine = wisdom_take(64, "node:8", NULL, 0));
    assert_int_equal(wisdom_count(mine), 0);
    wisdom_free(mine);
    wisdom_free(all);
    wisdom_free(w);
    free(bytes);
}

/* Whatever they are, either they are refused or the same bytes come out again. */
static void damaged_bytes_do_no_harm(void **state)
{
    unsigned char bytes[2 * WISDOM_PICKED], again[2 * WISDOM_PICKED];
    wisdom *w = few();
    int taken = 0;

    (void)state;
    assert_int_equal(wisdom_pick(w, 64, "node:8", bytes, sizeof bytes), WISDOM_PICKED);
    for (size_t n = 1; n < WISDOM_PICKED; n++)
        assert_null(wisdom_take(64, "node:8", bytes, n));
    memcpy(bytes + WISDOM_PICKED, bytes, WISDOM_PICKED);
    assert_null(wisdom_take(64, "node:8", bytes, sizeof bytes)); /* the same twice */
    for (int at = 0; at < WISDOM_PICKED; at++)
        for (int value = 0; value < 256; value++) {
            unsigned char was = bytes[at];
            wisdom *got;
            bytes[at] = (unsigned char)value;
            got = wisdom_take(64, "node:8", bytes, WISDOM_PICKED);
            if (got) {
                assert_int_equal(wisdom_pick(got, 64, "node:8", again, sizeof again),
                                 WISDOM_PICKED);
                assert_memory_equal(again, bytes, WISDOM_PICKED);
                taken++;
            }
            wisdom_free(got);
            bytes[at] = was;
        }
    assert_true(taken > SIZE_CLASSES && taken < 4 * SIZE_CLASSES);
    wisdom_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_picked_is_taken),
        cmocka_unit_test(damaged_bytes_do_no_harm),
    };

    return cmocka_run_group_tests_name("wisdom_pick", tests, NULL, NULL);
}
