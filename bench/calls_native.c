/* calls_native.c - the MPI's own collectives: by their PMPI_ names, and by their MPI_ names, which
 * a preloaded library may have taken over. Persistent ones where the MPI has them. */
#include "calls.h"

#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define HAVE_PERSISTENT
#define INIT(P, Name) P##X_##Name##_init
#elif !defined TUTTI_SIMULATED && MPI_VERSION >= 4
#define HAVE_PERSISTENT
#define INIT(P, Name) P##_##Name##_init
#endif

#define ARGUMENTS_Allgather  r->send, r->size, MPI_BYTE, r->recv, r->size, MPI_BYTE
#define ARGUMENTS_Allgatherv r->send, r->size, MPI_BYTE, r->recv, r->counts, r->place, MPI_BYTE
#define ARGUMENTS_Alltoall   r->send, r->size, MPI_BYTE, r->recv, r->size, MPI_BYTE
#define ARGUMENTS_Alltoallv                                                                        \
    r->send, r->counts, r->place, MPI_BYTE, r->recv, r->counts, r->place, MPI_BYTE

#ifdef HAVE_PERSISTENT
#define DEFINE_OPEN(P, Name)                                                                       \
    static int P##_open_##Name(run *r)                                                             \
    {                                                                                              \
        return INIT(P, Name)(ARGUMENTS_##Name, r->comm, MPI_INFO_NULL, &r->native);                \
    }
#define OPEN(P, Name) P##_open_##Name
#else
#define DEFINE_OPEN(P, Name)
#define OPEN(P, Name) NULL
#endif

#define DEFINE(P, Name, name)                                                                      \
    static int P##_block_##Name(run *r)                                                            \
    {                                                                                              \
        return P##_##Name(ARGUMENTS_##Name, r->comm);                                              \
    }                                                                                              \
    static int P##_start_##Name(run *r)                                                            \
    {                                                                                              \
        return P##_I##name(ARGUMENTS_##Name, r->comm, &r->native);                                 \
    }                                                                                              \
    DEFINE_OPEN(P, Name)

#define DEFINE_ALL(P)                                                                              \
    DEFINE(P, Allgather, allgather)                                                                \
    DEFINE(P, Allgatherv, allgatherv)                                                              \
    DEFINE(P, Alltoall, alltoall)                                                                  \
    DEFINE(P, Alltoallv, alltoallv)

DEFINE_ALL(PMPI)
DEFINE_ALL(MPI)

#define WAYS(P, Name)                                                                              \
    {                                                                                              \
        P##_block_##Name, P##_start_##Name, OPEN(P, Name)                                          \
    }

static const struct {
    int (*block)(run *r), (*start)(run *r), (*open)(run *r);
} table[2][COLLECTIVES] = {
    {WAYS(PMPI, Allgather), WAYS(PMPI, Allgatherv), WAYS(PMPI, Alltoall), WAYS(PMPI, Alltoallv)},
    {WAYS(MPI, Allgather), WAYS(MPI, Allgatherv), WAYS(MPI, Alltoall), WAYS(MPI, Alltoallv)},
};

static int start_native(run *r)
{
    return PMPI_Start(&r->native);
}

static int start_mpi(run *r)
{
    return MPI_Start(&r->native);
}

static int wait_pmpi(run *r)
{
    return PMPI_Wait(&r->native, MPI_STATUS_IGNORE);
}

static int wait_mpi(run *r)
{
    return MPI_Wait(&r->native, MPI_STATUS_IGNORE);
}

static int test_pmpi(run *r)
{
    int flag;

    return PMPI_Test(&r->native, &flag, MPI_STATUS_IGNORE);
}

static void close_native(run *r)
{
    if (r->native != MPI_REQUEST_NULL)
        PMPI_Request_free(&r->native);
}

static void close_mpi(run *r)
{
    if (r->native != MPI_REQUEST_NULL)
        MPI_Request_free(&r->native);
}

bool calls_find_native(collective c, const char *name, form f, way *result)
{
    bool mpi = strcmp(name, "mpi") == 0;

    *result =
        (way){.wait = mpi ? wait_mpi : wait_pmpi, .progress = mpi ? calls_test_native : test_pmpi};
    switch (f) {
    case BLOCKING:
        *result = (way){.start = table[mpi][c].block};
        return true;
    case NONBLOCKING:
        result->start = table[mpi][c].start;
        return true;
    case PERSISTENT:
        result->open = table[mpi][c].open;
        result->start = mpi ? start_mpi : start_native;
        result->close = mpi ? close_mpi : close_native;
        return result->open != NULL;
    default: /* the thread is Tutti's */
        return false;
    }
}
