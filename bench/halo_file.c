/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_file.c - see halo_file.h. */
#include "halo_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RANKS = 1 << 14, /* values are a square of so many ints: 1 GB */
    MOST_VALUES = 100000 /* from one rank to another: so those of a rank can be counted by an int */
};

static bool refuse(halo_file *f, const char *why)
{
    snprintf(f->error, sizeof f->error, "%.100s:%d: %s", f->name, f->line, why);
    return false;
}

/* The next line that is neither empty nor a comment. False: there is none. */
static bool next_line(halo_file *f)
{
    while (getline(&f->text, &f->room, f->in) > 0) {
        f->line++;
        if (f->text[strspn(f->text, " \t\r\n")] && f->text[0] != '#')
            return true;
    }
    return false;
}

/* An integer from *at on. False: there is none. */
static bool take(char **at, long *value)
{
    char *end;

    errno = 0;
    *value = strtol(*at, &end, 10);
    if (end == *at || errno)
        return false;
    *at = end;
    return true;
}

static bool is_over(const char *at)
{
    return at[strspn(at, " \t\r\n")] == 0;
}

bool halo_file_open(halo_file *f, const char *name)
{
    static const char head[] = "# halo pattern 1: ";
    long ranks;
    char *at;

    *f = (halo_file){.name = name, .in = fopen(name, "r")};
    if (!f->in) {
        snprintf(f->error, sizeof f->error, "%.100s: %s", name, strerror(errno));
        return false;
    }
    f->line = 1;
    if (getline(&f->text, &f->room, f->in) < 0 || strncmp(f->text, head, sizeof head - 1) != 0)
        return refuse(f, "not a halo pattern");
    if (!next_line(f) || strncmp(f->text, "ranks ", 6) != 0)
        return refuse(f, "no number of ranks");
    at = f->text + 6;
    if (!take(&at, &ranks) || !is_over(at) || ranks < 1 || ranks > MOST_RANKS)
        return refuse(f, "a number of ranks that is none, or too large");
    f->ranks = (int)ranks;
    if (!next_line(f) || strncmp(f->text, "level ", 6) != 0)
        return refuse(f, "no level");
    f->ahead = true;
    return true;
}

/* "5 9 -4 1": 9 values of rank 5 go to ranks 1 and 6. */
static bool add_values(halo_file *f, int *values)
{
    char *at = f->text;
    long from, n, step;

    if (!take(&at, &from) || from < 0 || from >= f->ranks)
        return refuse(f, "a rank that is none");
    if (!take(&at, &n) || n < 1 || n > MOST_VALUES)
        return refuse(f, "no number of values, or too many");
    while (!is_over(at)) {
        int *to = &values[from * f->ranks];
        if (!take(&at, &step) || step == 0 || step < -from || step >= f->ranks - from)
            return refuse(f, "sends to itself, or a rank that is none");
        to += from + step;
        if (*to > MOST_VALUES - n)
            return refuse(f, "too many values from one rank to another");
        *to += (int)n;
    }
    return true;
}

int halo_file_next(halo_file *f, long *rows, int *values)
{
    char *at = f->text + strlen("level ");
    long level, entries;

    if (!f->ahead)
        return 0;
    if (!take(&at, &level) || !take(&at, rows) || !take(&at, &entries) || !is_over(at) ||
        level != f->levels) {
        refuse(f, "not the head of the next level");
        return -1;
    }
    f->levels++;
    memset(values, 0, (size_t)f->ranks * (size_t)f->ranks * sizeof *values);
    while ((f->ahead = next_line(f)) && strncmp(f->text, "level ", 6) != 0)
        if (!add_values(f, values))
            return -1;
    return 1;
}

void halo_file_close(halo_file *f)
{
    if (f->in)
        fclose(f->in);
    free(f->text);
}
