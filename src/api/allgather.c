/* allgather.c - MPIX_Allgather_*, MPIX_Iallgather_*, MPIX_Allgather_*_init, their v-forms and
 * large-count forms, made from algos.def.
 */
#include "algos/algo.h"
#include "api/call.h"

enum { ALGO_allgather_auto = ALGO_NONE };

#define REGULAR(algorithm, suffix, count_t)                                                        \
    CALL_DEFINE(Allgather, allgather, algorithm, suffix,                                           \
                (const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,     \
                 count_t recvcount, MPI_Datatype recvtype),                                        \
                .kind = COLL_ALLGATHER, .algo = ALGO_allgather_##algorithm,                        \
                .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},                 \
                .recv = {.buffer = recvbuf, .count = recvcount, .type = recvtype})

#define VECTOR(algorithm, suffix, count_t, displ_t)                                                \
    CALL_DEFINE(Allgatherv, allgatherv, algorithm, suffix,                                         \
                (const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,     \
                 const count_t recvcounts[], const displ_t displs[], MPI_Datatype recvtype),       \
                .kind = COLL_ALLGATHERV, .algo = ALGO_allgather_##algorithm,                       \
                .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},                 \
                .recv = {.buffer = recvbuf,                                                        \
                         .counts##suffix = recvcounts,                                             \
                         .displs##suffix = displs,                                                 \
                         .type = recvtype})

#define DEFINE(algorithm)                                                                          \
    REGULAR(algorithm, , int)                                                                      \
    REGULAR(algorithm, _c, MPI_Count)                                                              \
    VECTOR(algorithm, , int, int)                                                                  \
    VECTOR(algorithm, _c, MPI_Count, MPI_Aint)

#define ALGO(collective, name, calls) DEFINE_##collective(name)
#define DEFINE_allgather(name)        DEFINE(name)
#define DEFINE_alltoall(name)
#include "algos/algos.def"
#undef ALGO

DEFINE(auto)
