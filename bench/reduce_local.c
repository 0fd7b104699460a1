/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_local.c - tutti-bench reduce_local: MPI_Reduce_local against a plain loop. One rank.
 *
 * Both reduce the same vectors in turn, in batches; nanoseconds a call, medians of the batches. */
#include "loops.h"
#include "stats.h"
#include "subcommands.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 201, LARGEST = 1 << 20, BATCH_BYTES = 1 << 16, MOST_CALLS = 200 };

static void *in, *inout;

static void reduce_sum_double(const void *from, void *to, int count)
{
    PMPI_Reduce_local(from, to, count, MPI_DOUBLE, MPI_SUM);
}

static void reduce_sum_int(const void *from, void *to, int count)
{
    PMPI_Reduce_local(from, to, count, MPI_INT, MPI_SUM);
}

static void reduce_max_double(const void *from, void *to, int count)
{
    PMPI_Reduce_local(from, to, count, MPI_DOUBLE, MPI_MAX);
}

enum { NATIVE, O2, O3, WAYS };

static const struct {
    const char *name;
    int size;
    void (*mpi)(const void *from, void *to, int count);
} cases[] = {
    {"sum of double", sizeof(double), reduce_sum_double},
    {"sum of int", sizeof(int), reduce_sum_int},
    {"max of double", sizeof(double), reduce_max_double},
};

enum { CASES = sizeof cases / sizeof *cases };

typedef void (*const loop)(const void *from, void *to, int count);

static double time_of(loop f, int count, int calls)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < calls; i++)
        f(in, inout, count);
    return 1e9 * (MPI_Wtime() - begin) / calls;
}

static void measure(int c, int bytes)
{
    static double times[WAYS][BATCHES];
    loop ways[CASES][WAYS] = {
        {cases[0].mpi, loops_O2.sum_double, loops_O3.sum_double},
        {cases[1].mpi, loops_O2.sum_int, loops_O3.sum_int},
        {cases[2].mpi, loops_O2.max_double, loops_O3.max_double},
    };
    int calls = BATCH_BYTES / bytes, count = bytes / cases[c].size;
    double t[WAYS];

    calls = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : calls;
    for (int b = -2; b < BATCHES; b++)
        for (int i = 0; i < WAYS; i++) {
            int way = (i + b + WAYS) % WAYS;
            double one = time_of(ways[c][way], count, calls);
            if (b >= 0)
                times[way][b] = one;
        }
    for (int way = 0; way < WAYS; way++)
        t[way] = median(times[way], BATCHES);
    printf("%-14s %8d %12.1f %10.1f %10.1f %8.2f %8.2f\n", cases[c].name, bytes, t[NATIVE], t[O2],
           t[O3], t[O2] / t[NATIVE], t[O3] / t[NATIVE]);
}

int bench_reduce_local(int argc, char **argv)
{
    in = calloc(1, LARGEST);
    inout = calloc(1, LARGEST);
    if (!in || !inout) {
        fputs("tutti-bench reduce_local: out of memory\n", stderr);
        free(inout);
        free(in);
        return 2;
    }
    MPI_Init(&argc, &argv);
    printf("# ns a call, medians of %d batches\n%-14s %8s %12s %10s %10s %8s %8s\n", BATCHES,
           "# operation", "bytes", "Reduce_local", "loop -O2", "loop -O3", "-O2/MPI", "-O3/MPI");
    for (int c = 0; c < CASES; c++)
        for (int bytes = 8; bytes <= LARGEST; bytes *= bytes < LARGEST / 8 ? 8 : 4)
            measure(c, bytes);
    MPI_Finalize();
    free(inout);
    free(in);
    return 0;
}
