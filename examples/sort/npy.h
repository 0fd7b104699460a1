/* SPDX-License-Identifier: BSD-3-Clause */
/* npy.h - NumPy's file format, read and written by all ranks together (MPI-IO).
 *
 *   \x93NUMPY  version  length  {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }  numbers
 *
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 * The numbers have the machine's byte order: < is little-endian, > big-endian.
 */
#ifndef SORT_NPY_H
#define SORT_NPY_H

#include "keys.h"

#include <stdbool.h>

typedef struct npy {
    kind kind;
    long long offset, count; /* bytes before the numbers, and how many there are */
} npy;

/* All are collective, and give false on all ranks, after a line on stderr, if something is
 * wrong. */

/* What the file's header says; the file has as many numbers. Of any shape and order. */
bool npy_open(const char *path, npy *result);

/* Numbers first .. first + n - 1, for this rank. */
bool npy_read(const char *path, const npy *file, long long first, int n, key *to);

/* A file of `total` numbers, of which this rank writes n from `first` on. */
bool npy_write(const char *path, kind kind, long long total, long long first, int n,
               const key *from);

#endif
