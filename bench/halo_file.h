/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_file.h - read a halo pattern: the file format of bench/sim/patterns.py, not compressed. */
#ifndef BENCH_HALO_FILE_H
#define BENCH_HALO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct halo_file {
    FILE *in;
    const char *name;
    char *text; /* the last line that was read, for getline */
    size_t room;
    int line; /* its number, from 1 */
    int ranks;
    int levels; /* that were read */
    bool ahead; /* text is the head of the next one */
    char error[200];
} halo_file;

/* False: error says why, with name and line. In both cases the caller calls halo_file_close. */
bool halo_file_open(halo_file *f, const char *name);

/* The next level: rows of the matrix, and values[a * ranks + b] that rank a sends to rank b.
 * 1: there was one; 0: no more; -1: error says why. */
int halo_file_next(halo_file *f, long *rows, int *values);

void halo_file_close(halo_file *f);

#endif
