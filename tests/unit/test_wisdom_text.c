/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom_text.c - wisdom as text: what is written can be read again, and what is damaged, cut
 * off, of another MPI or wrong is refused with the reason. */
#include "tune/size.h"
#include "tune/wisdom_text.h"
#include "unit/wisdom_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void what_is_written_can_be_read(void **state)
{
    static char text[TEXT], again[TEXT];
    char why[200];
    wisdom *w = every_algorithm(), *back;
    size_t n = print_text(w, text);

    (void)state;
    back = read_text(text, n, mpi, why);
    if (!back)
        fail_msg("%s", why);
    assert_same(back, w);
    assert_int_equal(print_text(back, again), n);
    assert_memory_equal(text, again, n);
    wisdom_free(w);
    wisdom_free(back);
}

static void an_empty_one_and_all_sizes_can_be_read(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = wisdom_make(), *back;

    (void)state;
    back = read_text(text, print_text(w, text), mpi, why);
    assert_int_equal(wisdom_count(back), 0);
    wisdom_free(back);
    for (int class = 0; class < SIZE_CLASSES; class ++)
        add_verdict(w, 3, size_least(class), "node:2,1", "ring");
    assert_int_equal(wisdom_count(w), SIZE_CLASSES);
    back = read_text(text, print_text(w, text), mpi, why);
    assert_same(back, w);
    wisdom_free(back);
    wisdom_free(w);
}

static void cut_off_anywhere_it_is_refused(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = few();
    size_t n = print_text(w, text);

    (void)state;
    for (size_t k = 0; k < n; k++)
        assert_null(read_text(text, k, mpi, why));
    wisdom_free(w);
}

static void with_any_bit_changed_it_is_refused(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = few();
    size_t n = print_text(w, text);

    (void)state;
    for (size_t k = 0; k < 8 * n; k++) {
        text[k / 8] ^= (char)(1 << k % 8);
        assert_null(read_text(text, n, mpi, why));
        text[k / 8] ^= (char)(1 << k % 8);
    }
    wisdom_free(w);
}

/* The text of `few` with one part replaced, and edited or not. */
static wisdom *changed(const char *part, const char *by, bool edited, char why[200])
{
    static char text[TEXT], other[TEXT];
    wisdom *w = few();
    const char *at;
    int length;

    print_text(w, text);
    wisdom_free(w);
    if (edited)
        strcpy(strstr(text, "\nend "), "\nend 2 edited\n");
    assert_non_null(at = strstr(text, part));
    length =
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
    return read_text(other, (size_t)length, mpi, why);
}

static void refused(const char *part, const char *by, const char *reason)
{
    char why[200];

    if (changed(part, by, true, why))
        fail_msg("\"%s\" for \"%s\" is not refused", by, part);
    if (!strstr(why, reason))
        fail_msg("%s: \"%s\", not \"%s\"", by, why, reason);
}

static void what_is_wrong_is_refused(void **state)
{
    char longest[WISDOM_LINE + 1];

    (void)state;
    memset(longest, '#', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refused("wisdom 1", "wisdom 2", "begins with `tutti wisdom 1`");
    refused("version ", "version 1", "line 2 (version 1");
    refused("MPICH 4.0.2", "MPICH 4.0.3", "line 3 (mpi MPICH 4.0.3): measured with another MPI");
    refused("MPICH 4.0.2", "MPICH 4.0.2 ", "measured with another MPI");
    refused("allreduce", "allreduces", "line 6 (allreduces 4");
    refused(" 64 ", " 0 ", "not a number of ranks");
    refused(" 64 ", " -64 ", "not a number of ranks");
    refused(" 64 ", " 2147483648 ", "not a number of ranks");
    refused(" 4096 ", " -1 ", "not a number of bytes");
    refused(" 4096 ", " 99999999999999999999 ", "not a number of bytes");
    refused(" 4096 ", " 9223372036854775808 ", "not a number of bytes");
    refused(" 4096 ", " 4k ", "not a number of bytes");
    refused("commutes - node", "- - node", "no such class of operations");
    refused("allreduce 64 4096 commutes", "allgather 64 4096 commutes", "has no operation");
    refused("commutes - node", "commutes here node", "neither `in_place` nor `-`");
    refused("allreduce 64 4096",
            "reduce 64 4096 commutes in_place node:8 | binomial | 1 ns | "
            "1 starts\nallreduce 64 4096",
            "not all ranks know");
    refused("node:8", "node;8", "not a shape");
    refused("node:8", "", "not a shape");
    refused("- node:8", "", "neither `in_place` nor `-`");
    refused("node:8", "node:8  package:4", "not a shape");
    refused("lane:ring", "lame:ring", "no such algorithm");
    refused("lane:ring", "lane:rang", "no such algorithm");
    refused("allreduce 64 4096 commutes", "allreduce 64 4096 ordered", "line 7");
    refused("12500 ns", "12500 s", "not a time");
    refused("12500 ns", "-1 ns", "not a time");
    refused("12500 ns", "0 ns", "not a time and a number of starts");
    refused("30 starts", "30", "not a number of starts");
    refused("30 starts", "30 starts |", "not a number of starts");
    refused(" | 30 starts", "", "not a number of starts");
    refused("\nend", "\r\nend", "a byte that is not text");
    refused("\nend", longest, "too long");
    refused("end 2", "end 3", "the number of verdicts is wrong");
    refused("edited\n", "edited", "cut off inside");
    refused("edited\n", "edited \n", "damaged");
    refused("edited\n", "edited\n\n", "lines after the end");
    refused("edited\n", "edited\nend 2 edited\n", "lines after the end");
    refused("end 2 edited\n", "", "the line that begins with `end` is missing");
}

static void given_twice_is_refused(void **state)
{
    (void)state; /* 4096 and 4100 are of one class */
    refused("allreduce 64 4096",
            "allreduce 64 4100 commutes - node:8 | ring | 1 ns | 1 starts\nallreduce 64 4096",
            "line 8 (allreduce 64 4096");
}

static void a_byte_0_is_refused(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = few();
    size_t n = print_text(w, text);

    (void)state;
    *strstr(text, "commutes") = '\0';
    assert_null(read_text(text, n, mpi, why));
    assert_non_null(strstr(why, "a byte that is not text"));
    wisdom_free(w);
}

/* All that it has is no send buffer. */
static void a_barrier_is_not_in_place(void **state)
{
    coll c = {.kind = COLL_barrier, .p = 4, .in_place = true};

    (void)state;
    assert_false(wisdom_key_of(&c, 0, "one-place").in_place);
    refused("allreduce 64 4096 commutes - node:8 | lane:ring,block,1",
            "barrier 64 0 - in_place node:8 | dissemination", "not all ranks know");
}

static void who_edits_says_so(void **state)
{
    char why[200];
    verdict v = verdict_of(64, 4096, "node:8", "ring");
    wisdom *w = changed("lane:ring,block,1", "ring", false, why);

    (void)state;
    assert_null(w);
    w = changed("lane:ring,block,1 | 12500 ns | 30 starts\n",
                "\tring|0 ns |0 starts # was lane\n\n  \t\n # why\n", true, why);
    if (!w)
        fail_msg("%s", why);
    assert_true(same_choice(&wisdom_find(w, &v.key)->choice, &v.choice));
    assert_int_equal(wisdom_find(w, &v.key)->starts, 0);
    wisdom_free(w);
}

/* Who serves: a line of its own beside that of the algorithm, for an octave. */
static void who_serves_is_kept_beside_the_algorithm(void **state)
{
    static char text[TEXT];
    char why[200];
    verdict v = verdict_of(64, 4096, "node:8", "ring"), server = v;
    wisdom *w = few(), *back;

    (void)state;
    server.key = wisdom_server_key(&v.key);
    server.native = true;
    assert_null(wisdom_add(w, &server));
    assert_int_equal(wisdom_count(w), 3);
    print_text(w, text);
    assert_non_null(strstr(text, "| lane:ring,block,1 |"));
    assert_non_null(
        strstr(text, "allreduce 64 4096 commutes - node:8 | native | 12500 ns | 30 starts\n"));
    assert_non_null(back = read_text(text, strlen(text), mpi, why));
    assert_true(wisdom_find(back, &server.key)->native);
    assert_false(wisdom_find(back, &v.key)->native);
    wisdom_free(back);
    wisdom_free(w);

    assert_non_null(w = changed("64 4096 commutes - node:8 | lane:ring,block,1",
                                "64 8000 commutes - node:8 | tutti", true, why));
    assert_false(wisdom_find(w, &server.key)->native);
    assert_null(wisdom_find(w, &v.key));
    wisdom_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(an_empty_one_and_all_sizes_can_be_read),
        cmocka_unit_test(cut_off_anywhere_it_is_refused),
        cmocka_unit_test(with_any_bit_changed_it_is_refused),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(given_twice_is_refused),
        cmocka_unit_test(a_byte_0_is_refused),
        cmocka_unit_test(a_barrier_is_not_in_place),
        cmocka_unit_test(who_edits_says_so),
        cmocka_unit_test(who_serves_is_kept_beside_the_algorithm),
    };

    return cmocka_run_group_tests_name("wisdom_text", tests, NULL, NULL);
}
