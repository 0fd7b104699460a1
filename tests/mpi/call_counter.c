/* SPDX-License-Identifier: BSD-3-Clause */
/* call_counter.c - a profiling tool of somebody else's: counts the calls that the program makes, of
 * all collectives and of what starts and completes requests, and says so at the end. To be
 * preloaded, or linked with the program. For check_tool_order. With BY_DLSYM it does not call PMPI_
 * functions, but finds the next MPI_ ones, as EZTrace does.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <mpi.h>
#ifdef TUTTI_HAVE_MPIX_PERSISTENT
#include <mpi-ext.h>
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

#define UNWRAP(...) __VA_ARGS__
#define COUNT       int
#define DISPL       int

static atomic_int blocking, nonblocking, inits, starts, waits, tests;

static void say(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr,
            "tool: rank %d: %d blocking, %d non-blocking, %d init, %d start, %d wait, %d test\n",
            rank, blocking, nonblocking, inits, starts, waits, tests > 0);
}

#ifdef BY_DLSYM
#define NEXT(function) (*(__typeof__(P##function) **)&(void *){dlsym(RTLD_NEXT, #function)})
#else
#define NEXT(function) P##function
#endif

#define WRAP(function, counter, parameters, arguments)                                             \
    int function parameters                                                                        \
    {                                                                                              \
        counter++;                                                                                 \
        return NEXT(function) arguments;                                                           \
    }

#if defined TUTTI_HAVE_MPI4_PERSISTENT
#define WRAP_INIT(Name, parameters, arguments)                                                     \
    WRAP(MPI_##Name##_init, inits, (UNWRAP parameters, MPI_Info info, MPI_Request * request),      \
         (UNWRAP arguments, info, request))
#elif defined TUTTI_HAVE_MPIX_PERSISTENT
#define WRAP_INIT(Name, parameters, arguments)                                                     \
    WRAP(MPIX_##Name##_init, inits, (UNWRAP parameters, MPI_Info info, MPI_Request * request),     \
         (UNWRAP arguments, info, request))
#else
#define WRAP_INIT(...)
#endif

#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    WRAP(MPI_##Name, blocking, parameters, arguments)                                              \
    WRAP(MPI_I##name, nonblocking, (UNWRAP parameters, MPI_Request * request),                     \
         (UNWRAP arguments, request))                                                              \
    WRAP_INIT(Name, parameters, arguments)
#include "nbc/sched/collectives.def"

WRAP(MPI_Start, starts, (MPI_Request * request), (request))
WRAP(MPI_Startall, starts, (int n, MPI_Request requests[]), (n, requests))
WRAP(MPI_Wait, waits, (MPI_Request * request, MPI_Status *status), (request, status))
WRAP(MPI_Waitall, waits, (int n, MPI_Request requests[], MPI_Status statuses[]),
     (n, requests, statuses))
WRAP(MPI_Waitany, waits, (int n, MPI_Request requests[], int *index, MPI_Status *status),
     (n, requests, index, status))
WRAP(MPI_Waitsome, waits, (int n, MPI_Request r[], int *count, int indices[], MPI_Status s[]),
     (n, r, count, indices, s))
WRAP(MPI_Test, tests, (MPI_Request * request, int *flag, MPI_Status *status),
     (request, flag, status))
WRAP(MPI_Testall, tests, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
     (n, requests, flag, statuses))
WRAP(MPI_Testany, tests, (int n, MPI_Request r[], int *index, int *flag, MPI_Status *status),
     (n, r, index, flag, status))
WRAP(MPI_Testsome, tests, (int n, MPI_Request r[], int *count, int indices[], MPI_Status s[]),
     (n, r, count, indices, s))

int MPI_Finalize(void)
{
    say();
    return NEXT(MPI_Finalize)();
}
