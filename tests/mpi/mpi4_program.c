/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi4_program.c [ALGORITHM] - a plain MPI-4 program: persistent collectives beside persistent
 * messages, started and completed in one array, four times with new data, checked against the MPI's
 * own blocking collectives (PMPI_). It knows nothing of Tutti, but for the key that names an
 * algorithm. */
#define _GNU_SOURCE /* heeded: nothing is included before the first line */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { GATHER, GATHERV, EXCHANGE, EXCHANGEV, COLLECTIVES, RECV = COLLECTIVES, SEND, REQUESTS };
enum { COUNT = 3, STARTS = 4 };

static int rank, size;

typedef struct buffers {
    int *send, *recv[REQUESTS], *expected[COLLECTIVES];
    int *counts, *displs, *one, *reversed;
    int token, from_left;
} buffers;

static int *ints(int n)
{
    return calloc((size_t)(n > 0 ? n : 1), sizeof(int));
}

/* Of rank i come i + 1 elements in the v-collectives. */
static void make_buffers(buffers *b)
{
    int n = COUNT * size * (size + 1);

    b->send = ints(n);
    for (int k = 0; k < COLLECTIVES; k++) {
        b->recv[k] = ints(n);
        b->expected[k] = ints(n);
    }
    b->counts = ints(size);
    b->displs = ints(size);
    b->one = ints(size);
    b->reversed = ints(size);
    for (int i = 0; i < size; i++) {
        b->counts[i] = i + 1;
        b->displs[i] = i * (i + 1) / 2;
        b->one[i] = COUNT;
        b->reversed[i] = COUNT * (size - 1 - i);
    }
}

static void free_buffers(buffers *b)
{
    free(b->send);
    for (int k = 0; k < COLLECTIVES; k++) {
        free(b->recv[k]);
        free(b->expected[k]);
    }
    free(b->counts);
    free(b->displs);
    free(b->one);
    free(b->reversed);
}

static void init(buffers *b, MPI_Info info, MPI_Request r[])
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Allgather_init(b->send, COUNT, MPI_INT, b->recv[GATHER], COUNT, MPI_INT, comm, info,
                       &r[GATHER]);
    MPI_Recv_init(&b->from_left, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &r[RECV]);
    MPI_Allgatherv_init(b->send, rank + 1, MPI_INT, b->recv[GATHERV], b->counts, b->displs, MPI_INT,
                        comm, MPI_INFO_NULL, &r[GATHERV]);
    MPI_Alltoall_init(b->send, COUNT, MPI_INT, b->recv[EXCHANGE], COUNT, MPI_INT, comm,
                      MPI_INFO_NULL, &r[EXCHANGE]);
    MPI_Send_init(&b->token, 1, MPI_INT, (rank + 1) % size, 0, comm, &r[SEND]);
    MPI_Alltoallv_init(b->send, b->one, b->reversed, MPI_INT, b->recv[EXCHANGEV], b->one,
                       b->reversed, MPI_INT, comm, MPI_INFO_NULL, &r[EXCHANGEV]);
}

static void fill(buffers *b, int start)
{
    for (int i = 0; i < COUNT * size; i++)
        b->send[i] = 1000 * rank + 100000 * start + i;
    for (int k = 0; k < COLLECTIVES; k++)
        for (int i = 0; i < COUNT * size * (size + 1); i++)
            b->recv[k][i] = b->expected[k][i] = -1;
    b->token = 10 * rank + start;
    b->from_left = -1;
}

static int check(buffers *b, int start)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int wrong = b->from_left != 10 * ((rank + size - 1) % size) + start;

    PMPI_Allgather(b->send, COUNT, MPI_INT, b->expected[GATHER], COUNT, MPI_INT, comm);
    PMPI_Allgatherv(b->send, rank + 1, MPI_INT, b->expected[GATHERV], b->counts, b->displs, MPI_INT,
                    comm);
    PMPI_Alltoall(b->send, COUNT, MPI_INT, b->expected[EXCHANGE], COUNT, MPI_INT, comm);
    PMPI_Alltoallv(b->send, b->one, b->reversed, MPI_INT, b->expected[EXCHANGEV], b->one,
                   b->reversed, MPI_INT, comm);
    for (int k = 0; k < COLLECTIVES; k++)
        for (int i = 0; i < COUNT * size * (size + 1); i++)
            wrong += b->recv[k][i] != b->expected[k][i];
    return wrong;
}

/* Starts all, and completes them now together, now one by one. */
static void run(int start, MPI_Request r[])
{
    MPI_Status statuses[REQUESTS];
    int done = 0;

    MPI_Startall(REQUESTS, r);
    switch (start % 3) {
    case 0:
        MPI_Waitall(REQUESTS, r, statuses);
        break;
    case 1:
        while (!done) {
            MPI_Testall(REQUESTS, r, &done, statuses);
            sched_yield();
        }
        break;
    default:
        for (int i = 0, index; i < REQUESTS; i++)
            MPI_Waitany(REQUESTS, r, &index, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Request requests[REQUESTS];
    MPI_Info info;
    buffers b;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    make_buffers(&b);
    MPI_Info_create(&info);
    if (argc > 1)
        MPI_Info_set(info, "tutti_algorithm", argv[1]);
    init(&b, info, requests);
    MPI_Info_free(&info);
    for (int start = 0; start < STARTS; start++) {
        fill(&b, start);
        run(start, requests);
        wrong += check(&b, start);
    }
    for (int i = 0; i < REQUESTS; i++)
        MPI_Request_free(&requests[i]);
    free_buffers(&b);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d wrong elements\n", wrong ? "wrong" : "right", wrong);
    MPI_Finalize();
    return wrong != 0;
}
