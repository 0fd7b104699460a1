/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom.c - the table of verdicts: how they are added, merged and kept in order, which are
 * refused, and what happens when memory runs out.
 */
#include "failing_malloc.h"
#include "tune/wisdom.h"
#include "unit/wisdom_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void a_later_one_takes_the_place(void **state)
{
    wisdom *w = few(), *later = wisdom_make();
    verdict v = verdict_of(64, 4100, "node:8", "ring");

    (void)state;
    assert_null(wisdom_add(w, &v));
    assert_int_equal(wisdom_count(w), 2);
    assert_int_equal(wisdom_find(w, &v.key)->choice.algo, v.choice.algo);
    add_verdict(later, 64, 4096, "node:8", "rabenseifner");
    add_verdict(later, 64, 4096, "node:8@cyclic", "rabenseifner");
    assert_true(wisdom_merge(w, later));
    assert_int_equal(wisdom_count(w), 3);
    assert_int_equal(wisdom_find(w, &v.key)->choice.algo, ALGO_allreduce_rabenseifner);
    v.key.in_place = true;
    assert_null(wisdom_find(w, &v.key));
    wisdom_free(w);
    wisdom_free(later);
}

static void the_order_is_not_that_of_adding(void **state)
{
    static char first[TEXT], second[TEXT];
    wisdom *w = wisdom_make(), *back = wisdom_make();

    (void)state;
    for (int i = 0; i < 40; i++) {
        add_verdict(w, 2 + i % 5, 16 << i / 5, "node:2", "ring");
        add_verdict(back, 2 + (39 - i) % 5, 16 << (39 - i) / 5, "node:2", "ring");
    }
    print_text(w, first);
    print_text(back, second);
    assert_string_equal(first, second);
    wisdom_free(w);
    wisdom_free(back);
}

/* Of 30 numbers of ranks, each its own; but two of them, which follow one another, are swapped. */
static wisdom *with_swapped(int at)
{
    static const char *const names[] = {"ring", "rabenseifner", "lane:ring"};
    wisdom *w = wisdom_make();

    for (int i = 0; i < 30; i++)
        add_verdict(w, 3 + i, 4096, "node:2", names[(i == at ? i + 1 : i == at + 1 ? at : i) % 3]);
    return w;
}

/* Whatever the order of adding, and the times. */
static void the_digest_is_that_of_the_choices(void **state)
{
    wisdom *w = with_swapped(99), *other = wisdom_make(), *swapped;
    verdict v;

    (void)state;
    for (int p = 32; p >= 3; p--) {
        add_verdict(other, p, 4096, "node:2", "recursive_doubling");
        assert_int_not_equal(wisdom_digest_of(w), wisdom_digest_of(other));
        v = verdict_of(p, 4096, "node:2", "ring");
        v.choice = wisdom_find(w, &v.key)->choice;
        v.ns = 7;
        assert_null(wisdom_add(other, &v));
    }
    assert_int_equal(wisdom_digest_of(w), wisdom_digest_of(other));
    for (int i = 0; i < 29; i++) {
        swapped = with_swapped(i);
        assert_int_not_equal(wisdom_digest_of(w), wisdom_digest_of(swapped));
        wisdom_free(swapped);
    }
    wisdom_free(w);
    wisdom_free(other);
}

static void what_cannot_be_right_is_not_added(void **state)
{
    wisdom *w = wisdom_make();
    verdict right = verdict_of(64, 4096, "node:8", "ring"), v = right;

    (void)state;
#define WRONG(change) assert_non_null((v = right, change, wisdom_add(w, &v)))
    WRONG(v.key.shape[0] = '\0');
    WRONG(v.key.shape[0] = '|');
    WRONG(v.starts = 0);
    WRONG((v.key.noncommutative = true, v.choice.algo = ALGO_allreduce_circulant));
    assert_int_equal(wisdom_count(w), 0);
    wisdom_free(w);
}

static void without_memory_nothing_is_lost(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *all = every_algorithm(), *w = few(), *back = NULL;
    size_t n = print_text(all, text), many = wisdom_count(all);
    bool merged = false;

    (void)state;
    for (long k = 0; k < 3 && !back; k++) {
        allocations_left = k;
        wisdom *made = wisdom_make();
        if (made) {
            verdict v = verdict_of(64, 4096, "node:8", "ring");
            assert_string_equal(wisdom_add(made, &v), "out of memory");
            assert_int_equal(wisdom_count(made), 0);
        }
        allocations_left = -1;
        wisdom_free(made);
    }
    for (long k = 0; !merged; k++) {
        allocations_left = k;
        merged = wisdom_merge(w, all);
        allocations_left = -1;
        assert_true(wisdom_count(w) <= many + 2);
    }
    for (long k = 2; !back; k += 97) {
        allocations_left = k;
        back = read_text(text, n, mpi, why);
        allocations_left = -1;
        assert_true(back || strstr(why, "memory"));
    }
    wisdom_free(back);
    wisdom_free(w);
    wisdom_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_one_takes_the_place),
        cmocka_unit_test(the_order_is_not_that_of_adding),
        cmocka_unit_test(the_digest_is_that_of_the_choices),
        cmocka_unit_test(what_cannot_be_right_is_not_added),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };

    return cmocka_run_group_tests_name("wisdom", tests, NULL, NULL);
}
