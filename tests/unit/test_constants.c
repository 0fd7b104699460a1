/* SPDX-License-Identifier: BSD-3-Clause */
/* test_constants.c - files of constants: what is written is read again, and what is not right is
 * refused with its line. */
#define _GNU_SOURCE /* mkdtemp */
#include "tune/constants.h"
#include "tune/number.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A file of this text. */
static bool read_text(const char *text, constants *k, char why[200])
{
    FILE *in = tmpfile();
    bool good;

    assert_non_null(in);
    assert_int_equal(fputs(text, in) >= 0, 1);
    rewind(in);
    good = constants_read(in, k, why, 200);
    fclose(in);
    return good;
}

enum { TEXT = 4000 };

/* What constants_print writes of a machine. */
static void print(const constants *k, char text[TEXT])
{
    FILE *out = fmemopen(text, TEXT, "w");

    assert_non_null(out);
    constants_print(out, k, "", NULL);
    fclose(out);
}

static void what_is_written_can_be_read(void **state)
{
    static const char *const names[] = {"ethernet", "fast"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        constants back;
        char why[200], text[TEXT], again[TEXT];

        print(constants_builtin(names[i]), text);
        assert_true(read_text(text, &back, why));
        print(&back, again);
        assert_string_equal(again, text);
        assert_true(back.way[WAY_NETWORK].shared > 1e9);
    }
    assert_null(constants_builtin("no_such"));
}

static void how_cores_are_shared_survives_printing(void **state)
{
    constants k = *constants_builtin("fast"), back;
    char why[200], text[TEXT];

    (void)state;
    k.cores = 24;
    k.turn = 3.5e-6;
    print(&k, text);
    assert_true(read_text(text, &back, why));
    assert_true(back.cores == 24 && back.turn == 3.5e-6);
}

static void a_limit_of_bytes_and_a_note_survive_printing(void **state)
{
    static char noted[CONSTANTS_NOTE], text[CONSTANTS * 256];
    const char *notes[CONSTANTS] = {0};
    constants k = *constants_builtin("fast"), back;
    char why[200];
    int index;
    double *eager = constants_find(&k, "network.eager", &index);
    FILE *out = fmemopen(text, sizeof text, "w");

    (void)state;
    assert_ptr_equal(eager, &k.way[WAY_NETWORK].eager);
    *eager = 1234567;
    memset(noted, 'n', sizeof noted - 1); /* the longest one */
    for (int i = 0; i < CONSTANTS; i++)
        notes[i] = i == 1 ? NULL : noted;
    notes[index] = "measured";
    constants_print(out, &k, "# who\n", notes);
    fclose(out);
    assert_non_null(strstr(text, "tutti constants 1\n# who\ncopy "));
    assert_non_null(strstr(text, "; measured\n"));
    assert_true(read_text(text, &back, why));
    assert_true(back.way[WAY_NETWORK].eager == 1234567);
    assert_null(constants_find(&k, "network.eage", &index));
}

/* The text of a machine with one line replaced. */
static void refused(const char *line, const char *by, const char *reason)
{
    constants k;
    char why[200] = "", text[TEXT], changed[TEXT + 100];
    const char *at;

    print(constants_builtin("fast"), text);
    at = strstr(text, line);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, by,
             at + strcspn(at, "\n"));
    assert_false(read_text(changed, &k, why));
    if (!strstr(why, reason))
        fail_msg("%s: \"%s\", not \"%s\"", by, why, reason);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    refused("tutti constants 1", "tutti constants 2", "first line");
    refused("tutti constants 1", "", "first line");
    refused("copy", "coyp 1e10 bytes/s", "line 2 (coyp 1e10 bytes/s): no such constant");
    refused("copy", "", "copy is missing");
    refused("copy", "copy 1e10", "a name, a number and a unit");
    refused("copy", "copy 1e10 bytes/s more", "a name, a number and a unit");
    refused("copy", "copy fast bytes/s", "must be a number");
    refused("copy", "copy 1e10 s", "must be a number in this constant's unit");
    refused("copy", "copy 0 bytes/s", "out of range");
    refused("copy", "copy 999999 bytes/s", "out of range");
    refused("copy", "copy -1e10 bytes/s", "out of range");
    refused("copy", "copy nan bytes/s", "out of range");
    refused("copy", "copy inf bytes/s", "out of range");
    refused("node.latency", "node.latency 20 s", "out of range");
    refused("node.cores", "node.cores 1e-12 cores", "out of range");
    refused("reduce", "copy 1e10 bytes/s", "given twice");
}

static void comments_and_blanks_are_no_matter(void **state)
{
    constants k;
    char why[200], text[TEXT], more[TEXT + 100];

    (void)state;
    print(constants_builtin("ethernet"), text);
    snprintf(more, sizeof more, "%s\n  \t\n# a comment\n   # another\r\n", text);
    assert_true(read_text(more, &k, why));
}

static void drop_line(char *text, const char *name)
{
    char *at = strstr(text, name), *end;

    assert_non_null(at);
    end = at + strcspn(at, "\n") + 1;
    memmove(at, end, strlen(end) + 1);
}

static void an_older_file_has_no_cores(void **state)
{
    constants k;
    char why[200], text[TEXT];

    (void)state;
    print(constants_builtin("fast"), text);
    drop_line(text, "node.cores");
    drop_line(text, "node.turn");
    assert_true(read_text(text, &k, why));
    assert_true(k.cores == 0 && k.turn == constants_builtin("fast")->turn);
}

static void cores_that_suffice_change_nothing(void **state)
{
    constants k = *constants_builtin("fast"), shared;

    (void)state;
    shared = constants_shared(&k, 1000); /* none are known */
    assert_memory_equal(&shared, &k, sizeof k);
    k.cores = 8;
    shared = constants_shared(&k, 8);
    assert_memory_equal(&shared, &k, sizeof k);
}

static void ranks_wait_for_their_turn_on_shared_cores(void **state)
{
    constants k = *constants_builtin("fast"), shared;

    (void)state;
    k.cores = 2;
    k.turn = 1e-6;
    shared = constants_shared(&k, 8);
    assert_true(shared.copy == k.copy / 4 && shared.reduce == k.reduce / 4);
    for (int w = 0; w < WAYS; w++) {
        assert_float_equal(shared.way[w].latency, k.way[w].latency + 4e-6, 1e-9);
        assert_float_equal(shared.way[w].overhead, 4 * (k.way[w].overhead + 0.5e-6), 1e-9);
        assert_true(shared.way[w].bandwidth == k.way[w].bandwidth);
    }
    assert_true(shared.mpi.latency > k.mpi.latency + 4e-6);
    assert_true(shared.way[WAY_NODE].shared == k.way[WAY_NODE].shared); /* two at a time */
    k.cores = 1;
    shared = constants_shared(&k, 2);
    assert_true(shared.way[WAY_NODE].shared == k.way[WAY_NODE].bandwidth);
}

static void a_rank_that_has_a_core_costs_what_it_did(void **state)
{
    constants k = *constants_builtin("fast"), shared, alone;

    (void)state;
    k.cores = 2;
    shared = constants_shared(&k, 8);
    alone = constants_alone(&shared);
    assert_float_equal(alone.copy, k.copy, 1);
    assert_float_equal(alone.reduce, k.reduce, 1);
    for (int w = 0; w < WAYS; w++) {
        assert_float_equal(alone.way[w].latency, k.way[w].latency, 1e-12);
        assert_float_equal(alone.way[w].overhead, k.way[w].overhead, 1e-12);
    }
}

/* Within one part of 256; what is a power of two as it is. */
static void packed_ones_are_nearly_the_same(void **state)
{
    static const char *const names[] = {"ethernet", "fast"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const constants *k = constants_builtin(names[i]);
        uint16_t packed[CONSTANTS_PACKED];
        constants back, again;
        constants_pack(k, packed);
        back = constants_unpack(packed);
        assert_true(back.copy / k->copy < 1.004 && back.copy / k->copy > 0.996);
        for (int w = 0; w < WAYS; w++) {
            double ratio = back.way[w].bandwidth / k->way[w].bandwidth;
            assert_true(ratio < 1.004 && ratio > 0.996);
            assert_true(back.way[w].eager == k->way[w].eager);
            assert_true(back.way[w].latency > 0.996 * k->way[w].latency);
        }
        constants_pack(&back, packed);
        again = constants_unpack(packed);
        assert_memory_equal(&again, &back, sizeof back);
    }
}

/* localedef is in the package of the C library, what it reads in `locales`. */
static bool make_locale(const char *folder)
{
    char command[300];

    snprintf(command, sizeof command,
             "cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping "
             "-1\\nEND LC_NUMERIC\\n' >source && localedef -c -i source ./comma >/dev/null 2>&1; "
             "test -f comma/LC_NUMERIC",
             folder);
    return system(command) == 0;
}

static void the_locale_of_the_program_is_no_matter(void **state)
{
    char folder[] = "/tmp/tutti-locale-XXXXXX", text[TEXT], in_comma[TEXT], command[100], why[200];
    constants k;
    double number;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_true(make_locale(folder));
    print(constants_builtin("ethernet"), text);
    setenv("LOCPATH", folder, 1);
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    snprintf(why, sizeof why, "%.1f", 1.5);
    assert_string_equal(why, "1,5");
    print(constants_builtin("ethernet"), in_comma);
    assert_string_equal(in_comma, text);
    assert_true(read_text(text, &k, why));
    assert_true(k.way[WAY_NETWORK].latency ==
                constants_builtin("ethernet")->way[WAY_NETWORK].latency);
    assert_true(number_read("0.5", &number) && number == 0.5);
    assert_false(number_read("0,5", &number));
    setlocale(LC_NUMERIC, "C");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(how_cores_are_shared_survives_printing),
        cmocka_unit_test(a_limit_of_bytes_and_a_note_survive_printing),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(comments_and_blanks_are_no_matter),
        cmocka_unit_test(an_older_file_has_no_cores),
        cmocka_unit_test(cores_that_suffice_change_nothing),
        cmocka_unit_test(ranks_wait_for_their_turn_on_shared_cores),
        cmocka_unit_test(a_rank_that_has_a_core_costs_what_it_did),
        cmocka_unit_test(packed_ones_are_nearly_the_same),
        cmocka_unit_test(the_locale_of_the_program_is_no_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
