/* SPDX-License-Identifier: BSD-3-Clause */
/* back_to_back.c - a plain MPI program: eight collectives of 8 B to 1 MiB, each called again and
 * again. bench/back_to_back runs it without and with libtutti_mpi.so.
 *
 * back_to_back blocking|nonblocking: a line for each collective and size:
 *   NAME BYTES MICROSECONDS    of a call: median of the batches, of each that of the slowest rank
 *
 * Bytes are those of the vector, or of each rank's block. Roots go round. A non-blocking call is
 * waited for at once.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, BATCHES = 21, WARM = 2, SETTLE = 300 };

typedef struct call {
    char *from, *to;
    int bytes, root;
} call;

/* Each twice: the blocking call, and the non-blocking one. */
#define FORM(name, blocking, nonblocking)                                                          \
    static void name(const call *c, bool waits, MPI_Request *r)                                    \
    {                                                                                              \
        (void)c;                                                                                   \
        if (waits)                                                                                 \
            nonblocking;                                                                           \
        else                                                                                       \
            blocking;                                                                              \
    }
#define BYTES(c)   (c)->bytes, MPI_BYTE
#define DOUBLES(c) (c)->bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM
#define ALL        MPI_COMM_WORLD

FORM(allreduce, MPI_Allreduce(c->from, c->to, DOUBLES(c), ALL),
     MPI_Iallreduce(c->from, c->to, DOUBLES(c), ALL, r))
FORM(bcast, MPI_Bcast(c->from, BYTES(c), c->root, ALL),
     MPI_Ibcast(c->from, BYTES(c), c->root, ALL, r))
FORM(allgather, MPI_Allgather(c->from, BYTES(c), c->to, BYTES(c), ALL),
     MPI_Iallgather(c->from, BYTES(c), c->to, BYTES(c), ALL, r))
FORM(alltoall, MPI_Alltoall(c->from, BYTES(c), c->to, BYTES(c), ALL),
     MPI_Ialltoall(c->from, BYTES(c), c->to, BYTES(c), ALL, r))
FORM(reduce_scatter_block, MPI_Reduce_scatter_block(c->from, c->to, DOUBLES(c), ALL),
     MPI_Ireduce_scatter_block(c->from, c->to, DOUBLES(c), ALL, r))
FORM(gather, MPI_Gather(c->from, BYTES(c), c->to, BYTES(c), c->root, ALL),
     MPI_Igather(c->from, BYTES(c), c->to, BYTES(c), c->root, ALL, r))
FORM(scan, MPI_Scan(c->from, c->to, DOUBLES(c), ALL), MPI_Iscan(c->from, c->to, DOUBLES(c), ALL, r))
FORM(barrier, MPI_Barrier(ALL), MPI_Ibarrier(ALL, r))

static const struct row {
    const char *name;
    void (*form)(const call *c, bool waits, MPI_Request *r);
} rows[] = {{"allreduce", allreduce}, {"bcast", bcast},
            {"allgather", allgather}, {"alltoall", alltoall},
            {"gather", gather},       {"reduce_scatter_block", reduce_scatter_block},
            {"scan", scan},           {"barrier", barrier}};

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Seconds of a call in a batch, on the slowest rank. */
static double batch(const struct row *row, call *c, bool waits, int calls, int p)
{
    MPI_Request r = MPI_REQUEST_NULL;
    double begun, mine, slowest = 0;

    MPI_Barrier(ALL);
    begun = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        c->root = i % p;
        row->form(c, waits, &r);
        if (waits)
            MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    mine = (MPI_Wtime() - begun) / calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, ALL);
    return slowest;
}

static void measure(const struct row *row, call *c, bool waits, int p, int rank)
{
    int calls = c->bytes > 100000 ? 2 : c->bytes > 5000 ? 8 : 60;
    int n = c->bytes > 100000 ? BATCHES / 2 : BATCHES;
    double seconds[BATCHES];

    for (int i = -WARM; i < n; i++) {
        double one = batch(row, c, waits, calls, p);
        if (i >= 0)
            seconds[i] = one;
    }
    qsort(seconds, (size_t)n, sizeof *seconds, compare);
    if (rank == 0)
        printf("%s %d %.3f\n", row->name, c->bytes, 1e6 * seconds[n / 2]);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 256, 8192, 65536, MOST};
    bool waits = argc > 1 && strcmp(argv[1], "nonblocking") == 0;
    int rank, p;
    call c = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ALL, &rank);
    MPI_Comm_size(ALL, &p);
    c.from = calloc((size_t)p, MOST);
    c.to = calloc((size_t)p, MOST);
    if (!c.from || !c.to)
        MPI_Abort(ALL, 1);
    for (int i = 0; i < SETTLE; i++) /* until the ranks have found their cores */
        MPI_Barrier(ALL);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            c.bytes = rows[k].form == barrier ? 0 : sizes[i];
            measure(&rows[k], &c, waits, p, rank);
            if (rows[k].form == barrier)
                break;
        }
    free(c.from);
    free(c.to);
    MPI_Finalize();
    return 0;
}
