/* alltoall.c - MPIX_Alltoall_*, MPIX_Ialltoall_*, MPIX_Alltoall_*_init, their v-forms and
 * large-count forms, made from algos.def.
 */
#include "algos/algo.h"
#include "api/call.h"

enum { ALGO_alltoall_auto = ALGO_NONE };

#define SENT_AND_RECEIVED(count_t)                                                                 \
    const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,                  \
        count_t recvcount, MPI_Datatype recvtype

#define REGULAR_ARGS(algorithm)                                                                    \
    .kind = COLL_ALLTOALL, .algo = ALGO_alltoall_##algorithm,                                      \
    .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},                             \
    .recv = {.buffer = recvbuf, .count = recvcount, .type = recvtype}

#define REGULAR(algorithm, suffix, count_t)                                                        \
    CALL_DEFINE(Alltoall, alltoall, algorithm, suffix, (SENT_AND_RECEIVED(count_t)),               \
                REGULAR_ARGS(algorithm))

/* A radix of 0 is a wrong one, not the usual one. */
#define RADIX(algorithm, suffix, count_t)                                                          \
    CALL_DEFINE(Alltoall, alltoall, algorithm, suffix, (SENT_AND_RECEIVED(count_t), int radix),    \
                REGULAR_ARGS(algorithm), .parameter = radix > 0 ? radix : -1)

#define VECTOR(algorithm, suffix, count_t, displ_t)                                                \
    CALL_DEFINE(Alltoallv, alltoallv, algorithm, suffix,                                           \
                (const void *sendbuf, const count_t sendcounts[], const displ_t sdispls[],         \
                 MPI_Datatype sendtype, void *recvbuf, const count_t recvcounts[],                 \
                 const displ_t rdispls[], MPI_Datatype recvtype),                                  \
                .kind = COLL_ALLTOALLV, .algo = ALGO_alltoall_##algorithm,                         \
                .send = {.buffer = sendbuf,                                                        \
                         .counts##suffix = sendcounts,                                             \
                         .displs##suffix = sdispls,                                                \
                         .type = sendtype},                                                        \
                .recv = {.buffer = recvbuf,                                                        \
                         .counts##suffix = recvcounts,                                             \
                         .displs##suffix = rdispls,                                                \
                         .type = recvtype})

#define DEFINE_regular(algorithm)                                                                  \
    REGULAR(algorithm, , int)                                                                      \
    REGULAR(algorithm, _c, MPI_Count)

#define DEFINE_radix(algorithm)                                                                    \
    RADIX(algorithm, , int)                                                                        \
    RADIX(algorithm, _c, MPI_Count)

#define DEFINE_both(algorithm)                                                                     \
    DEFINE_regular(algorithm) VECTOR(algorithm, , int, int)                                        \
        VECTOR(algorithm, _c, MPI_Count, MPI_Aint)

#define ALGO(collective, name, calls) DEFINE_##collective(name, calls)
#define DEFINE_alltoall(name, calls)  DEFINE_##calls(name)
#define DEFINE_allgather(name, calls)
#include "algos/algos.def"
#undef ALGO

DEFINE_both(auto)
