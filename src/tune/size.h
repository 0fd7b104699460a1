/* SPDX-License-Identifier: BSD-3-Clause */
/* size.h - classes of sizes: quarters of octaves. Pure.
 *
 *   bytes    0  1  2  3  4  5  6  7  8-9  10-11  12-13  14-15  16-19 ...
 *   class    0  1  2  3  4  5  6  7  8    9      10     11     12
 *
 * Every power of two is the least of a class.
 */
#ifndef TUTTI_SIZE_H
#define TUTTI_SIZE_H

#include <stdint.h>

enum { SIZE_CLASSES = 4 * 62 };

/* Nothing is estimated of more bytes in all: times have to stay below 2^63 picoseconds (106 days)
 * with constants of 1 MB/s. */
#define SIZE_MOST ((int64_t)1 << 40)

int size_class(int64_t bytes);

/* The least bytes of a class. */
int64_t size_least(int class);

#endif
