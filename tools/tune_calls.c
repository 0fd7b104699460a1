/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_calls.c - blocking calls of the MPI's names, often enough for libtutti_mpi.so to find out
 * who is faster, the MPI or Tutti. See tune_calls.h.
 */
#include "tune_calls.h"

#include "tune_measure.h"

#include <stdlib.h>

enum {
    LEAST = 8,      /* bytes of the vector, or of a block; doubled up to */
    MOST = 1 << 20, /* and to */
    ALL = 1 << 24,  /* bytes of all blocks */
    LOOK = 8,       /* calls, before it is known how long one takes */
    /* as many as the longest trials have (src/api/try_both.c), of calls that the estimate takes to
     * last less than 50 us and of others, and some, such as the one that ends them: */
    SHORT = 192 + 4,
    LONG = 96 + 4
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

/* Seconds of the quickest one. */
static double call_times(const struct collective *c, const buffers *b, int n, int times)
{
    double least = 1, begin;

    for (int i = 0; i < times; i++) {
        begin = MPI_Wtime();
        c->call(b, n);
        least = MPI_Wtime() - begin < least ? MPI_Wtime() - begin : least;
    }
    return least;
}

static void call_often(const struct collective *c, const buffers *b, int n)
{
    const double surely_long = 2e-4;
    int is_long = call_times(c, b, n, LOOK) > surely_long;

    PMPI_Bcast(&is_long, 1, MPI_INT, 0, b->comm); /* not by what is measured */
    call_times(c, b, n, is_long ? LONG : SHORT);
}

static void call_all_lengths(const struct collective *c, const buffers *b, int p)
{
    int most = !c->has_length ? LEAST : c->of_blocks && MOST > ALL / p ? ALL / p : MOST;

    for (int bytes = LEAST; bytes <= most; bytes *= 2)
        call_often(c, b, bytes / (int)sizeof(int));
}

bool tune_calls_possible(void)
{
    return MPI_Allreduce != PMPI_Allreduce;
}

void tune_calls(void (*progress)(void *of, const char *collective), void *of)
{
    buffers b = {.mine = tune_allocate(ALL), .all = tune_allocate(ALL)};
    int p;

    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        progress(of, collectives[i].name);
        MPI_Comm_dup(MPI_COMM_WORLD, &b.comm);
        call_all_lengths(&collectives[i], &b, p);
        MPI_Comm_free(&b.comm);
    }
    free(b.mine);
    free(b.all);
}
