/* SPDX-License-Identifier: BSD-3-Clause */
/* interposed.c - calls for libtutti_mpi.so, which leaves to the MPI what is not faster
 * here. See interposed.h.
 */
#include "api/interposed.h"

#include "api/call.h"
#include "api/try_both.h"

#include "nbc/library.h"
#include "nbc/process/env.h"
#include "nbc/process/fault_tolerance.h"
#include "nbc/process/mpi_library.h"
#include "nbc/process/rest.h"
#include "nbc/progress/driver.h"
#include "nbc/tally/gather.h"
#include "persistent/request.h"
#include "tune/native.h"

#define UNWRAP(...)    __VA_ARGS__
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define LISTS          lists = &(const args_lists)

#define DEFINE(name, suffix, parameters, initializer)                                              \
    int JOIN(tutti_interposed_, name, suffix)(UNWRAP parameters, call_native * native)             \
    {                                                                                              \
        return call_run_unless_native(                                                             \
            &(const args){.kind = COLL_##name, .algo = ALGO_NONE, UNWRAP initializer}, native);    \
    }                                                                                              \
    int JOIN(tutti_interposed_i, name, suffix)(UNWRAP parameters, MPI_Request * request,           \
                                               call_native * native)                               \
    {                                                                                              \
        return call_start_unless_native(                                                           \
            &(const args){.kind = COLL_##name, .algo = ALGO_NONE, UNWRAP initializer}, request,    \
            native);                                                                               \
    }

void tutti_interposed_refuse(const char *why)
{
    env_refuse("%s", why);
}

void tutti_interposed_counts(const char *reason, atomic_llong *calls)
{
    tally_look_outside(reason, calls);
}

bool tutti_interposed_errs_alone(int kind)
{
    return native_errs_alone((coll_kind)kind, &mpi_library_here()->version);
}

native_mpi_calls *tutti_interposed_native_mpi(void)
{
    return &native_mpi;
}

bool tutti_interposed_fault_tolerant(void)
{
    return fault_tolerance_on();
}

bool tutti_interposed_reproducible(int kind)
{
    return env_reproducible() && coll_has((coll_kind)kind, COLL_REDUCES);
}

void tutti_interposed_finalize(void)
{
    library_finalize();
}

void tutti_interposed_turn(void)
{
    driver_poll_turn();
}

void tutti_interposed_rest(int *idle)
{
    rest_turn(idle);
}

void tutti_interposed_tried(void)
{
    try_both_end();
}

bool tutti_interposed_active(MPIX_Request request)
{
    return request && request->active;
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
