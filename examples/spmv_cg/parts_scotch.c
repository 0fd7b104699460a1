/* SPDX-License-Identifier: BSD-3-Clause */
/* parts_scotch.c - parts by Scotch: few edges of the graph between parts, about the same number of
 * non-zeros in each.
 *
 * F. Pellegrini, J. Roman, HPCN Europe 1996; https://gitlab.inria.fr/scotch/scotch
 */
#include "parts.h"

#ifdef HAVE_SCOTCH
#include <stdint.h>
#include <stdio.h>
#include <scotch.h>
#include <stdlib.h>

/* The matrix without its diagonal. edges[] has room for all non-zeros; their number. */
static SCOTCH_Num make_edges(const whole *w, SCOTCH_Num *start, SCOTCH_Num *load, SCOTCH_Num *edges)
{
    SCOTCH_Num n = 0;

    for (int row = 0; row < w->n; row++) {
        start[row] = n;
        load[row] = w->a.start[row + 1] - w->a.start[row];
        for (int k = w->a.start[row]; k < w->a.start[row + 1]; k++)
            if (w->a.column[k] != row)
                edges[n++] = w->a.column[k];
    }
    start[w->n] = n;
    return n;
}

/* What Scotch says is wrong stands on stderr. */
static int cut(int n, int p, SCOTCH_Num n_edges, SCOTCH_Num *start, SCOTCH_Num *load,
               SCOTCH_Num *edges, SCOTCH_Num *part)
{
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    int failed;

    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
    failed = SCOTCH_graphBuild(&graph, 0, n, start, start + 1, load, NULL, n_edges, edges, NULL) ||
             SCOTCH_graphPart(&graph, p, &strategy, part);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&graph);
    return failed;
}

const char *parts_scotch(const whole *w, int p, int *part)
{
    size_t n = (size_t)w->n;
    SCOTCH_Num *start = malloc((3 * n + 1) * sizeof *start), *load = start + n + 1, *to = load + n;
    SCOTCH_Num *edges = malloc((size_t)w->a.start[n] * sizeof *edges + 1);
    const char *wrong = "out of memory";

    if (start && edges) {
        SCOTCH_Num n_edges = make_edges(w, start, load, edges);
        wrong = cut(w->n, p, n_edges, start, load, edges, to) ? "Scotch failed" : NULL;
    }
    for (size_t i = 0; i < n && !wrong; i++)
        part[i] = (int)to[i];
    free(start);
    free(edges);
    return wrong;
}
#else
const char *parts_scotch(const whole *w, int p, int *part)
{
    (void)w, (void)p, (void)part;
    return "--parts scotch: built without Scotch (Debian: libscotch-dev)";
}
#endif
