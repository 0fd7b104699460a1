/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix_tool.c - a tool of somebody else's that counts calls by MPIX_ names, preloaded or linked
 * with the program, and says so at the end. For check_pmpix. */
#include <stdio.h>
#include <tutti_pmpix.h>

static int blocking, nonblocking, inits, starts, waits, large;

int MPIX_Allgather_ring(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    blocking++;
    return PMPIX_Allgather_ring(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPIX_Allgather_auto(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    blocking++; /* not called by the program: but libtutti_mpi.so might */
    return PMPIX_Allgather_auto(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPIX_Iallgather_auto(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    nonblocking++;
    return PMPIX_Iallgather_auto(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                 request);
}

int MPIX_Allreduce_auto_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    large++;
    return PMPIX_Allreduce_auto_c(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPIX_Allgather_auto_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Info info, MPIX_Request *request)
{
    inits++;
    return PMPIX_Allgather_auto_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                     comm, info, request);
}

int MPIX_Start(MPIX_Request *request)
{
    starts++;
    return PMPIX_Start(request);
}

int MPIX_Waitall(int count, MPIX_Request requests[], MPI_Status statuses[])
{
    waits++;
    return PMPIX_Waitall(count, requests, statuses);
}

int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d blocking, %d large, %d non-blocking, %d inits, %d starts, %d waits\n",
            blocking, large, nonblocking, inits, starts, waits);
    return PMPI_Finalize();
}
