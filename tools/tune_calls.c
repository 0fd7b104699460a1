/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_calls.c - blocking calls of the MPI's names, often enough for libtutti_mpi.so to find out
 * who is faster, the MPI or Tutti. See tune_calls.h.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tune_calls.h"

#include "tune_measure.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 8,      /* bytes of the vector, or of a block; doubled up to */
    MOST = 1 << 20, /* and to */
    ALL = 1 << 24,  /* bytes of all blocks */
    /* what a trial takes (src/api/try_both.c); and eight that a new communicator leaves to the MPI,
     * and some, such as the one that ends the trial */
    CALLS = 96 + 12
};

typedef struct buffers {
    int *mine, *all;
    MPI_Comm comm; /* of one collective: a communicator keeps but so many trials */
} buffers;

static void barrier(const buffers *b, int n)
{
    (void)b, (void)n;
    MPI_Barrier(b->comm);
}

static void bcast(const buffers *b, int n)
{
    MPI_Bcast(b->all, n, MPI_INT, 0, b->comm);
}

static void reduce(const buffers *b, int n)
{
    MPI_Reduce(b->mine, b->all, n, MPI_INT, MPI_SUM, 0, b->comm);
}

static void allreduce(const buffers *b, int n)
{
    MPI_Allreduce(b->mine, b->all, n, MPI_INT, MPI_SUM, b->comm);
}

static void scan(const buffers *b, int n)
{
    MPI_Scan(b->mine, b->all, n, MPI_INT, MPI_SUM, b->comm);
}

static void exscan(const buffers *b, int n)
{
    MPI_Exscan(b->mine, b->all, n, MPI_INT, MPI_SUM, b->comm);
}

static void gather(const buffers *b, int n)
{
    MPI_Gather(b->mine, n, MPI_INT, b->all, n, MPI_INT, 0, b->comm);
}

static void scatter(const buffers *b, int n)
{
    MPI_Scatter(b->all, n, MPI_INT, b->mine, n, MPI_INT, 0, b->comm);
}

static void allgather(const buffers *b, int n)
{
    MPI_Allgather(b->mine, n, MPI_INT, b->all, n, MPI_INT, b->comm);
}

static void alltoall(const buffers *b, int n)
{
    MPI_Alltoall(b->mine, n, MPI_INT, b->all, n, MPI_INT, b->comm);
}

static void reduce_scatter_block(const buffers *b, int n)
{
    MPI_Reduce_scatter_block(b->mine, b->all, n, MPI_INT, MPI_SUM, b->comm);
}

static const struct collective {
    const char *name;
    void (*call)(const buffers *b, int n);
    bool of_blocks, has_length;
} collectives[] = {
    {"barrier", barrier, false, false},
    {"bcast", bcast, false, true},
    {"reduce", reduce, false, true},
    {"allreduce", allreduce, false, true},
    {"scan", scan, false, true},
    {"exscan", exscan, false, true},
    {"gather", gather, true, true},
    {"scatter", scatter, true, true},
    {"allgather", allgather, true, true},
    {"alltoall", alltoall, true, true},
    {"reduce_scatter_block", reduce_scatter_block, true, true},
};

static void call_all_lengths(const struct collective *c, const buffers *b, int p)
{
    int most = !c->has_length ? LEAST : c->of_blocks && MOST > ALL / p ? ALL / p : MOST;

    for (int bytes = LEAST; bytes <= most; bytes *= 2)
        for (int i = 0; i < CALLS; i++)
            c->call(b, bytes / (int)sizeof(int));
}

bool tune_calls_possible(void)
{
    Dl_info where;
    void *first = dlsym(RTLD_DEFAULT, "MPI_Allreduce");

    return first && dladdr(first, &where) && strstr(where.dli_fname, "libtutti_mpi");
}

int tune_calls(tune_calls_done *done, void *of)
{
    buffers b = {.mine = tune_allocate(ALL), .all = tune_allocate(ALL)};
    int p, error = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives && !error; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &b.comm);
        call_all_lengths(&collectives[i], &b, p);
        MPI_Comm_free(&b.comm);
        error = done(of, collectives[i].name);
    }
    free(b.mine);
    free(b.all);
    return error;
}
