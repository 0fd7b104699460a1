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

const entry entries[] = {
#define ALGO(collective, name, calls) ENTRY_##collective(name)
#include "algos/algos.def"
#undef ALGO
    ENTRY(auto),
};
const int entry_count = sizeof entries / sizeof *entries;

bool entry_serves(const entry *e, int p)
{
    if (strcmp(e->name, "neighbor_exchange") == 0)
        return p == 1 || p % 2 == 0;
    if (strcmp(e->name, "recursive_doubling") == 0)
        return (p & (p - 1)) == 0;
    return true;
}
