/* SPDX-License-Identifier: BSD-3-Clause */
/* pgm.c - read and write portable graymaps. */
#include "pgm.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static int fail(const char *path, char error[PGM_ERROR_SIZE],
                                                      const char *format, ...)
{
    va_list args;
    int n = snprintf(error, PGM_ERROR_SIZE, "%.150s: ", path);

    va_start(args, format);
    vsnprintf(error + n, (size_t)(PGM_ERROR_SIZE - n), format, args);
    va_end(args);
    return 1;
}

/* The next number of the text, comments skipped; -1: there is none, or it is too large. */
static long next_number(FILE *file)
{
    long n = 0;
    int c = getc(file);

    while (isspace(c) || c == '#') {
        while (c == '#' && (c = getc(file)) != '\n' && c != EOF)
            c = '#';
        c = getc(file);
    }
    if (!isdigit(c))
        return -1;
    for (; isdigit(c); c = getc(file)) {
        n = n * 10 + (c - '0');
        if (n > PGM_MOST)
            return -1;
    }
    if (c != EOF && !isspace(c) && c != '#')
        return -1;
    ungetc(c, file);
    return n;
}

static int read_head(FILE *file, const char *path, pgm *p, bool *raw, char *error)
{
    int p_or_not = getc(file), kind = getc(file);
    long columns, rows, maximum;

    if (p_or_not != 'P' || (kind != '2' && kind != '5'))
        return fail(path, error, "not a portable graymap (P2 or P5)");
    columns = next_number(file);
    rows = next_number(file);
    maximum = next_number(file);
    if (columns < 1 || rows < 1)
        return fail(path, error, "width and height must be numbers from 1 on");
    if (columns > PGM_MOST / rows)
        return fail(path, error, "%ld x %ld values are too many", rows, columns);
    if (maximum < 1 || maximum > 65535)
        return fail(path, error, "the largest value must be a number from 1 to 65535");
    *raw = kind == '5';
    if (*raw)
        getc(file); /* one white space ends the head */
    p->columns = (int)columns;
    p->rows = (int)rows;
    p->maximum = (int)maximum;
    return 0;
}

/* -1: the file ends, or something else is there. */
static long next_value(FILE *file, bool raw, bool wide)
{
    int high = 0, low;

    if (!raw)
        return next_number(file);
    if (wide)
        high = getc(file);
    low = getc(file);
    return high == EOF || low == EOF ? -1 : high * 256 + low;
}

static int read_values(FILE *file, const char *path, pgm *p, bool raw, char *error)
{
    long n = (long)p->rows * p->columns;

    p->at = malloc((size_t)n * sizeof *p->at);
    if (!p->at)
        return fail(path, error, "out of memory");
    for (long i = 0; i < n; i++) {
        long value = next_value(file, raw, p->maximum > 255);
        if (value < 0)
            return fail(path, error, "%s after %ld of %ld values",
                        feof(file) ? "the file ends" : "not a number", i, n);
        if (value > p->maximum)
            return fail(path, error, "value %ld is above the maximum %d", value, p->maximum);
        p->at[i] = (uint16_t)value;
    }
    return 0;
}

int pgm_read(const char *path, pgm *picture, char error[PGM_ERROR_SIZE])
{
    FILE *file = fopen(path, "rb");
    bool raw = false;
    int failed;

    if (!file)
        return fail(path, error, "%s", strerror(errno));
    *picture = (pgm){0};
    failed = read_head(file, path, picture, &raw, error);
    if (!failed)
        failed = read_values(file, path, picture, raw, error);
    if (failed) {
        free(picture->at);
        picture->at = NULL;
    }
    fclose(file);
    return failed;
}

int pgm_write(const char *path, const pgm *picture, char error[PGM_ERROR_SIZE])
{
    FILE *file = fopen(path, "wb");
    long n = (long)picture->rows * picture->columns;
    int failed;

    if (!file)
        return fail(path, error, "%s", strerror(errno));
    fprintf(file, "P5\n%d %d\n%d\n", picture->columns, picture->rows, picture->maximum);
    for (long i = 0; i < n; i++) {
        if (picture->maximum > 255)
            putc(picture->at[i] >> 8, file);
        putc(picture->at[i] & 255, file);
    }
    failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return fail(path, error, "cannot be written");
    return 0;
}
