/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c - see fold.h. */
#include "tune/fold.h"

#include "tune/memory.h"

#include <stdlib.h>

/* Are all ranks of one node the same? */
static bool is_plain(const topo *t)
{
    return !t || t->nlevels == 0;
}

/* Places are numbered in the order of the ranks. Returns how many there are. */
static int number_places(fold *f, const topo *t, int p)
{
    int *seen = tune_allocated(calloc((size_t)t->nodes, sizeof *seen)), most = 0,
        largest = t->nodes - 1;

    if (!seen)
        return 0;
    for (int r = 0; r < p; r++) {
        f->of[r] = seen[t->node[r]]++;
        if (seen[t->node[r]] > most)
            most = seen[t->node[r]];
    }
    while (seen[largest] < most)
        largest--;
    for (int r = 0; r < p; r++)
        if (t->node[r] == largest)
            f->who[f->of[r]] = r;
    free(seen);
    return most;
}

static bool fold_all(fold *f, int p)
{
    for (int r = 0; r < p; r++)
        f->of[r] = 0;
    f->who[0] = p - 1;
    f->n = 1;
    f->represents = p;
    return p > 1;
}

bool fold_make(fold *f, const topo *t, int p)
{
    *f = (fold){.represents = 1, .node = t ? t->node : NULL};
    f->who = tune_allocated(malloc(2 * (size_t)p * sizeof *f->who));
    f->of = f->who ? f->who + p : NULL;
    if (f->who && (is_plain(t) ? fold_all(f, p)
                               : t->nodes > 1 && (f->n = number_places(f, t, p)) && f->n < p))
        return true;
    fold_free(f);
    return false;
}

void fold_free(fold *f)
{
    free(f->who);
    *f = (fold){0};
}
