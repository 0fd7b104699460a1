/* test_constants.c - files of constants: what is written is read again, and what is not right is
 * refused with its line. */
#include "tune/constants.h"

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

enum { TEXT = 2000 };

/* What constants_print writes of a machine. */
static void print(const constants *k, char text[TEXT])
{
    FILE *out = fmemopen(text, TEXT, "w");

    assert_non_null(out);
    constants_print(out, k);
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
    refused("copy", "", "copy is not there");
    refused("copy", "copy 1e10", "a name, a number and a unit");
    refused("copy", "copy 1e10 bytes/s more", "a name, a number and a unit");
    refused("copy", "copy fast bytes/s", "not a number");
    refused("copy", "copy 1e10 s", "not a number in this constant's unit");
    refused("copy", "copy 0 bytes/s", "not possible");
    refused("copy", "copy -1e10 bytes/s", "not possible");
    refused("copy", "copy nan bytes/s", "not possible");
    refused("copy", "copy inf bytes/s", "not possible");
    refused("node.latency", "node.latency 20 s", "not possible");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(comments_and_blanks_are_no_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
