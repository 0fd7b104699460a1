/* SPDX-License-Identifier: BSD-3-Clause */
/* settings_text.c - print the table of settings.def for the manual: docs/settings.md, and what
 * docs/man/tutti.7.in has instead of its ENVIRONMENT and INFO KEYS. Not installed.
 *
 *   settings_text markdown | variables | keys
 */
#include "nbc/process/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *shown_name(const setting *s, char text[SETTING_NAME + 16])
{
    int n = (int)strcspn(s->name, "*");

    snprintf(text, SETTING_NAME + 16, "%.*s%s", n, s->name, s->name[n] ? "<COLLECTIVE>" : "");
    return text;
}

/* A paragraph on lines of at most COLUMNS, but for the first one indented by two. */
enum { COLUMNS = 100 };

static void put_paragraph(const char *text)
{
    size_t column = 0;

    while (*text) {
        size_t n = strcspn(text, " ");

        if (column && column + 1 + n > COLUMNS)
            column = (size_t)printf("\n  %.*s", (int)n, text) - 1;
        else
            column += (size_t)printf("%s%.*s", column ? " " : "", (int)n, text);
        text += n;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void put_item(const setting *s)
{
    char name[SETTING_NAME + 16], where[120], text[1024];
    const char *variable = s->variable;

    if (strchr(variable, '*'))
        variable = "TUTTI_ALGORITHM_<COLLECTIVE>";
    setting_print_where(s, where, sizeof where);
    snprintf(text, sizeof text, "- **`%s`**%s%s: `%s`; default: %s%s%s%s. %s", shown_name(s, name),
             s->where & SETTING_VARIABLE ? "" : ", ", s->where & SETTING_VARIABLE ? "" : where,
             s->values, s->usual, *variable ? ", or `" : "", variable, *variable ? "`" : "",
             s->meaning);
    put_paragraph(text);
}

static void put_markdown(void)
{
    printf("<!-- Made from src/nbc/process/settings.def by `./dev doc`. -->\n"
           "# Settings\n\n"
           "Everything that can be set from outside a program's source. `tutti-info --env` prints "
           "it with the\nvalues that are in force. `tutti.h` and `man tutti` say more.\n\n"
           "## Environment variables\n\n"
           "They are read once, when the library starts. An unknown `TUTTI_` variable gives one "
           "warning. A wrong\nvalue is an error of the first call: `MPI_ERR_ARG`.\n\n");
    for (int i = 0; i < setting_count; i++)
        if (setting_table[i].where & SETTING_VARIABLE)
            put_item(&setting_table[i]);
    printf(
        "\n## Info keys\n\n"
        "They are read by the inits of persistent requests (init), by `tutti_comm_set_hints` "
        "(comm_set_hints)\nand by `tutti_progress_thread_start` (progress_thread_start). An init "
        "overrides the communicator,\nand that overrides the environment. A wrong value is "
        "`MPI_ERR_INFO_VALUE`.\n\n");
    for (int i = 0; i < setting_count; i++)
        if (!(setting_table[i].where & SETTING_VARIABLE))
            put_item(&setting_table[i]);
}

/* A minus is one, and a line does not begin with a request. */
static void put_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++)
        if (*text == '-' || *text == '\\')
            printf(*text == '-' ? "\\-" : "\\e");
        else if (*text == '^')
            printf("\\(ha");
        else
            putchar(*text);
}

static void put_entries(bool variables)
{
    char name[SETTING_NAME + 16], where[120];

    for (const setting *s = setting_table; s < setting_table + setting_count; s++) {
        if (((s->where & SETTING_VARIABLE) != 0) != variables)
            continue;
        printf(".TP\n.B ");
        put_roff(shown_name(s, name));
        printf("\n");
        put_roff(s->meaning);
        printf("\n.br\nValues: ");
        put_roff(s->values);
        printf("; default: ");
        put_roff(s->usual);
        if (*s->variable)
            printf(", or that of %s", s->variable);
        printf(".\n");
        setting_print_where(s, where, sizeof where);
        if (!variables)
            printf(".br\nRead by: %s.\n", where);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";

    if (strcmp(what, "markdown") == 0)
        put_markdown();
    else if (strcmp(what, "variables") == 0)
        put_entries(true);
    else if (strcmp(what, "keys") == 0)
        put_entries(false);
    else {
        fprintf(stderr, "usage: settings_text markdown | variables | keys\n");
        return 2;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
