/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - what the init of a persistent halo exchange takes, beside making its communicator.
 *
 *   halo_init [NEIGHBORS [ROUNDS]]        50 and 15
 *
 *   graph    MPI_Dist_graph_create_adjacent on MPI_COMM_WORLD
 *   prepare  tutti_comm_prepare: once on each communicator, whatever is called on it
 *   first    the first MPIX_Neighbor_alltoallv_auto_init there
 *   next     another one, of other lengths
 *
 * Rank r has the neighbors r + 1, r - 1, r + 2, ... and blocks of 1 to 16 numbers. Each round makes
 * a communicator for each form. Times are those of the slowest rank; the median of all rounds. with
 * prepare: the ratio to graph of prepare and first together. */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

enum { STEPS = 4, LONGEST = 16 };

static const char *const forms[] = {"linear", "partner", "node", "node:2", "auto"};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct {
    int n, *neighbor;
    int *counts, *displs; /* the same for both sides */
    double *send, *recv;
} halo;

static void *allocate(int count, size_t size)
{
    void *memory = calloc((size_t)count, size);

    if (!memory) {
        fprintf(stderr, "halo_init: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static void halo_make(halo *h, int rank, int size, int n)
{
    *h = (halo){.n = n,
                .neighbor = allocate(n, sizeof(int)),
                .counts = allocate(n, sizeof(int)),
                .displs = allocate(n, sizeof(int)),
                .send = allocate(n * LONGEST, sizeof(double)),
                .recv = allocate(n * LONGEST, sizeof(double))};
    for (int i = 0; i < n; i++) {
        int far = i / 2 + 1;
        h->neighbor[i] = (rank + (i % 2 ? size - far : far)) % size;
        h->displs[i] = i * LONGEST;
    }
}

/* Lengths that both ends know; another `which`, other lengths. */
static void halo_lengths(halo *h, int rank, int which)
{
    for (int i = 0; i < h->n; i++)
        h->counts[i] = 1 + (rank + h->neighbor[i] + which) % LONGEST;
}

static void init(halo *h, int rank, int which, MPI_Comm comm, MPI_Info info, MPIX_Request *request)
{
    halo_lengths(h, rank, which);
    MPIX_Neighbor_alltoallv_auto_init(h->send, h->counts, h->displs, MPI_DOUBLE, h->recv, h->counts,
                                      h->displs, MPI_DOUBLE, comm, info, request);
}

/* Each value is its sender's rank. */
static void check(halo *h, int rank, MPIX_Request *request)
{
    for (int i = 0; i < h->n * LONGEST; i++) {
        h->send[i] = rank;
        h->recv[i] = -1;
    }
    MPIX_Start(request);
    MPIX_Wait(request, MPI_STATUS_IGNORE);
    for (int i = 0; i < h->n; i++)
        for (int k = 0; k < LONGEST; k++)
            if (h->recv[h->displs[i] + k] != (k < h->counts[i] ? h->neighbor[i] : -1)) {
                fprintf(stderr, "halo_init: rank %d: wrong data\n", rank);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
}

static void round_of(halo *h, int rank, const char *form, double time[STEPS])
{
    double at[STEPS + 1];
    MPI_Comm graph;
    MPI_Info info;
    MPIX_Request first, next;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", form);
    MPI_Barrier(MPI_COMM_WORLD);
    at[0] = MPI_Wtime();
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, h->n, h->neighbor, h->counts, h->n, h->neighbor,
                                   h->counts, MPI_INFO_NULL, 0, &graph);
    time[0] = MPI_Wtime() - at[0];
    MPI_Barrier(MPI_COMM_WORLD);
    at[1] = MPI_Wtime();
    tutti_comm_prepare(graph);
    time[1] = MPI_Wtime() - at[1];
    MPI_Barrier(MPI_COMM_WORLD);
    at[2] = MPI_Wtime();
    init(h, rank, 0, graph, info, &first);
    time[2] = MPI_Wtime() - at[2];
    check(h, rank, &first);
    MPI_Barrier(MPI_COMM_WORLD);
    at[3] = MPI_Wtime();
    init(h, rank, 1, graph, info, &next);
    time[3] = MPI_Wtime() - at[3];
    check(h, rank, &next);
    MPIX_Request_free(&first);
    MPIX_Request_free(&next);
    MPI_Comm_free(&graph);
    MPI_Info_free(&info);
    MPI_Allreduce(MPI_IN_PLACE, time, STEPS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, by_size);
    return times[n / 2];
}

static void print(double *times, int rounds)
{
    printf("# ms\tgraph\tprepare\tfirst\tnext\tfirst / graph\twith prepare\n");
    for (int f = 0; f < FORMS; f++) {
        double step[STEPS];
        for (int s = 0; s < STEPS; s++)
            step[s] = 1e3 * median(times + (f * STEPS + s) * rounds, rounds);
        printf("%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", forms[f], step[0], step[1], step[2],
               step[3], step[2] / step[0], (step[1] + step[2]) / step[0]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50, rounds = argc > 2 ? atoi(argv[2]) : 15, rank, size;
    double *times, time[STEPS];
    halo h;

    MPI_Init(&argc, &argv);
    tutti_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (n < 1 || n >= size || rounds < 1) {
        if (rank == 0)
            fprintf(stderr, "halo_init: %d neighbors of %d ranks, %d rounds\n", n, size, rounds);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    halo_make(&h, rank, size, n);
    times = allocate(FORMS * STEPS * rounds, sizeof *times);
    for (int r = -1; r < rounds; r++) /* the first one has what comes once */
        for (int f = 0; f < FORMS; f++) {
            round_of(&h, rank, forms[f], time);
            for (int s = 0; r >= 0 && s < STEPS; s++)
                times[(f * STEPS + s) * rounds + r] = time[s];
        }
    if (rank == 0)
        print(times, rounds);
    free(times);
    MPI_Finalize();
    return 0;
}
