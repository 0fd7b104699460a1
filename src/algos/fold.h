/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.h - a power of two out of p ranks: of the first ones so many pairs that it is left over if
 * only the odd member of each pair goes on.
 *
 *   p = 6    0 -> 1   2 -> 3   4   5       numbered 0 (1), 1 (3), 2 (4), 3 (5)
 */
#ifndef TUTTI_FOLD_H
#define TUTTI_FOLD_H

#include <stdbool.h>

typedef struct fold {
    int power; /* how many go on */
    int pairs;
} fold;

static inline fold fold_make(int p)
{
    fold f = {.power = 1};

    while (f.power <= p / 2)
        f.power *= 2;
    f.pairs = p - f.power;
    return f;
}

/* Number i of those that go on is which member? */
static inline int fold_member(fold f, int i)
{
    return i < f.pairs ? 2 * i + 1 : i + f.pairs;
}

/* The number of a member that goes on. */
static inline int fold_number(fold f, int member)
{
    return member < 2 * f.pairs ? member / 2 : member - f.pairs;
}

/* Is the member in a pair? */
static inline bool fold_paired(fold f, int member)
{
    return member < 2 * f.pairs;
}

/* And leaves it to the other one to go on? */
static inline bool fold_leaves(fold f, int member)
{
    return fold_paired(f, member) && member % 2 == 0;
}

#endif
