/* SPDX-License-Identifier: BSD-3-Clause */
/* sketch.h - how long a collective takes on a large machine on which no rank stands for another
 * (it has a root, or each rank sums up what those before it have), by its executions on smaller
 * ones: with fewer nodes, and with fewer ranks on each. Pure.
 *
 *   ranks of a node  4r |  4
 *                    2r |  2    5
 *                     r |  0    1    3
 *                       +------------
 *                          n   2n   4n  nodes
 *
 * From how times grow along each axis it follows how long it takes on all nodes, and with all ranks
 * of a node; from (2n, 2r) how much more it is if both grow. n and r are 3, or 4 where all are a
 * power of two: 150 to 270 ranks in all, of however large a machine.
 */
#ifndef TUTTI_SKETCH_H
#define TUTTI_SKETCH_H

#include "tune/estimate.h"
#include "tune/place.h"

enum { SKETCH_NODES, SKETCH_RANKS, SKETCH_AXES, SKETCH_MOST = 6, SKETCH_FIRST = 3 };

typedef struct sketch {
    place at[SKETCH_MOST];     /* the number in the picture; of p = 0: that axis does not grow */
    double times[SKETCH_AXES]; /* the whole is as many times as large as the last one; 0: it has no
                                  more than the first one */
} sketch;

/* False: the whole is not larger than they, or there is no memory. */
bool sketch_make(sketch *s, const place *whole);
void sketch_free(sketch *s);

/* Picoseconds. on: what it takes on each machine. */
int64_t sketch_time(const sketch *s, const estimate on[SKETCH_MOST]);

/* At first sight, by the first three: mostly too short. */
int64_t sketch_least(const sketch *s, const estimate on[SKETCH_FIRST]);

#endif
