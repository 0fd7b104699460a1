/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and words as people write them. */
#include "nbc/process/settings.h"
#include "tune/number.h"
#include "tune/word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void size_with_a_unit_of_any_case_is_read(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } right[] = {{"0", 0},
                 {"12", 12},
                 {"12B", 12},
                 {"1k", 1024},
                 {"1K", 1024},
                 {"1kB", 1024},
                 {"1KIB", 1024},
                 {"256k", 262144},
                 {"1m", 1 << 20},
                 {"1MiB", 1 << 20},
                 {"3g", 3LL << 30},
                 {"2TB", 2LL << 40},
                 {"9223372036854775807", INT64_MAX},
                 {"8191T", 8191LL << 40},
                 {"8388607t", 8388607LL << 40}};

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        int64_t n = -1;
        assert_true(number_size(right[i].text, &n));
        assert_int_equal(n, right[i].value);
    }
}

static void size_that_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "k",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1 k",
                                        "1x",
                                        "1i",
                                        "1kiB ",
                                        "1kb8",
                                        "1.5k",
                                        "0x1",
                                        "1ki",
                                        "1bk",
                                        "1e3",
                                        "9223372036854775808",
                                        "8388608t",
                                        "99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t n = 77;
        assert_false(number_size(wrong[i], &n));
        assert_int_equal(n, 77);
    }
}

static const char *guess(word_guess *g)
{
    static const char *const words[] = {"ring", "bruck", "sparbit", "linear"};

    for (int i = 0; i < 4; i++)
        word_try(g, words[i]);
    return word_meant(g);
}

static void wrong_word_finds_the_nearest_if_it_is_near(void **state)
{
    word_guess rong = {.wrong = "rong"}, sparbitt = {.wrong = "sparbitt"}, far = {.wrong = "xyz"},
               empty = {.wrong = ""};

    (void)state;
    assert_string_equal(guess(&rong), "ring");
    assert_string_equal(guess(&sparbitt), "sparbit");
    assert_string_equal(guess(&far), "");
    assert_string_equal(guess(&empty), "");
}

static void variable_of_each_collective_has_a_name_and_a_row(void **state)
{
    char name[SETTING_NAME];
    int n = 0, gatherv = 0;

    (void)state;
    for (; setting_variable(n, name); n++) {
        assert_int_equal(strncmp(name, "TUTTI_", 6), 0);
        assert_null(strchr(name, '*'));
        gatherv += strcmp(name, "TUTTI_ALGORITHM_GATHERV") == 0;
    }
    assert_int_equal(gatherv, 1);
    assert_true(n > setting_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_with_a_unit_of_any_case_is_read),
        cmocka_unit_test(size_that_is_none_is_refused),
        cmocka_unit_test(wrong_word_finds_the_nearest_if_it_is_near),
        cmocka_unit_test(variable_of_each_collective_has_a_name_and_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
