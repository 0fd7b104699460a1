/* entries.c - see entries.h. */
#include "mpi/entries.h"

#include <string.h>

#define ENTRY(algorithm)                                                                           \
    {                                                                                              \
        .name = #algorithm, .allgather = MPIX_Allgather_##algorithm,                               \
        .allgather_c = MPIX_Allgather_##algorithm##_c, .allgatherv = MPIX_Allgatherv_##algorithm,  \
        .allgatherv_c = MPIX_Allgatherv_##algorithm##_c,                                           \
        .iallgather = MPIX_Iallgather_##algorithm,                                                 \
        .iallgather_c = MPIX_Iallgather_##algorithm##_c,                                           \
        .allgather_init = MPIX_Allgather_##algorithm##_init,                                       \
        .allgather_init_c = MPIX_Allgather_##algorithm##_init_c,                                   \
        .iallgatherv = MPIX_Iallgatherv_##algorithm,                                               \
        .iallgatherv_c = MPIX_Iallgatherv_##algorithm##_c,                                         \
        .allgatherv_init = MPIX_Allgatherv_##algorithm##_init,                                     \
        .allgatherv_init_c = MPIX_Allgatherv_##algorithm##_init_c,                                 \
    }

#define ENTRY_allgather(name) ENTRY(name),
#define ENTRY_alltoall(name)
#define ENTRY_barrier(name)
#define ENTRY_bcast(name)
#define ENTRY_allreduce(name)

const entry entries[] = {
#define ALGO(collective, name, calls) ENTRY_##collective(name)
#include "algos/algos.def"
#undef ALGO
    ENTRY(auto),
};
const int entry_count = sizeof entries / sizeof *entries;

/* ---- alltoall ---- */

#define REGULAR(algorithm)                                                                         \
    .name = #algorithm, .run = MPIX_Alltoall_##algorithm, .run_c = MPIX_Alltoall_##algorithm##_c,  \
    .start = MPIX_Ialltoall_##algorithm, .start_c = MPIX_Ialltoall_##algorithm##_c,                \
    .init = MPIX_Alltoall_##algorithm##_init, .init_c = MPIX_Alltoall_##algorithm##_init_c

#define VECTOR(algorithm)                                                                          \
    .run_v = MPIX_Alltoallv_##algorithm, .run_v_c = MPIX_Alltoallv_##algorithm##_c,                \
    .start_v = MPIX_Ialltoallv_##algorithm, .start_v_c = MPIX_Ialltoallv_##algorithm##_c,          \
    .init_v = MPIX_Alltoallv_##algorithm##_init, .init_v_c = MPIX_Alltoallv_##algorithm##_init_c

#define ALLTOALL_regular(algorithm)         {REGULAR(algorithm)},
#define ALLTOALL_both(algorithm)            {REGULAR(algorithm), VECTOR(algorithm)},
#define ALLTOALL_alltoall(algorithm, calls) ALLTOALL_##calls(algorithm)
#define ALLTOALL_allgather(algorithm, calls)
#define ALLTOALL_barrier(algorithm, calls)
#define ALLTOALL_bcast(algorithm, calls)
#define ALLTOALL_allreduce(algorithm, calls)

const alltoall_entry alltoall_entries[] = {
#define ALGO(collective, name, calls) ALLTOALL_##collective(name, calls)
#include "algos/algos.def"
#undef ALGO
    ALLTOALL_both(auto)};
const int alltoall_entry_count = sizeof alltoall_entries / sizeof *alltoall_entries;

bool entry_serves(const entry *e, int p)
{
    if (strcmp(e->name, "neighbor_exchange") == 0)
        return p == 1 || p % 2 == 0;
    if (strstr(e->name, "recursive_doubling"))
        return (p & (p - 1)) == 0;
    return true;
}
