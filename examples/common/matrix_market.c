/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_market.c - read Matrix Market files; see entries.h. */
#include "common/entries.h"

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
    bool symmetric, pattern; /* as the header says */
    char line[MOST_LINE];
    long number;       /* of the line, from 1 */
    const char *wrong; /* why a line could not be read, or NULL */
    char *error;
} reader;

static int fail(const reader *r, const char *what)
{
    snprintf(r->error, ENTRIES_ERROR_SIZE, "%s:%ld: %s", r->file, r->number,
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

static int read_header(reader *r)
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
    r->pattern = strcasecmp(field, "pattern") == 0;
    if (!r->pattern && strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0)
        return fail(r, "values must be real, integer or pattern");
    r->symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if (!r->symmetric && strcasecmp(symmetry, "general") != 0)
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
    if (!r->pattern && *count < rows)
        return fail(r, "fewer entries than rows: not positive definite");
    if (r->pattern && 2 * *count < rows)
        return fail(r, "a pattern with empty rows");
    *n = (int)rows;
    return 0;
}

static int read_entry(reader *r, int n, entry *e)
{
    long long row, column;
    char *text = r->line, *end;

    if (!parse_whole(&text, &row) || !parse_whole(&text, &column))
        return fail(r, r->pattern ? "not two indices" : "not two indices and a value");
    if (row < 1 || row > n || column < 1 || column > n)
        return fail(r, "index out of range");
    if (r->symmetric && column > row)
        return fail(r, "above the diagonal, in a symmetric file");
    *e = (entry){(int)row - 1, (int)column - 1, -1};
    if (r->pattern)
        return at_end(text) ? 0 : fail(r, "a value, in a pattern");
    e->value = strtod(text, &end);
    if (end == text || !at_end(end) || !isfinite(e->value))
        return fail(r, "not a number");
    return 0;
}

static int read_entries(reader *r, entries *e, long long count)
{
    for (long long i = 0; i < count; i++) {
        entry item;
        char what[100];

        if (!next_line(r)) {
            snprintf(what, sizeof what, "the file ends after %lld of %lld entries", i, count);
            return fail(r, what);
        }
        if (read_entry(r, e->n, &item) != 0)
            return -1;
        if (entries_push(e, item) != 0)
            return fail(r, "out of memory");
        if (r->symmetric && item.row != item.column &&
            entries_push(e, (entry){item.column, item.row, item.value}) != 0)
            return fail(r, "out of memory");
    }
    if (next_line(r))
        return fail(r, "more entries than announced");
    return r->wrong ? fail(r, r->wrong) : 0;
}

/* What a pattern has on its diagonal does not count: it is made from the rest of the row. There
 * are at least half as many entries as rows: not much more is allocated than was read. */
static int make_diagonal(reader *r, entries *e)
{
    double *diagonal = malloc((size_t)e->n * sizeof *diagonal);
    int failed = !diagonal;

    for (int row = 0; row < e->n && !failed; row++)
        diagonal[row] = 1;
    for (size_t i = 0; i < e->count && !failed; i++) {
        if (e->at[i].row == e->at[i].column)
            e->at[i].value = 0;
        diagonal[e->at[i].row] -= e->at[i].value;
    }
    for (int row = 0; row < e->n && !failed; row++)
        failed = entries_push(e, (entry){row, row, diagonal[row]});
    free(diagonal);
    return failed ? fail(r, "out of memory") : 0;
}

/* A positive definite matrix has a positive diagonal. */
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

static int check_symmetry(reader *r, const entries *e)
{
    int row, column, found = r->symmetric ? 0 : entries_find_unsymmetric(e, &row, &column);
    char what[100];

    if (found <= 0)
        return found < 0 ? fail(r, "out of memory") : 0;
    snprintf(what, sizeof what, "row %d, column %d differs from its mirror image: not symmetric",
             row + 1, column + 1);
    return fail(r, what);
}

static int read_matrix(reader *r, entries *e)
{
    long long count;

    if (read_header(r) != 0 || read_sizes(r, &e->n, &count) != 0 || read_entries(r, e, count) != 0)
        return -1;
    if (r->pattern && make_diagonal(r, e) != 0)
        return -1;
    return check_diagonal(r, e) != 0 ? -1 : check_symmetry(r, e);
}

int entries_read(const char *file, entries *e, char error[ENTRIES_ERROR_SIZE])
{
    reader r = {.file = file, .f = fopen(file, "r"), .error = error};
    int failed;

    *e = (entries){0};
    if (!r.f) {
        snprintf(error, ENTRIES_ERROR_SIZE, "%s: %s", file, strerror(errno));
        return -1;
    }
    failed = read_matrix(&r, e);
    fclose(r.f);
    if (failed)
        free(e->at);
    return failed;
}
