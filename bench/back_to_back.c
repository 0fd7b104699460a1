/* SPDX-License-Identifier: BSD-3-Clause */
/* back_to_back.c - a plain MPI program: eight collectives of 8 B to 1 MiB, each called again and
 * again. bench/back_to_back runs it without and with libtutti_mpi.so.
 *
 * back_to_back blocking|nonblocking|persistent [NAME...]: a line for each collective (of these
 * names) and size:
 *   NAME BYTES MICROSECONDS    of a call: median of the batches, of each that of the slowest rank
 *
 * Bytes are those of the vector, or of each rank's block. Roots go round. A non-blocking call is
 * waited for at once, and so is the start of a persistent one, of which there is one for each root.
 * MPI-4's names are looked for at run time: some MPIs have them only from libtutti_mpi.so.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
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

typedef enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS } form;

/* The init of that name, of any of these types. */
typedef union init {
    void *at;
    int (*barrier)(MPI_Comm, MPI_Info, MPI_Request *);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
    int (*reduces)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                   MPI_Request *);
    int (*blocks)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info,
                  MPI_Request *);
    int (*rooted)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm,
                  MPI_Info, MPI_Request *);
} init;

static init find(const char *name)
{
    init found = {.at = dlsym(RTLD_DEFAULT, name)};

    if (!found.at) {
        fprintf(stderr, "back_to_back: this MPI has no %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return found;
}

/* Each thrice: the blocking call, the non-blocking one, and the init. */
#define FORM(name, blocking, nonblocking, persistent)                                              \
    static void name(const call *c, form f, MPI_Request *r)                                        \
    {                                                                                              \
        (void)c;                                                                                   \
        if (f == BLOCKING)                                                                         \
            blocking;                                                                              \
        else if (f == NONBLOCKING)                                                                 \
            nonblocking;                                                                           \
        else                                                                                       \
            persistent;                                                                            \
    }
#define BYTES(c)   (c)->bytes, MPI_BYTE
#define DOUBLES(c) (c)->bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM
#define ALL        MPI_COMM_WORLD
#define NO_INFO    MPI_INFO_NULL

FORM(allreduce, MPI_Allreduce(c->from, c->to, DOUBLES(c), ALL),
     MPI_Iallreduce(c->from, c->to, DOUBLES(c), ALL, r),
     find("MPI_Allreduce_init").reduces(c->from, c->to, DOUBLES(c), ALL, NO_INFO, r))
FORM(bcast, MPI_Bcast(c->from, BYTES(c), c->root, ALL),
     MPI_Ibcast(c->from, BYTES(c), c->root, ALL, r),
     find("MPI_Bcast_init").bcast(c->from, BYTES(c), c->root, ALL, NO_INFO, r))
FORM(allgather, MPI_Allgather(c->from, BYTES(c), c->to, BYTES(c), ALL),
     MPI_Iallgather(c->from, BYTES(c), c->to, BYTES(c), ALL, r),
     find("MPI_Allgather_init").blocks(c->from, BYTES(c), c->to, BYTES(c), ALL, NO_INFO, r))
FORM(alltoall, MPI_Alltoall(c->from, BYTES(c), c->to, BYTES(c), ALL),
     MPI_Ialltoall(c->from, BYTES(c), c->to, BYTES(c), ALL, r),
     find("MPI_Alltoall_init").blocks(c->from, BYTES(c), c->to, BYTES(c), ALL, NO_INFO, r))
FORM(reduce_scatter_block, MPI_Reduce_scatter_block(c->from, c->to, DOUBLES(c), ALL),
     MPI_Ireduce_scatter_block(c->from, c->to, DOUBLES(c), ALL, r),
     find("MPI_Reduce_scatter_block_init").reduces(c->from, c->to, DOUBLES(c), ALL, NO_INFO, r))
FORM(gather, MPI_Gather(c->from, BYTES(c), c->to, BYTES(c), c->root, ALL),
     MPI_Igather(c->from, BYTES(c), c->to, BYTES(c), c->root, ALL, r),
     find("MPI_Gather_init").rooted(c->from, BYTES(c), c->to, BYTES(c), c->root, ALL, NO_INFO, r))
FORM(scan, MPI_Scan(c->from, c->to, DOUBLES(c), ALL), MPI_Iscan(c->from, c->to, DOUBLES(c), ALL, r),
     find("MPI_Scan_init").reduces(c->from, c->to, DOUBLES(c), ALL, NO_INFO, r))
FORM(barrier, MPI_Barrier(ALL), MPI_Ibarrier(ALL, r),
     find("MPI_Barrier_init").barrier(ALL, NO_INFO, r))

static const struct row {
    const char *name;
    void (*call)(const call *c, form f, MPI_Request *r);
    bool has_root;
} rows[] = {{"allreduce", allreduce, false}, {"bcast", bcast, true},
            {"allgather", allgather, false}, {"alltoall", alltoall, false},
            {"gather", gather, true},        {"reduce_scatter_block", reduce_scatter_block, false},
            {"scan", scan, false},           {"barrier", barrier, false}};

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Seconds of a call in a batch, on the slowest rank. made: [roots], what is started. */
static double batch(const struct row *row, call *c, form f, int calls, int roots, MPI_Request *made)
{
    double begun, mine, slowest = 0;

    MPI_Barrier(ALL);
    begun = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        MPI_Request *r = &made[i % roots];

        c->root = i % roots;
        if (f == PERSISTENT)
            MPI_Start(r);
        else
            row->call(c, f, r);
        if (f != BLOCKING)
            MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    mine = (MPI_Wtime() - begun) / calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, ALL);
    return slowest;
}

static void measure(const struct row *row, call *c, form f, int p, int rank)
{
    int calls = c->bytes > 100000 ? 2 : c->bytes > 5000 ? 8 : 60, roots = row->has_root ? p : 1;
    int n = c->bytes > 100000 ? BATCHES / 2 : BATCHES;
    MPI_Request *made = calloc((size_t)roots, sizeof(MPI_Request));
    double seconds[BATCHES];

    if (!made)
        MPI_Abort(ALL, 1);
    for (int root = 0; root < roots && f == PERSISTENT; root++) {
        c->root = root;
        row->call(c, f, &made[root]);
    }
    for (int i = -WARM; i < n; i++) {
        double one = batch(row, c, f, calls, roots, made);
        if (i >= 0)
            seconds[i] = one;
    }
    for (int root = 0; root < roots && f == PERSISTENT; root++)
        MPI_Request_free(&made[root]);
    free(made);
    qsort(seconds, (size_t)n, sizeof *seconds, compare);
    if (rank == 0)
        printf("%s %d %.3f\n", row->name, c->bytes, 1e6 * seconds[n / 2]);
}

static bool is_wanted(const char *name, char **names)
{
    bool wanted = !*names;

    for (; *names; names++)
        wanted |= strcmp(*names, name) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    static const char *const forms[FORMS] = {"blocking", "nonblocking", "persistent"};
    static const int sizes[] = {8, 256, 8192, 65536, MOST};
    int rank, p, f = 0;
    call c = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ALL, &rank);
    MPI_Comm_size(ALL, &p);
    while (f < FORMS && !(argc > 1 && strcmp(argv[1], forms[f]) == 0))
        f++;
    c.from = calloc((size_t)p, MOST);
    c.to = calloc((size_t)p, MOST);
    if (f == FORMS || !c.from || !c.to)
        MPI_Abort(ALL, 1);
    for (int i = 0; i < SETTLE; i++) /* until the ranks have found their cores */
        MPI_Barrier(ALL);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t i = 0; is_wanted(rows[k].name, argv + 2) && i < sizeof sizes / sizeof *sizes;
             i++) {
            c.bytes = rows[k].call == barrier ? 0 : sizes[i];
            measure(&rows[k], &c, (form)f, p, rank);
            if (rows[k].call == barrier)
                break;
        }
    free(c.from);
    free(c.to);
    MPI_Finalize();
    return 0;
}
