/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - a machine on which a collective is looked at: the whole, or a smaller one of its kind.
 * Pure.
 */
#ifndef TUTTI_PLACE_H
#define TUTTI_PLACE_H

#include "topo/topo.h"
#include "tune/fold.h"

enum { PLACE_SAMPLES = 3, PLACE_PARTS = 3 };

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

/* Each has twice the nodes (or ranks, of one node) of the one before: a power of two where the
 * whole has so many, because algorithms like them. Of p = 0 where they would not be smaller, or
 * without memory: the third one or all. */
void place_make_parts(place part[PLACE_PARTS], const place *whole, bool alike);

/* The first nodes, with so many ranks of each, evenly; of nobody who stands for others. False: no
 * memory. */
bool place_make_smaller(place *part, const place *whole, int nodes, int ranks);

/* The machine of equal nodes that is nearest to one whose nodes are nearly equal (all but one of
 * them are, or none differs by more than one rank) and that is filled node after node, or dealt to
 * nodes one by one: of many ranks on it few stand for all. Without switches. Of p = 0: there is
 * none. */
void place_make_even(place *even, const place *whole);

/* A machine of as many nodes, with fewer ranks of each: about PLACE_FEW ranks in all; filled or
 * dealt in the same order. Of p = 0: there is none, or it would not be smaller. */
enum { PLACE_FEW = 64 };
void place_make_thin(place *thin, const place *whole, bool alike);

/* Nodes, or ranks if there is one node. */
int place_units(const place *m);

/* Nodes; and ranks of the one that has most. */
int place_nodes(const place *m);
int place_most(const place *m);

void place_free(place *m);

#endif
