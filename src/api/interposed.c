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
#include "nbc/stats/gather.h"
#include "persistent/request.h"
#include "tune/native.h"

#define UNWRAP(...)    __VA_ARGS__
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define LISTS          lists = &(const args_lists)

#define DEFINE(name, suffix, parameters, initializer)                                              \
    int JOIN(tutti_interposed_, name, suffix)(UNWRAP parameters, call_left * left)                 \
    {                                                                                              \
        return call_run_unless_native(                                                             \
            &(const args){.kind = COLL_##name, .algo = ALGO_NONE, UNWRAP initializer}, left);      \
    }                                                                                              \
    int JOIN(tutti_interposed_i, name, suffix)(UNWRAP parameters, MPI_Request * request,           \
                                               call_left * left)                                   \
    {                                                                                              \
        return call_start_unless_native(                                                           \
            &(const args){.kind = COLL_##name, .algo = ALGO_NONE, UNWRAP initializer}, request,    \
            left);                                                                                 \
    }                                                                                              \
    int JOIN(tutti_interposed_init_, name, suffix)(UNWRAP parameters, MPI_Info info,               \
                                                   MPIX_Request * request)                         \
    {                                                                                              \
        return call_init_staged(                                                                   \
            &(const args){.kind = COLL_##name, .algo = ALGO_NONE, UNWRAP initializer}, info,       \
            request);                                                                              \
    }

void tutti_interposed_refuse(const char *why)
{
    env_refuse("%s", why);
}

void tutti_interposed_counts(const char *reason, atomic_llong *calls)
{
    stats_look_outside(reason, calls);
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

bool tutti_interposed_reproducible_in_world(int kind)
{
    return env_reproducible_in_world() && coll_has((coll_kind)kind, COLL_REDUCES);
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

bool tutti_interposed_device(void)
{
    return device_loaded();
}

void *tutti_interposed_copy(struct staged *copies, const void *buffer, bool received)
{
    const staged_side *s = received ? &copies->recv : &copies->send;

    return s->host ? staged_copy(s, buffer) : (void *)(uintptr_t)buffer;
}

void tutti_interposed_copy_begin(struct staged *copies)
{
    staged_begin(copies);
}

int tutti_interposed_copy_end(struct staged *copies, MPI_Comm comm, int error)
{
    int failure = staged_end(copies, error);

    staged_free(copies);
    return failure && !error ? comm_raise_for("copying to GPU memory", comm, NULL, failure) : error;
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
