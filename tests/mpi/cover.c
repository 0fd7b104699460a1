/* SPDX-License-Identifier: BSD-3-Clause */
/* cover.c - see cover.h.
 *
 * Greedy: a case begins with a pair that no case has yet; each other dimension takes the value that
 * adds most new pairs.
 */
#include "mpi/cover.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { VALUES = 96 }; /* of all dimensions together */

typedef struct cover {
    int n, first[COVER_DIMENSIONS]; /* number of the first value of a dimension */
    const int *sizes;
    unsigned seed;
    bool met[VALUES][VALUES];
} cover;

static bool *pair(cover *c, int d, int x, int e, int y)
{
    return &c->met[c->first[d] + x][c->first[e] + y];
}

/* New pairs of value x of d with the values that are chosen. */
static int gain(cover *c, const int *chosen, int d, int x)
{
    int sum = 0;

    for (int e = 0; e < c->n; e++)
        sum += e != d && chosen[e] >= 0 && !*pair(c, d, x, e, chosen[e]);
    return sum;
}

static int best_value(cover *c, const int *chosen, int d)
{
    int best = -1, most = -1;

    c->seed = c->seed * 1103515245u + 12345u;
    for (int i = 0; i < c->sizes[d]; i++) {
        int x = (int)((c->seed >> 16) + (unsigned)i) % c->sizes[d], sum = gain(c, chosen, d, x);
        if (sum > most) {
            best = x;
            most = sum;
        }
    }
    return best;
}

static bool first_unmet(cover *c, int *chosen)
{
    for (int d = 0; d < c->n; d++)
        for (int e = d + 1; e < c->n; e++)
            for (int x = 0; x < c->sizes[d]; x++)
                for (int y = 0; y < c->sizes[e]; y++)
                    if (!*pair(c, d, x, e, y)) {
                        chosen[d] = x;
                        chosen[e] = y;
                        return true;
                    }
    return false;
}

static void note_pairs(cover *c, const int *chosen)
{
    for (int d = 0; d < c->n; d++)
        for (int e = 0; e < c->n; e++)
            *pair(c, d, chosen[d], e, chosen[e]) = true;
}

int cover_pairs(int dimensions, const int sizes[], unsigned seed, int cases[][COVER_DIMENSIONS])
{
    cover c = {.n = dimensions, .sizes = sizes, .seed = seed};
    int count = 0, values = 0;

    for (int d = 0; d < dimensions; d++) {
        c.first[d] = values;
        values += sizes[d];
    }
    assert(values <= VALUES);
    for (; count < COVER_MOST; count++) {
        int *chosen = cases[count];
        memset(chosen, -1, COVER_DIMENSIONS * sizeof *chosen);
        if (!first_unmet(&c, chosen))
            break;
        for (int d = 0; d < dimensions; d++)
            if (chosen[d] < 0)
                chosen[d] = best_value(&c, chosen, d);
        note_pairs(&c, chosen);
    }
    return count;
}
