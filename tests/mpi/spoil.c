/* SPDX-License-Identifier: BSD-3-Clause */
/* spoil.c - to preload, so that checks have something to find: MPI_Allgather spoils one byte of the
 * last rank's copy, MPI_Allgatherv one of each block, MPI_I... one of what rank 0 gives, MPI_Exscan
 * one that nobody may touch; with SPOIL_BARRIER=1 MPI_Ibarrier waits for nobody; with
 * SPOIL_BCAST=n the last rank comes 50 ms late out of MPI_Bcast, from its n-th call on, and with
 * SPOIL_BYTES=n only if that is of so many bytes; with
 * SPOIL_CLOCK the clock of rank r is r hours ahead, and gains r per cent. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int is_last(MPI_Comm comm)
{
    int rank, p;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    return rank == p - 1;
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int error = PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);

    if (is_last(comm))
        ((char *)recvbuf)[0]++;
    return error;
}

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int counts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    int error =
        PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, comm);
    MPI_Aint lower, extent;
    int p;

    PMPI_Comm_size(comm, &p);
    PMPI_Type_get_extent(recvtype, &lower, &extent);
    for (int i = 0; i < p && is_last(comm); i++)
        if (counts[i]) /* the exponent of a double, far from overflow */
            ((char *)recvbuf)[(displs[i] + counts[i]) * extent - 1] ^= 0x10;
    return error;
}

static int is_wanted(int count, MPI_Datatype type)
{
    const char *wanted = getenv("SPOIL_BYTES");
    int size;

    PMPI_Type_size(type, &size);
    return !wanted || atoi(wanted) == count * size;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int calls;
    const char *from = getenv("SPOIL_BCAST");
    int error = PMPI_Bcast(buffer, count, type, root, comm);

    if (from && is_last(comm) && is_wanted(count, type) && ++calls >= atoi(from))
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return error;
}

/* What rank 0 gives: an element that counts, whatever is added to it. */
typedef struct given {
    struct {
        const void *buffer;
        MPI_Count count;
        MPI_Datatype type;
        struct {
            const int *counts, *displs;
            const MPI_Aint *displs_c;
            const MPI_Datatype *types;
        } lists;
    } send, recv;
    int root;
    MPI_Op op;
    MPI_Comm comm;
} given;

static void spoil(given g)
{
    char *first = (char *)(uintptr_t)(g.send.buffer ? g.send.buffer : g.recv.buffer);
    int rank;

    PMPI_Comm_rank(g.comm, &rank);
    if (rank == 0 && first)
        first[g.send.type == MPI_DOUBLE ? 7 : 0] ^= 0x40;
}

#define UNWRAP(...) __VA_ARGS__
#define COUNT       int
#define DISPL       int
#define LISTS       lists =
#define COUNTS      counts
#define DISPLS      displs
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    int MPI_I##name(UNWRAP parameters, MPI_Request *request)                                       \
    {                                                                                              \
        spoil((given){UNWRAP args});                                                               \
        return PMPI_I##name(UNWRAP arguments, request);                                            \
    }
#define COLLECTIVE_UNCOUNTED(...)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE

/* Where nothing is received. */
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && count)
        ((char *)recvbuf)[0]++;
    return PMPI_Exscan(sendbuf, recvbuf, count, type, op, comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Ibarrier(getenv("SPOIL_BARRIER") ? MPI_COMM_SELF : comm, request);
}

double MPI_Wtime(void)
{
    int rank;

    if (!getenv("SPOIL_CLOCK"))
        return PMPI_Wtime();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return PMPI_Wtime() * (1 + 0.01 * rank) + 3600.0 * rank;
}
