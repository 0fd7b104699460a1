/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - see compare.h. */
#include "common/compare.h"

#include <stdio.h>
#include <string.h>

static bool way_chosen(const way *w, const options *o)
{
    return (strcmp(o->method, "all") == 0 || strcmp(o->method, w->method) == 0) &&
           (o->pipelined || !w->pipelined);
}

bool method_known(const way ways[], int n, const options *o)
{
    bool known = false;

    for (int i = 0; i < n; i++)
        known |= way_chosen(&ways[i], o) && ways[i].pipelined == o->pipelined;
    return known;
}

/* One iteration of each solver in turn, beginning with another one each time. */
static void run(solver s[], int n)
{
    bool busy = true;

    for (int round = 0; busy; round++) {
        busy = false;
        for (int i = 0; i < n; i++) {
            solver *one = &s[(i + round) % n];
            if (solver_done(one))
                continue;
            busy = true;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            solver_iterate(one);
            one->times[one->iterations++] = MPI_Wtime() - begin;
        }
    }
}

static void explain(const options *o, int rank, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    if (rank == 0)
        fprintf(stderr, "%s: --algorithm %s: %s\n", o->command->name, o->algorithm, text);
}

int compare_ways(const problem *p, const way ways[], int n, const options *o,
                 int (*judge)(solver s[], int n))
{
    solver s[MOST_WAYS];
    int opened = 0, error = MPI_SUCCESS, failed = 1;

    for (int i = 0; i < n && !error; i++)
        if (way_chosen(&ways[i], o))
            error = solver_open(&s[opened++], p, &ways[i], o);
    if (error) {
        explain(o, p->rank, error);
    } else {
        run(s, opened);
        failed = judge(s, opened);
    }
    for (int i = 0; i < opened; i++)
        solver_close(&s[i]);
    return failed;
}
