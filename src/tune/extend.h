/* SPDX-License-Identifier: BSD-3-Clause */
/* extend.h - from small machines to a large one of the same kind: of three, each of which has twice
 * the nodes of the one before, it follows how steps, bytes and times grow. Pure.
 */
#ifndef TUTTI_EXTEND_H
#define TUTTI_EXTEND_H

#include "tune/closed.h"

/* Steps and bytes of a rank of a machine that is `times` as large as the last one. What they grow
 * by from each doubling to the next is a constant factor: 1 for logarithmic algorithms, 2 for
 * linear ones. */
closed_form extend_form(const closed_form form[3], double times);

/* Do steps grow so regularly that this can be relied on? */
bool extend_is_regular(const closed_form form[3]);

/* Picoseconds. time: of the three, the first -1 where it is not known; whole: what a rank of the
 * large machine has to do. */
int64_t extend_time(const closed_form form[3], const int64_t time[3], const closed_form *whole,
                    double times);

/* What c - a grows to on a machine of `times` the size of that of c. */
int64_t extend_growth(int64_t a, int64_t b, int64_t c, double times);

/* Never so long that its double is no int64_t. */
int64_t extend_rounded(double value);

#endif
