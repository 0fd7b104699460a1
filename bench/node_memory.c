/* SPDX-License-Identifier: BSD-3-Clause */
/* node_memory.c - how much memory do the processes of a node share for their messages? One row of
 * numbers, in KiB for all of the node: after tutti_init, after a barrier (each rank has about log p
 * partners), after an alltoall of 8 bytes and one of 1 KiB (all pairs), after the same on three
 * more communicators, and when these have been freed.
 *
 *     mpiexec -np 128 build/mpich/bench/node_memory
 *
 * Counted by the system: each page once (Pss in /proc/self/smaps), stores included.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { MORE = 3, LONGER = 1024 };

static int rank, size;

/* KiB of this process's part in what is shared. */
static int64_t my_part(void)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    bool ours = false;
    int64_t sum = 0, one;

    while (f && fgets(line, sizeof line, f)) {
        if (line[0] < 'A' || line[0] > 'Z') /* an address: what follows is about this mapping */
            ours = strstr(line, "memfd:tutti") != NULL;
        if (ours && sscanf(line, "Pss: %" SCNd64, &one) == 1)
            sum += one;
    }
    if (f)
        fclose(f);
    return sum;
}

/* While nobody maps anything. */
static void say(const char *after)
{
    int64_t mine, all = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    mine = my_part();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %" PRId64 "%s", after, all, strcmp(after, " freed") == 0 ? "\n" : "");
}

static void complete(MPI_Request *r)
{
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void all_pairs(MPI_Comm c, int bytes)
{
    char *out = calloc((size_t)size, (size_t)bytes), *in = calloc((size_t)size, (size_t)bytes);
    MPI_Request r;

    if (!out || !in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPIX_Ialltoall_linear(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, c, &r);
    complete(&r);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Comm more[MORE];
    MPI_Request r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tutti_init();
    if (rank == 0)
        printf("ranks %d", size);
    say(" init");
    MPIX_Ibarrier_auto(MPI_COMM_WORLD, &r);
    complete(&r);
    say(" barrier");
    all_pairs(MPI_COMM_WORLD, 8);
    say(" pairs");
    all_pairs(MPI_COMM_WORLD, LONGER);
    say(" longer");
    for (int i = 0; i < MORE; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &more[i]);
        all_pairs(more[i], 8);
        all_pairs(more[i], LONGER);
    }
    say(" communicators");
    for (int i = 0; i < MORE; i++)
        MPI_Comm_free(&more[i]);
    MPIX_Ibarrier_auto(MPI_COMM_WORLD, &r);
    complete(&r);
    say(" freed");
    MPI_Finalize();
    return 0;
}
