/* SPDX-License-Identifier: BSD-3-Clause */
/* info_settings.c - see info.h. */
#include "info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { WIDTH = 96, INDENT = 4 };

/* What the library has made of a variable, where it knows better than its text; or NULL. */
static const char *from_library(const char *variable)
{
    const char *name = NULL, *reason;
    size_t verdicts;

    if (strcmp(variable, "TUTTI_PROGRESS") == 0)
        tutti_progress_driver(&name, &reason);
    else if (strcmp(variable, "TUTTI_CONSTANTS") == 0)
        tutti_constants(&name, NULL, 0, NULL);
    else if (strcmp(variable, "TUTTI_WISDOM") == 0)
        tutti_wisdom(&verdicts, &name);
    return name;
}

/* An info key is true or false where its variable is 1 or 0. */
static const char *as_info(const setting *s, const char *value)
{
    if (strcmp(s->values, "true, false") != 0)
        return value;
    return strcmp(value, "0") == 0 ? "false" : "true";
}

const char *info_in_force(const setting *s, const char *name, bool *set)
{
    bool variable = s->where & SETTING_VARIABLE;
    const char *source = variable ? name : s->variable, *value, *known;

    value = *source && !strchr(source, '*') ? getenv(source) : NULL;
    *set = value && *value;
    known = variable ? from_library(source) : NULL;
    if (known)
        return known;
    return !*set ? s->usual : variable ? value : as_info(s, value);
}

/* Lines of at most WIDTH characters, indented. */
static void print_text(const char *text)
{
    int column = 0;

    for (size_t n; *text; text += n + strspn(text + n, " ")) {
        n = strcspn(text, " ");
        if (column && column + 1 + (int)n > WIDTH)
            column = printf("\n") - 1;
        column +=
            column ? printf(" %.*s", (int)n, text) : printf("%*s%.*s", INDENT, "", (int)n, text);
    }
    printf("\n");
}

static void print_value(const setting *s, const char *name)
{
    bool set;
    const char *value = info_in_force(s, name, &set);

    if (strchr(name, '*'))
        printf("%s: %s\n", name, s->usual);
    else if (!set)
        printf("%s: %s (default)\n", name, value);
    else
        printf("%s: %s (%s%s; default: %s)\n", name, value,
               s->where & SETTING_VARIABLE ? "" : "by ",
               s->where & SETTING_VARIABLE ? "set" : s->variable, s->usual);
}

static void print_setting(const setting *s)
{
    char text[120];

    print_value(s, s->name);
    printf("%*svalues: %s\n", INDENT, "", s->values);
    setting_print_where(s, text, sizeof text);
    if (!(s->where & SETTING_VARIABLE))
        printf("%*swhere: %s\n", INDENT, "", text);
    if (*s->variable)
        printf("%*sdefault: that of %s\n", INDENT, "", s->variable);
    print_text(s->meaning);
}

/* For a variable that exists for each collective: print those that are set. */
static void print_set(const setting *s)
{
    char name[SETTING_NAME];
    const setting *row;

    for (int i = 0; (row = setting_variable(i, name)); i++) {
        const char *value = getenv(name);
        if (row == s && strchr(s->name, '*') && value && *value)
            printf("%*s%s: %s (set)\n", INDENT, "", name, value);
    }
}

void info_print_settings(void)
{
    printf("Environment variables, and what is in force:\n\n");
    for (int i = 0; i < setting_count; i++)
        if (setting_table[i].where & SETTING_VARIABLE) {
            print_setting(&setting_table[i]);
            print_set(&setting_table[i]);
        }
    printf("\nInfo keys, and what is in force without them:\n\n");
    for (int i = 0; i < setting_count; i++)
        if (!(setting_table[i].where & SETTING_VARIABLE))
            print_setting(&setting_table[i]);
}
