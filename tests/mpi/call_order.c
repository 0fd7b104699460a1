/* SPDX-License-Identifier: BSD-3-Clause */
/* call_order.c - to preload: the order of rank 0's calls, a letter each, in the file that
 * CALL_ORDER names:
 *
 *   G g   an allgatherv is started, is waited for
 *   H h   a neighbor_alltoallv is started, is waited for
 *   R r   an allreduce is started, is waited for
 *   .     something may advance
 *
 * MPI's non-blocking ones and Tutti's persistent ones; not the blocking ones. An operation is known
 * by the address of its request.
 */
#define _GNU_SOURCE
#include <tutti.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32 };

static struct operation {
    const void *request;
    char letter;
} operations[MOST];
static int n_operations;

static void put(char letter)
{
    static FILE *file;
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        return;
    if (!file && !(file = fopen(getenv("CALL_ORDER"), "w")))
        abort();
    fputc(letter, file);
}

static void enter(const void *request, char letter)
{
    for (int i = 0; i < n_operations; i++)
        if (operations[i].request == request)
            return;
    if (n_operations == MOST)
        abort();
    operations[n_operations++] = (struct operation){request, letter};
}

static void put_operation(const void *request, int offset)
{
    for (int i = 0; i < n_operations; i++)
        if (operations[i].request == request)
            put((char)(operations[i].letter + offset));
}

static void started(const void *request)
{
    put_operation(request, 0);
}

static void waited(const void *request)
{
    put_operation(request, 'a' - 'A');
}

int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const int counts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request *request)
{
    enter(request, 'G');
    started(request);
    return PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, comm,
                            request);
}

int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                            const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request *request)
{
    enter(request, 'H');
    started(request);
    return PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                    rdispls, recvtype, comm, request);
}

int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    enter(request, 'R');
    started(request);
    return PMPI_Iallreduce(sendbuf, recvbuf, count, type, op, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    waited(request);
    return PMPI_Wait(request, status);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    put('.');
    return PMPI_Testall(count, requests, flag, statuses);
}

/* ISO C has no conversion of dlsym's result to a function. */
#define NEXT(name)                                                                                 \
    static __typeof__(&(name)) next;                                                               \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

int MPIX_Allgatherv_auto_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, const int counts[], const int displs[],
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                              MPIX_Request *request)
{
    NEXT(MPIX_Allgatherv_auto_init);
    enter(request, 'G');
    return next(sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, comm, info,
                request);
}

int MPIX_Neighbor_alltoallv_auto_init(const void *sendbuf, const int sendcounts[],
                                      const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                      const int recvcounts[], const int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                      MPIX_Request *request)
{
    NEXT(MPIX_Neighbor_alltoallv_auto_init);
    enter(request, 'H');
    return next(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request);
}

int MPIX_Allreduce_auto_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm, MPI_Info info, MPIX_Request *request)
{
    NEXT(MPIX_Allreduce_auto_init);
    enter(request, 'R');
    return next(sendbuf, recvbuf, count, type, op, comm, info, request);
}

int MPIX_Start(MPIX_Request *request)
{
    NEXT(MPIX_Start);
    started(request);
    return next(request);
}

int MPIX_Wait(MPIX_Request *request, MPI_Status *status)
{
    NEXT(MPIX_Wait);
    waited(request);
    return next(request, status);
}

int tutti_progress(void)
{
    NEXT(tutti_progress);
    put('.');
    return next();
}
