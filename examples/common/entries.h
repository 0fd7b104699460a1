/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h - a sparse symmetric matrix as a list of entries on one rank, read or made. */
#ifndef EXAMPLES_ENTRIES_H
#define EXAMPLES_ENTRIES_H

#include <stddef.h>

typedef struct entry {
    int row, column; /* from 0 */
    double value;
} entry;

typedef struct entries {
    int n; /* rows and columns */
    size_t count, capacity;
    entry *at; /* free() it */
} entries;

enum { ENTRIES_ERROR_SIZE = 400 };

/* Read a Matrix Market file (coordinate; real, integer or pattern; symmetric or general). A
 * symmetric file's entries are mirrored, a general one must be symmetric, too; each row must have a
 * positive diagonal. A pattern gets values: -1 off the diagonal, and a diagonal that makes the sum
 * of each row 1. On failure returns -1, and error says "FILE:LINE: what is wrong". */
int entries_read(const char *file, entries *e, char error[ENTRIES_ERROR_SIZE]);

/* The Laplacian of 7 or 27 points on a grid of k^3 points. 0, or -1: out of memory. */
int entries_stencil(int k, int points, entries *e);

/* 0, or -1: out of memory. */
int entries_push(entries *e, entry item);

/* Is there an entry whose mirror image has another value? 1: its row and column, below the
 * diagonal; 0: none, the matrix is symmetric; -1: out of memory. Entries of one position are added.
 */
int entries_find_unsymmetric(const entries *e, int *row, int *column);

#endif
