/* SPDX-License-Identifier: BSD-3-Clause */
/* butterfly.h - reduce-scatter and allgather among 2^q members that swap halves in q rounds.
 *
 *   4 members            round 0                   round 1
 *   reduce-scatter   keep 2 items, send 2     keep 1, send 1        -> item `at`, reduced
 *   allgather        swap the 2 items of      swap one item         <- backwards
 *                    each side
 *
 * In round k a member keeps those 2^(q-1-k) items whose numbers share the first k + 1 bits with
 * `at`, and sends the others that it has to member with[k], which keeps just those. Which members
 * meet is the pattern's affair: distances p/2, p/4, ... (recursive halving), or those of bine.h.
 *
 * Each half costs q alpha + (p-1)/p n beta, where n is what all items are together.
 */
#ifndef TUTTI_BUTTERFLY_H
#define TUTTI_BUTTERFLY_H

#include "algos/blockmap.h"
#include "algos/fold.h"
#include "algos/group.h"

enum { BUTTERFLY_ROUNDS = 32 };

typedef struct butterfly {
    int rounds;
    int at;                     /* the number of the item that I end with */
    int with[BUTTERFLY_ROUNDS]; /* members of the group */
} butterfly;

/* Recursive halving among those that go on: at distances p/2, p/4, ... in their numbers. */
butterfly butterfly_halving(fold f, int member);

/* A vector that is being reduced. It is in the send buffer until something has come, which is then
 * received where it belongs: no copy. Later it comes to scratch, to two vectors in turn. */
typedef struct accumulator {
    const blockmap *items;
    sched_builder *s;
    bool received; /* something has come: it is where it belongs */
    int used;      /* times that something came to scratch */
    blockrow spare[2];
} accumulator;

accumulator accumulator_make(const blockmap *items, sched_builder *s);

/* The n items first, ... come from this rank, and are combined. From then on only they count. */
void accumulate(accumulator *a, int first, int n, int from);

/* Item f->at of all members is combined where it belongs; nothing else is left. The operation must
 * commute. */
void butterfly_reduce_scatter(const butterfly *f, const group *g, accumulator *a);

/* Item `at` of each member is where it belongs (or `mine`); now all of them are. */
void butterfly_allgather(const butterfly *f, const group *g, const blockmap *items,
                         sched_builder *s);

/* Both. What comes of a single member is copied. */
void butterfly_allreduce(const butterfly *f, const group *g, accumulator *a);

#endif
