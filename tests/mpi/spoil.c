/* spoil.c - to preload: MPI_Allgather spoils one byte of the last rank's copy, so that a benchmark
 * which looks at the data has something to find. */
#include <mpi.h>

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, p, error;

    error = PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    if (rank == p - 1)
        ((char *)recvbuf)[0]++;
    return error;
}
