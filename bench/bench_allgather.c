/* bench_allgather.c - what a call costs: Tutti against the native calls and the same messages by
 * hand, interleaved in one run.
 *
 * Each repetition runs every variant once, in an order that is drawn anew (seeded): a batch of
 * operations, timed on each rank after a barrier. The send buffer changes before each operation. A
 * repetition counts as the slowest rank's time; the median over the repetitions is printed, in
 * microseconds per operation.
 *
 * By hand means what a programmer would write for an all-to-all exchange of blocks: receive from
 * and send to every other rank, copy the own block meanwhile, wait; as persistent messages or as
 * plain ones. The faster of the two is the floor.
 */
#include "median.h"

#include <tutti.h>

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

typedef struct bench {
    int p, rank;
    int size; /* bytes of a block */
    char *send, *recv;
    MPI_Request *requests; /* [2p]: by hand */
    int nrequests;
    MPI_Request native;
    MPIX_Request tutti;
} bench;

typedef struct variant {
    const char *name;
    void (*init)(bench *b);
    void (*run)(bench *b);
    void (*finish)(bench *b);
} variant;

static void nothing(bench *b)
{
    (void)b;
}

/* ---- native ---- */

static void run_native(bench *b)
{
    MPI_Allgather(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD);
}

static void run_native_i(bench *b)
{
    MPI_Request r;

    MPI_Iallgather(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

#ifdef OPEN_MPI
static void init_native_init(bench *b)
{
    MPIX_Allgather_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &b->native);
}

static void run_native_init(bench *b)
{
    MPI_Start(&b->native);
    MPI_Wait(&b->native, MPI_STATUS_IGNORE);
}

static void finish_native_init(bench *b)
{
    MPI_Request_free(&b->native);
}
#endif

/* ---- by hand ---- */

static void init_persistent_messages(bench *b)
{
    b->nrequests = 0;
    for (int k = 1; k < b->p; k++) {
        int from = (b->rank - k + b->p) % b->p, to = (b->rank + k) % b->p;
        MPI_Recv_init(b->recv + (size_t)from * (size_t)b->size, b->size, MPI_BYTE, from, 0,
                      MPI_COMM_WORLD, &b->requests[b->nrequests++]);
        MPI_Send_init(b->send, b->size, MPI_BYTE, to, 0, MPI_COMM_WORLD,
                      &b->requests[b->nrequests++]);
    }
}

static void copy_own(bench *b)
{
    memcpy(b->recv + (size_t)b->rank * (size_t)b->size, b->send, (size_t)b->size);
}

static void run_persistent_messages(bench *b)
{
    MPI_Startall(b->nrequests, b->requests);
    copy_own(b);
    MPI_Waitall(b->nrequests, b->requests, MPI_STATUSES_IGNORE);
}

static void finish_persistent_messages(bench *b)
{
    for (int i = 0; i < b->nrequests; i++)
        MPI_Request_free(&b->requests[i]);
}

static void run_plain_messages(bench *b)
{
    int n = 0;

    for (int k = 1; k < b->p; k++) {
        int from = (b->rank - k + b->p) % b->p, to = (b->rank + k) % b->p;
        MPI_Irecv(b->recv + (size_t)from * (size_t)b->size, b->size, MPI_BYTE, from, 0,
                  MPI_COMM_WORLD, &b->requests[n++]);
        MPI_Isend(b->send, b->size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &b->requests[n++]);
    }
    copy_own(b);
    MPI_Waitall(n, b->requests, MPI_STATUSES_IGNORE);
}

/* ---- Tutti ---- */

static void run_tutti_i_linear(bench *b)
{
    MPI_Request r;

    MPIX_Iallgather_linear(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                           &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void run_tutti_i_ring(bench *b)
{
    MPI_Request r;

    MPIX_Iallgather_ring(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                         &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void init_tutti_linear(bench *b)
{
    MPIX_Allgather_linear_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE,
                               MPI_COMM_WORLD, MPI_INFO_NULL, &b->tutti);
}

static void init_tutti_ring(bench *b)
{
    MPIX_Allgather_ring_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &b->tutti);
}

static void run_tutti(bench *b)
{
    MPIX_Start(&b->tutti);
    MPIX_Wait(&b->tutti, MPI_STATUS_IGNORE);
}

static void finish_tutti(bench *b)
{
    MPIX_Request_free(&b->tutti);
}

/* ---- the variants, in the order of the columns ---- */

static const variant variants[] = {
    {"native", nothing, run_native, nothing},
    {"native-i", nothing, run_native_i, nothing},
#ifdef OPEN_MPI /* MPICH 4.0.2's is wrong from the second start on (mpich#6423) */
    {"native-init", init_native_init, run_native_init, finish_native_init},
#endif
    {"hand-start", init_persistent_messages, run_persistent_messages, finish_persistent_messages},
    {"hand-plain", nothing, run_plain_messages, nothing},
    {"i-linear", nothing, run_tutti_i_linear, nothing},
    {"i-ring", nothing, run_tutti_i_ring, nothing},
    {"init-linear", init_tutti_linear, run_tutti, finish_tutti},
    {"init-ring", init_tutti_ring, run_tutti, finish_tutti},
};

static const char *only; /* --only: the one variant to run */

enum { NVARIANTS = sizeof variants / sizeof *variants };

/* A new order of the variants, the same on all ranks. */
static void shuffle(int order[NVARIANTS])
{
    for (int i = 0; i < NVARIANTS; i++)
        order[i] = i;
    for (int i = NVARIANTS - 1; i > 0; i--) {
        int k = rand() % (i + 1), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
}

/* Seconds per operation on this rank. */
static double time_batch(bench *b, const variant *v, int batch, int seed)
{
    memset(b->send, seed, (size_t)b->size);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < batch; i++) {
        b->send[0] = (char)i;
        v->run(b);
    }
    return (MPI_Wtime() - begin) / batch;
}

static void open_all(bench b[NVARIANTS], int size)
{
    for (int i = 0; i < NVARIANTS; i++) {
        MPI_Comm_size(MPI_COMM_WORLD, &b[i].p);
        MPI_Comm_rank(MPI_COMM_WORLD, &b[i].rank);
        b[i].size = size;
        /* the same buffers for all: none has warmer caches than the others */
        b[i].send = i ? b[0].send : malloc((size_t)size);
        b[i].recv = i ? b[0].recv : malloc((size_t)size * (size_t)b[i].p);
        b[i].requests = calloc(2 * (size_t)b[i].p, sizeof *b[i].requests);
        variants[i].init(&b[i]);
    }
}

static void close_all(bench b[NVARIANTS])
{
    for (int i = 0; i < NVARIANTS; i++) {
        variants[i].finish(&b[i]);
        free(b[i].requests);
    }
    free(b[0].send);
    free(b[0].recv);
}

static void measure(int size, int repetitions, double result[NVARIANTS])
{
    bench b[NVARIANTS] = {0};
    int order[NVARIANTS], batch = size <= 4096 ? 50 : size <= 65536 ? 4 : 1, warmup = 10;
    double *times = calloc((size_t)repetitions * NVARIANTS, sizeof *times);

    open_all(b, size);
    for (int k = -warmup; k < repetitions; k++) {
        shuffle(order);
        for (int i = 0; i < NVARIANTS; i++) {
            if (only && strcmp(only, variants[order[i]].name) != 0)
                continue;
            double t = time_batch(&b[order[i]], &variants[order[i]], batch, k);
            if (k >= 0)
                times[order[i] * repetitions + k] = t;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, times, repetitions * NVARIANTS, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    for (int i = 0; i < NVARIANTS; i++)
        result[i] = 1e6 * median(times + i * repetitions, repetitions);
    close_all(b);
    free(times);
}

/* Index of a variant, or NVARIANTS. */
static int find_variant(const char *name)
{
    int i = 0;

    while (i < NVARIANTS && strcmp(variants[i].name, name) != 0)
        i++;
    return i;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void print_row(int size, const double t[NVARIANTS])
{
    double floor = smaller(t[find_variant("hand-start")], t[find_variant("hand-plain")]);
    double i = t[find_variant("native-i")];

    if (only) {
        printf("%8d %11.2f  %s\n", size, t[find_variant(only)], only);
        return;
    }
    printf("%8d", size);
    for (int k = 0; k < NVARIANTS; k++)
        printf(" %11.2f", t[k]);
    printf("   %6.2f %6.2f   %6.2f %6.2f\n", t[find_variant("init-linear")] / floor,
           t[find_variant("init-ring")] / floor, t[find_variant("i-linear")] / i,
           t[find_variant("i-ring")] / i);
    fflush(stdout);
}

static void print_head(int p, int repetitions)
{
    printf(
        "# allgather, %d ranks, median of %d repetitions of the slowest rank, us per operation\n",
        p, repetitions);
    if (only)
        return;
    printf("# last columns: persistent linear, ring / floor; non-blocking linear, ring / native-i\n"
           "#  bytes");
    for (int k = 0; k < NVARIANTS; k++)
        printf(" %11s", variants[k].name);
    printf("   %6s %6s   %6s %6s\n", "lin/fl", "ring/fl", "ilin/i", "iring/i");
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--min BYTES] [--max BYTES] [--repetitions N] [--seed N] [--only VARIANT]\n"
            "Run under mpiexec, ranks bound to cores (-bind-to core:1), at 2 ranks on 2 cores.\n",
            program);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"min", required_argument, NULL, 'm'},         {"max", required_argument, NULL, 'M'},
        {"repetitions", required_argument, NULL, 'r'}, {"seed", required_argument, NULL, 's'},
        {"only", required_argument, NULL, 'o'},        {0}};
    int smallest = 8, largest = 1 << 20, repetitions = 300, seed = 1, option, rank, p;
    double result[NVARIANTS];

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'o' && find_variant(optarg) < NVARIANTS) {
            only = optarg;
            continue;
        }
        int *value = option == 'm'   ? &smallest
                     : option == 'M' ? &largest
                     : option == 'r' ? &repetitions
                     : option == 's' ? &seed
                                     : NULL;
        if (!value || (*value = atoi(optarg)) < 1)
            return usage(argv[0]);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    srand((unsigned)seed);
    if (rank == 0)
        print_head(p, repetitions);
    for (int size = smallest; size <= largest; size *= 2) {
        measure(size, repetitions, result);
        if (rank == 0)
            print_row(size, result);
    }
    MPI_Finalize();
    return 0;
}
