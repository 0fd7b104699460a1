/* interposed.c - blocking calls for libtutti_mpi.so, which leaves to the MPI what is not faster
 * here (src/pmpi/interpose.h): tutti_interposed_allgather(..., comm, native) and so on. Exported,
 * but not in tutti.h: programs have `auto`.
 *
 * *native: 1 if nothing has been done, and the MPI's own call is to be made; on all ranks alike.
 */
#include "api/call.h"

#include "nbc/process/env.h"
#include "nbc/tally/gather.h"

#define UNWRAP(...)    __VA_ARGS__
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define LISTS          lists = &(const args_lists)

#define EXPORTED __attribute__((visibility("default")))

#define DEFINE(name, suffix, parameters, initializer)                                              \
    EXPORTED int JOIN(tutti_interposed_, name, suffix)(UNWRAP parameters, int *native);            \
    int JOIN(tutti_interposed_, name, suffix)(UNWRAP parameters, int *native)                      \
    {                                                                                              \
        return call_run_unless_native(                                                             \
            &(const args){.kind = COLL_##name, .algo = ALGO_NONE, UNWRAP initializer}, native);    \
    }

/* TUTTI_INTERPOSE has a wrong value: see env_refuse. */
EXPORTED void tutti_interposed_refuse(const char *why);
void tutti_interposed_refuse(const char *why)
{
    env_refuse("%s", why);
}

/* A reason for which calls are left to the MPI, and how often they are, by collectives: for the
 * statistics of the job. */
EXPORTED void tutti_interposed_counts(const char *reason, atomic_llong *calls);
void tutti_interposed_counts(const char *reason, atomic_llong *calls)
{
    tally_look_outside(reason, calls);
}

#define COUNT  int
#define DISPL  int
#define COUNTS counts
#define DISPLS displs
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, initializer)     \
    DEFINE(name, , parameters, initializer)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#undef COUNT
#undef DISPL
#undef COUNTS
#undef DISPLS

#define COUNT  MPI_Count
#define DISPL  MPI_Aint
#define COUNTS counts_c
#define DISPLS displs_c
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, initializer)     \
    DEFINE(name, _c, parameters, initializer)
#define COLLECTIVE_UNCOUNTED(...)
#include "nbc/sched/collectives.def"
