/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - what a persistent request did: messages, bytes, time, and what share was hidden. */
#include <stdio.h>
#include <tutti.h>

enum { N = 1000, STARTS = 100 };

int main(int argc, char **argv)
{
    static double mine[N], sum[N];
    int rank, size, wrong = 0;
    MPIX_Request request;
    MPI_Info info;
    tutti_stats s;

    MPI_Init(&argc, &argv);
    tutti_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_stats", "true"); /* times, too: they cost two looks at the clock */
    MPIX_Allreduce_auto_init(mine, sum, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, info, &request);
    MPI_Info_free(&info);
    for (int start = 0; start < STARTS; start++) {
        mine[N - 1] = rank + start;
        MPIX_Start(&request);
        for (int i = 0; i < 1000; i++)
            tutti_progress(); /* in place of a computation */
        MPIX_Wait(&request, MPI_STATUS_IGNORE);
        wrong += sum[N - 1] != size * start + size * (size - 1) / 2;
    }
    tutti_get_stats(request, &s); /* of an inactive request */
    if (rank == 0)
        printf("%s: %lld starts, %.1f us each, %lld bytes sent; messages: %lld, %lld of them in "
               "shared memory; outside Wait: %.0f %%\n",
               s.algorithm, s.starts, 1e6 * s.seconds / STARTS, s.bytes_sent, s.messages,
               s.shared_messages, 100 * s.overlapped);
    MPIX_Request_free(&request);
    MPI_Finalize();
    return wrong || s.starts != STARTS;
}
