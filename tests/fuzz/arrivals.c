/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.c - who has come to an operation, in memory that all ranks share: what a barrier is
 * checked by. Without such memory (ranks on several hosts) nothing is checked.
 */
#include "arrivals.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

typedef atomic_uint_least64_t board[MAX_RANKS][MAX_THREADS][MAX_OPS];

static board *came; /* 1 + the seed of the program that has come there */
static int me;

void arrivals_begin(void)
{
    char name[64];
    int p, file, missing = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    snprintf(name, sizeof name, "/dev/shm/tutti-fuzz-%ld", (long)getpid());
    PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    file = open(name, O_RDWR | O_CREAT, 0600);
    void *memory = file < 0 || ftruncate(file, sizeof *came) != 0
                       ? MAP_FAILED
                       : mmap(NULL, sizeof *came, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    came = memory == MAP_FAILED ? NULL : memory;
    if (came)
        atomic_store(&(*came)[me][0][0], UINT64_MAX);
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < p; r++)
        missing |= !came || atomic_load(&(*came)[r][0][0]) != UINT64_MAX;
    PMPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (me == 0)
        unlink(name);
    if (missing)
        came = NULL;
}

void arrivals_come(const fuzz *f, const op *o)
{
    if (came)
        atomic_store(&(*came)[me][f->thread][o->index], 1 + f->seed);
}

int arrivals_members(MPI_Comm comm, int members[])
{
    int p, ranks[MAX_RANKS];
    MPI_Group mine, all;

    MPI_Comm_size(comm, &p);
    MPI_Comm_group(comm, &mine);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int r = 0; r < p; r++)
        ranks[r] = r;
    MPI_Group_translate_ranks(mine, p, ranks, all, members);
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    return p;
}

void arrivals_check(fuzz *f, const op *o, int n, const int members[])
{
    for (int i = 0; came && i < n; i++)
        if (atomic_load(&(*came)[members[i]][f->thread][o->index]) != 1 + f->seed)
            fail(f, o, "is over before rank %d has come", i);
}
