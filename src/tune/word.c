/* SPDX-License-Identifier: BSD-3-Clause */
/* word.c - see word.h. */
#include "tune/word.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

/* Edit distance of two short words. */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1], n = (int)strlen(b);

    if (n > LONGEST)
        return LONGEST;
    for (int k = 0; k <= n; k++)
        row[k] = k;
    for (; *a; a++) {
        int corner = row[0]++;
        for (int k = 1; k <= n; k++) {
            int least = corner + (*a != b[k - 1]);
            if (row[k] + 1 < least)
                least = row[k] + 1;
            if (row[k - 1] + 1 < least)
                least = row[k - 1] + 1;
            corner = row[k];
            row[k] = least;
        }
    }
    return row[n];
}

void word_try(word_guess *g, const char *known)
{
    int d = distance(g->wrong, known);

    if (*g->nearest && d >= g->distance)
        return;
    g->distance = d;
    snprintf(g->nearest, sizeof g->nearest, "%s", known);
}

const char *word_meant(const word_guess *g)
{
    return 2 * (size_t)g->distance <= strlen(g->nearest) ? g->nearest : "";
}
