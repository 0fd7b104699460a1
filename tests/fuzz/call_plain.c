/* call_plain.c - see call.h: by the names of the MPI, for libtutti_mpi.so and for the MPI alone. */
#include "call.h"
#include "mpi/plain.h"

const char *const program_name = "fuzz_plain";
const bool names_are_ours = false;

const char *call_algorithm(const call *c)
{
    (void)c;
    return "";
}

#define REGULAR(m)                                                                                 \
    c->send.buffer, c->send.m##counts[0], c->send.type, c->recv.buffer, c->recv.m##counts[0],      \
        c->recv.type, c->comm
#define GATHERV(m)                                                                                 \
    c->send.buffer, c->send.m##counts[0], c->send.type, c->recv.buffer, c->recv.m##counts,         \
        c->recv.m##displs, c->recv.type, c->comm
#define ALLTOALLV_ARGS(m)                                                                          \
    c->send.buffer, c->send.m##counts, c->send.m##displs, c->send.type, c->recv.buffer,            \
        c->recv.m##counts, c->recv.m##displs, c->recv.type, c->comm

#ifndef OPEN_MPI /* 4.1 has no large counts */
static int run_large(const call *c)
{
    switch (c->kind) {
    case ALLGATHER:
        return MPI_Allgather_c(REGULAR(large_));
    case ALLGATHERV:
        return MPI_Allgatherv_c(GATHERV(large_));
    case ALLTOALL:
        return MPI_Alltoall_c(REGULAR(large_));
    default:
        return MPI_Alltoallv_c(ALLTOALLV_ARGS(large_));
    }
}

static int start_large(const call *c, MPI_Request *request)
{
    switch (c->kind) {
    case ALLGATHER:
        return MPI_Iallgather_c(REGULAR(large_), request);
    case ALLGATHERV:
        return MPI_Iallgatherv_c(GATHERV(large_), request);
    case ALLTOALL:
        return MPI_Ialltoall_c(REGULAR(large_), request);
    default:
        return MPI_Ialltoallv_c(ALLTOALLV_ARGS(large_), request);
    }
}

static int init_large(const call *c, MPI_Request *request)
{
    switch (c->kind) {
    case ALLGATHER:
        return MPI_Allgather_init_c(REGULAR(large_), MPI_INFO_NULL, request);
    case ALLGATHERV:
        return MPI_Allgatherv_init_c(GATHERV(large_), MPI_INFO_NULL, request);
    case ALLTOALL:
        return MPI_Alltoall_init_c(REGULAR(large_), MPI_INFO_NULL, request);
    default:
        return MPI_Alltoallv_init_c(ALLTOALLV_ARGS(large_), MPI_INFO_NULL, request);
    }
}
#endif

int call_run(const call *c)
{
#ifndef OPEN_MPI
    if (c->large)
        return run_large(c);
#endif
    switch (c->kind) {
    case ALLGATHER:
        return MPI_Allgather(REGULAR());
    case ALLGATHERV:
        return MPI_Allgatherv(GATHERV());
    case ALLTOALL:
        return MPI_Alltoall(REGULAR());
    default:
        return MPI_Alltoallv(ALLTOALLV_ARGS());
    }
}

int call_start(const call *c, MPI_Request *request)
{
#ifndef OPEN_MPI
    if (c->large)
        return start_large(c, request);
#endif
    switch (c->kind) {
    case ALLGATHER:
        return MPI_Iallgather(REGULAR(), request);
    case ALLGATHERV:
        return MPI_Iallgatherv(GATHERV(), request);
    case ALLTOALL:
        return MPI_Ialltoall(REGULAR(), request);
    default:
        return MPI_Ialltoallv(ALLTOALLV_ARGS(), request);
    }
}

int call_init(const call *c, MPI_Request *request, void **own)
{
    *own = NULL;
#ifndef OPEN_MPI
    if (c->large)
        return init_large(c, request);
#endif
    switch (c->kind) {
    case ALLGATHER:
        return PERSISTENT(Allgather)(REGULAR(), MPI_INFO_NULL, request);
    case ALLGATHERV:
        return PERSISTENT(Allgatherv)(GATHERV(), MPI_INFO_NULL, request);
    case ALLTOALL:
        return PERSISTENT(Alltoall)(REGULAR(), MPI_INFO_NULL, request);
    default:
        return PERSISTENT(Alltoallv)(ALLTOALLV_ARGS(), MPI_INFO_NULL, request);
    }
}

int own_start(void **own, MPI_Request *native)
{
    (void)own;
    (void)native;
    return MPI_ERR_REQUEST;
}

int own_free(void **own)
{
    (void)own;
    return MPI_ERR_REQUEST;
}

int own_family(enum family w, int n, void *requests[], int done[], MPI_Status status[])
{
    (void)w;
    (void)n;
    (void)requests;
    (void)done;
    (void)status;
    return 0;
}

void own_begin(bool *restricted, bool *manual)
{
    *restricted = *manual = false;
}

void own_progress(void)
{
}
