/* SPDX-License-Identifier: BSD-3-Clause */
/* wrappers.c - tutti-bench calls: what libtutti_mpi.so adds to a call on requests that are not
 * ours.
 *
 * Run with LD_PRELOAD=libtutti_mpi.so, so that MPI_Test is the wrapper; the MPI's own is found in
 * its library. Both are called in turn, in batches; the median of the batches' times per call is
 * shown, in nanoseconds. A persistent collective of ours exists all the while, as it would.
 */
#define _GNU_SOURCE /* dladdr */
#include "stats.h"
#include "subcommands.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined TUTTI_HAVE_MPI4_PERSISTENT
#define ALLGATHER_INIT MPI_Allgather_init
#elif defined TUTTI_HAVE_MPIX_PERSISTENT
#include <mpi-ext.h>
#define ALLGATHER_INIT MPIX_Allgather_init
#endif

enum { BATCHES = 201, CALLS = 20000, MANY = 64 };

static MPI_Request one, many[MANY];
static MPI_Status statuses[MANY];

/* The MPI's own functions. */
static struct {
    __typeof__(PMPI_Test) *Test;
    __typeof__(PMPI_Wait) *Wait;
    __typeof__(PMPI_Request_get_status) *Request_get_status;
    __typeof__(PMPI_Waitall) *Waitall;
    __typeof__(PMPI_Testany) *Testany;
} own;

static void find(void *library, const char *name, void *function)
{
    void *found = library ? dlsym(library, name) : NULL;

    memcpy(function, &found, sizeof found);
}

/* In the library that has what libtutti_mpi.so does not have. False: that is not preloaded. */
static bool find_own(void)
{
    union {
        int (*function)(MPI_Comm, int *);
        void *object;
    } unwrapped = {.function = PMPI_Comm_rank};
    Dl_info info;
    void *mpi = dladdr(unwrapped.object, &info) ? dlopen(info.dli_fname, RTLD_LAZY) : NULL;

    find(mpi, "PMPI_Test", &own.Test);
    find(mpi, "PMPI_Wait", &own.Wait);
    find(mpi, "PMPI_Request_get_status", &own.Request_get_status);
    find(mpi, "PMPI_Waitall", &own.Waitall);
    find(mpi, "PMPI_Testany", &own.Testany);
    return own.Test && own.Wait && own.Request_get_status && own.Waitall && own.Testany &&
           own.Test != MPI_Test;
}

#define CASE(name, call)                                                                           \
    static void wrapped_##name(void)                                                               \
    {                                                                                              \
        int flag, index;                                                                           \
        (void)flag, (void)index;                                                                   \
        MPI_##call;                                                                                \
    }                                                                                              \
    static void direct_##name(void)                                                                \
    {                                                                                              \
        int flag, index;                                                                           \
        (void)flag, (void)index;                                                                   \
        own.call;                                                                                  \
    }

CASE(test, Test(&one, &flag, MPI_STATUS_IGNORE))
CASE(wait, Wait(&one, MPI_STATUS_IGNORE))
CASE(get_status, Request_get_status(one, &flag, MPI_STATUS_IGNORE))
CASE(waitall_4, Waitall(4, many, statuses))
CASE(testany_4, Testany(4, many, &index, &flag, MPI_STATUS_IGNORE))
CASE(waitall_64, Waitall(MANY, many, statuses))

static const struct {
    const char *name;
    void (*wrapped)(void), (*direct)(void);
} cases[] = {
#define ROW(name, text)                                                                            \
    {                                                                                              \
        text, wrapped_##name, direct_##name                                                        \
    }
    ROW(test, "MPI_Test, inactive"),           ROW(wait, "MPI_Wait, inactive"),
    ROW(get_status, "MPI_Request_get_status"), ROW(waitall_4, "MPI_Waitall, 4 inactive"),
    ROW(testany_4, "MPI_Testany, 4 inactive"), ROW(waitall_64, "MPI_Waitall, 64 inactive"),
};

static double time_of(void (*call)(void))
{
    double begin = MPI_Wtime();

    for (int i = 0; i < CALLS; i++)
        call();
    return (MPI_Wtime() - begin) / CALLS * 1e9;
}

/* Null: the MPI has no name for it. */
static MPI_Request make_ours(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
#ifdef ALLGATHER_INIT
    static int x, all[1];

    ALLGATHER_INIT(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_SELF, MPI_INFO_NULL, &r);
#endif
    return r;
}

int bench_calls(int argc, char **argv)
{
    static double direct[BATCHES], wrapped[BATCHES], difference[BATCHES];
    int x = 0, rank;
    MPI_Request ours;

    if (!find_own()) {
        fprintf(stderr, "tutti-bench %s: run it under LD_PRELOAD=libtutti_mpi.so\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    ours = make_ours();
    MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &one);
    for (int i = 0; i < MANY; i++)
        MPI_Recv_init(&x, 1, MPI_INT, 0, i, MPI_COMM_SELF, &many[i]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("# ns per call, medians of %d batches of %d calls\n%-26s %8s %8s %8s\n", BATCHES,
               CALLS, "call", "direct", "wrapped", "added");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int b = 0; b < BATCHES; b++) {
            direct[b] = time_of(cases[c].direct);
            wrapped[b] = time_of(cases[c].wrapped);
            difference[b] = wrapped[b] - direct[b];
        }
        if (rank == 0)
            printf("%-26s %8.1f %8.1f %8.1f\n", cases[c].name, median(direct, BATCHES),
                   median(wrapped, BATCHES), median(difference, BATCHES));
    }
    if (ours != MPI_REQUEST_NULL)
        MPI_Request_free(&ours);
    MPI_Request_free(&one);
    for (int i = 0; i < MANY; i++)
        MPI_Request_free(&many[i]);
    MPI_Finalize();
    return 0;
}
