/* SPDX-License-Identifier: BSD-3-Clause */
/* cover.h - few cases instead of all: any two values of any two dimensions meet in one of them. */
#ifndef TUTTI_TEST_COVER_H
#define TUTTI_TEST_COVER_H

enum { COVER_DIMENSIONS = 8, COVER_MOST = 500 };

/* Values 0 to sizes[d] - 1 of each dimension d. Writes the cases, and returns how many they are:
 * the same ones for the same arguments. */
int cover_pairs(int dimensions, const int sizes[], unsigned seed, int cases[][COVER_DIMENSIONS]);

#endif
