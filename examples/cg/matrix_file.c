/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_file.c - Matrix Market files, and the Poisson problem. */
#include "matrix.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The format has lines of at most 1024 characters; and entries are counted by int in a rank. */
enum { MOST_LINE = 4096, MOST_ENTRIES = INT_MAX / 2 };

typedef struct reader {
    const char *file;
    FILE *f;
    char line[MOST_LINE];
    long number;       /* of the line, from 1 */
    const char *wrong; /* why a line could not be read, or NULL */
    char *error;
} reader;

static int fail(const reader *r, const char *what)
{
    snprintf(r->error, MATRIX_ERROR_SIZE, "%s:%ld: %s", r->file, r->number,
             r->wrong ? r->wrong : what);
    return -1;
}

static bool read_line(reader *r)
{
    r->number++;
    if (!fgets(r->line, sizeof r->line, r->f)) {
        r->number -= r->number > 1; /* the last one there is */
        r->wrong = ferror(r->f) ? strerror(errno) : NULL;
        return false;
    }
    if (!strchr(r->line, '\n') && !feof(r->f))
        r->wrong = "the line is too long, or not text";
    return !r->wrong;
}

/* The next line that is neither blank nor a comment; false at the end of the file. */
static bool next_line(reader *r)
{
    while (read_line(r)) {
        const char *text = r->line + strspn(r->line, " \t\r\n");
        if (*text && *text != '%')
            return true;
    }
    return false;
}

static int read_header(reader *r, bool *symmetric)
{
    char banner[32], object[32], format[32], field[32], symmetry[32];

    if (!read_line(r))
        return fail(r, "empty file");
    if (sscanf(r->line, "%31s %31s %31s %31s %31s", banner, object, format, field, symmetry) != 5 ||
        strcmp(banner, "%%MatrixMarket") != 0)
        return fail(r, "not a Matrix Market file (first line: %%MatrixMarket matrix coordinate "
                       "real symmetric)");
    if (strcasecmp(object, "matrix") != 0 || strcasecmp(format, "coordinate") != 0)
        return fail(r, "must be a matrix in coordinate format");
    if (strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0)
        return fail(r, "values must be real or integer");
    *symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if (!*symmetric && strcasecmp(symmetry, "general") != 0)
        return fail(r, "must be symmetric or general");
    return 0;
}

/* A whole number at *text, which moves after it. */
static bool parse_whole(char **text, long long *result)
{
    char *end;

    errno = 0;
    *result = strtoll(*text, &end, 10);
    if (end == *text || errno || (*end && !isspace((unsigned char)*end)))
        return false;
    *text = end;
    return true;
}

static bool at_end(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static int read_sizes(reader *r, int *n, long long *count)
{
    long long rows, columns;
    char *text;

    if (!next_line(r))
        return fail(r, "the file ends before the line of sizes");
    text = r->line;
    if (!parse_whole(&text, &rows) || !parse_whole(&text, &columns) || !parse_whole(&text, count) ||
        !at_end(text))
        return fail(r, "sizes must be three whole numbers: rows columns entries");
    if (rows != columns)
        return fail(r, "the matrix is not square");
    if (rows < 1 || rows > MOST_ENTRIES || *count < 0 || *count > MOST_ENTRIES)
        return fail(r, "sizes out of range");
    if (*count < rows)
        return fail(r, "fewer entries than rows: not positive definite");
    *n = (int)rows;
    return 0;
}

static int read_entry(reader *r, int n, bool symmetric, entry *e)
{
    long long row, column;
    char *text = r->line, *end;

    if (!parse_whole(&text, &row) || !parse_whole(&text, &column))
        return fail(r, "not two indices and a value");
    if (row < 1 || row > n || column < 1 || column > n)
        return fail(r, "index out of range");
    if (symmetric && column > row)
        return fail(r, "above the diagonal, in a symmetric file");
    e->value = strtod(text, &end);
    if (end == text || !at_end(end) || !isfinite(e->value))
        return fail(r, "not a number");
    e->row = (int)row - 1;
    e->column = (int)column - 1;
    return 0;
}

static int push(entries *e, entry item)
{
    if (e->count == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 1024;
        entry *moved = realloc(e->at, capacity * sizeof *moved);
        if (!moved)
            return -1;
        e->at = moved;
        e->capacity = capacity;
    }
    e->at[e->count++] = item;
    return 0;
}

static int read_entries(reader *r, entries *e, bool symmetric, long long count)
{
    for (long long i = 0; i < count; i++) {
        entry item;
        char what[100];

        if (!next_line(r)) {
            snprintf(what, sizeof what, "the file ends after %lld of %lld entries", i, count);
            return fail(r, what);
        }
        if (read_entry(r, e->n, symmetric, &item) != 0)
            return -1;
        if (push(e, item) != 0)
            return fail(r, "out of memory");
        if (symmetric && item.row != item.column &&
            push(e, (entry){item.column, item.row, item.value}) != 0)
            return fail(r, "out of memory");
    }
    if (next_line(r))
        return fail(r, "more entries than announced");
    return r->wrong ? fail(r, r->wrong) : 0;
}

/* A positive definite matrix has a positive diagonal. There are as many entries as rows: what is
 * allocated here is not larger than what has been read. */
static int check_diagonal(reader *r, const entries *e)
{
    double *diagonal = calloc((size_t)e->n, sizeof *diagonal);
    char what[100];
    int row = 0;

    if (!diagonal)
        return fail(r, "out of memory");
    for (size_t i = 0; i < e->count; i++)
        if (e->at[i].row == e->at[i].column)
            diagonal[e->at[i].row] += e->at[i].value;
    while (row < e->n && diagonal[row] > 0)
        row++;
    free(diagonal);
    if (row == e->n)
        return 0;
    snprintf(what, sizeof what, "row %d has no positive diagonal: not positive definite", row + 1);
    return fail(r, what);
}

int matrix_read(const char *file, entries *e, char error[MATRIX_ERROR_SIZE])
{
    reader r = {.file = file, .f = fopen(file, "r"), .error = error};
    bool symmetric;
    long long count;
    int failed;

    *e = (entries){0};
    if (!r.f) {
        snprintf(error, MATRIX_ERROR_SIZE, "%s: %s", file, strerror(errno));
        return -1;
    }
    failed = read_header(&r, &symmetric);
    if (!failed)
        failed = read_sizes(&r, &e->n, &count);
    if (!failed)
        failed = read_entries(&r, e, symmetric, count);
    if (!failed)
        failed = check_diagonal(&r, e);
    fclose(r.f);
    if (failed)
        free(e->at);
    return failed;
}

int matrix_poisson(int k, entries *e)
{
    const int step[3] = {1, k, k * k};
    int failed = 0;

    *e = (entries){.n = k * k * k};
    for (int row = 0; row < e->n && !failed; row++) {
        failed |= push(e, (entry){row, row, 6});
        for (int d = 0; d < 3; d++) {
            int at = row / step[d] % k;
            if (at > 0)
                failed |= push(e, (entry){row, row - step[d], -1});
            if (at < k - 1)
                failed |= push(e, (entry){row, row + step[d], -1});
        }
    }
    if (failed)
        free(e->at);
    return failed ? -1 : 0;
}
