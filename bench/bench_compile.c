/* bench_compile.c - how long the compilation of a schedule takes, and what it occupies. No MPI.
 *
 * Median over repetitions, for the middle rank, counts normalized to one element a block (as the
 * library does for allgather) and as elements (as for allgatherv).
 */
#include "median.h"

#include "algos/algo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 101 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const algo *a, coll_form form, int p, int64_t *v)
{
    coll c = {.kind = COLL_ALLGATHER, .p = p, .rank = p / 2, .sendcount = 1, .count = 1};
    double times[2][REPETITIONS], result[2];
    sched *s = NULL;

    if (a->inapplicable && a->inapplicable(&c))
        return;
    for (int vector = 0; vector < 2; vector++) {
        c.kind = vector ? COLL_ALLGATHERV : COLL_ALLGATHER;
        c.sendcount = vector ? 1000 : 1;
        c.counts = v;
        c.displs = v + p;
        for (int i = 0; i < REPETITIONS; i++) {
            double begin = now();
            if (algo_compile(a, form, &c, &s) != SCHED_OK)
                exit(1);
            times[vector][i] = now() - begin;
            if (i < REPETITIONS - 1)
                sched_free(s);
        }
        result[vector] = median(times[vector], REPETITIONS);
        if (!vector)
            printf("%-20s %-6s %6d %8d %9zu %11.1f", a->name,
                   !a->has_forms       ? ""
                   : form == FORM_STEP ? "step"
                                       : "block",
                   p, s->nsteps, sched_memory(s), 1e6 * result[0]);
        sched_free(s);
    }
    printf(" %11.1f\n", 1e6 * result[1]);
}

int main(void)
{
    static const int sizes[] = {64, 1000, 4096};
    int64_t *v = malloc(2 * 4096 * sizeof *v);

    printf("# median of %d compilations, us\n%-20s %-6s %6s %8s %9s %11s %11s\n", REPETITIONS,
           "# algorithm", "form", "ranks", "steps", "bytes", "allgather", "allgatherv");
    for (int i = 0; i < algo_count; i++)
        for (int form = 0; form <= (algo_table[i]->has_forms ? FORM_BLOCK : FORM_STEP); form++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                for (int r = 0; r < sizes[k]; r++) {
                    v[r] = 1000;
                    v[sizes[k] + r] = 1003 * r;
                }
                measure(algo_table[i], (coll_form)form, sizes[k], v);
            }
    free(v);
    return 0;
}
