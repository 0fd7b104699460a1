/* SPDX-License-Identifier: BSD-3-Clause */
/* work.c - see work.h. */
#include "work.h"

#include <mpi.h>

#ifdef TUTTI_SIMULATED

void work_calibrate(void)
{
}

void work_for(double seconds)
{
    if (seconds > 0)
        smpi_execute_benched(seconds);
}

#else

static volatile double sink = 1; /* so that the compiler does not know the result */
static double turns_per_second;

static void turn(double n)
{
    double x = sink;

    for (long i = (long)n; i > 0; i--)
        x = x * 0.999999 + 1e-6;
    sink = x;
}

void work_calibrate(void)
{
    double n = 1e6, best = 0;

    for (int i = 0; i < 20; i++) {
        double begin = MPI_Wtime(), rate;
        turn(n);
        rate = n / (MPI_Wtime() - begin);
        best = rate > best ? rate : best;
    }
    MPI_Allreduce(&best, &turns_per_second, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

void work_for(double seconds)
{
    turn(seconds * turns_per_second);
}

#endif
