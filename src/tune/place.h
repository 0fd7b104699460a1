/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - a machine on which a collective is looked at: the whole, or a smaller one of its kind.
 * Pure.
 */
#ifndef TUTTI_PLACE_H
#define TUTTI_PLACE_H

#include "topo/topo.h"
#include "tune/fold.h"

enum { PLACE_SAMPLES = 3 };

typedef struct place {
    int p;                           /* ranks; 0: there is none */
    const topo *t;                   /* NULL: all in one place */
    fold fold;                       /* of n = 0: nobody stands for all */
    int near, sample[PLACE_SAMPLES]; /* ranks of the first node, and some of them: evenly, the last
                                        one among them */
    topo *made;                      /* its own, or NULL */
} place;

/* alike: may some ranks stand for all? */
void place_make(place *m, int p, const topo *t, bool alike);

/* The first nodes, with so many ranks of each, evenly; all that it has of one that has fewer.
 * False: no memory. */
bool place_make_smaller(place *part, const place *whole, int nodes, int ranks, bool alike);

/* Nodes; and ranks of the one that has most. */
int place_nodes(const place *m);
int place_most(const place *m);

void place_free(place *m);

#endif
