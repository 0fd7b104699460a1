/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern.h - who meets whom: orders in which every rank exchanges with every other.
 *
 *   p = 4         step 0      1      2      3       rank 1 meets (to / from)
 *   ROTATED          1/1    2/0    3/3    0/2       any p
 *   XOR                1      0      3      2       p a power of two
 *   SYMMETRIC          2      0      3      1       any p
 *
 * In every step each rank is sent to by one rank. In XOR and SYMMETRIC that is the one that it
 * sends to, so that two ranks finish with each other in one step. SYMMETRIC is the schedule of a
 * round-robin tournament: p-1 steps for an even p; p for an odd one, because somebody has to pause.
 */
#ifndef TUTTI_PATTERN_H
#define TUTTI_PATTERN_H

#include "algos/group.h"

#include <stdint.h>

typedef enum pattern { PATTERN_ROTATED, PATTERN_XOR, PATTERN_SYMMETRIC } pattern;

typedef struct partners {
    int to, from; /* group indices */
} partners;

/* Among an odd number of players i meets step - i. An even one leaves the last player out of that,
 * who meets the one that would meet itself. */
static inline int pattern_symmetric(int step, int me, int p)
{
    int n = p - (p % 2 == 0);
    int other = wrap(step - me, n);

    if (step >= n)
        return me; /* an even p: all is done */
    if (me == n)
        return (int)((int64_t)step * ((n + 1) / 2) % n);
    return other == me && p > n ? n : other;
}

/* Step 0..p-1 of rank index me; a rank that meets itself has nothing to do. */
static inline partners pattern_at(pattern t, int step, int me, int p)
{
    int other = t == PATTERN_XOR ? me ^ step : pattern_symmetric(step, me, p);

    if (t == PATTERN_ROTATED)
        return (partners){wrap(me + step, p), wrap(me - step, p)};
    return (partners){other, other};
}

#endif
