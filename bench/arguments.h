/* SPDX-License-Identifier: BSD-3-Clause */
/* arguments.h - the arguments of every collective of collectives.def, from a run.
 *
 * call_allgather(r, f), start_allgather(r, f, ...) and init_allgather(r, f, ...) call f with them:
 * MPI's function, or Tutti's by any algorithm. f is a constant where they are used, so the compiler
 * makes direct calls of them.
 */
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include "calls.h"

/* Under the names that collectives.def gives them. Every block is r->count of r->type. */
#define ARGUMENTS                                                                                  \
    char *sendbuf = r->send, *recvbuf = r->recv, *buffer = r->recv;                                \
    int sendcount = r->count, recvcount = r->count, count = r->count, root = r->root;              \
    const int *sendcounts = r->counts, *sdispls = r->displs;                                       \
    const int *recvcounts = r->counts, *displs = r->displs, *rdispls = r->displs;                  \
    MPI_Datatype sendtype = r->type, recvtype = r->type, datatype = r->type;                       \
    const MPI_Datatype *sendtypes = r->types, *recvtypes = r->types;                               \
    const MPI_Aint *sbyte_displs = r->byte_displs, *rbyte_displs = r->byte_displs;                 \
    MPI_Op op = r->op;                                                                             \
    MPI_Comm comm = r->comm;                                                                       \
                                                                                                   \
    (void)sendbuf, (void)recvbuf, (void)buffer, (void)sendcount, (void)recvcount, (void)count;     \
    (void)sendcounts, (void)sdispls, (void)recvcounts, (void)displs, (void)rdispls, (void)root;    \
    (void)sendtype, (void)recvtype, (void)datatype, (void)op, (void)sendtypes, (void)recvtypes;    \
    (void)sbyte_displs, (void)rbyte_displs;

#define UNWRAP(...) __VA_ARGS__
#define COUNT       int
#define DISPL       int
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    static inline int call_##name(const run *r, int(*f) parameters)                                \
    {                                                                                              \
        ARGUMENTS                                                                                  \
        return f arguments;                                                                        \
    }                                                                                              \
    static inline int start_##name(const run *r, int (*f)(UNWRAP parameters, MPI_Request *),       \
                                   MPI_Request *request)                                           \
    {                                                                                              \
        ARGUMENTS                                                                                  \
        return f(UNWRAP arguments, request);                                                       \
    }                                                                                              \
    static inline int init_##name(const run *r,                                                    \
                                  int (*f)(UNWRAP parameters, MPI_Info, MPIX_Request *),           \
                                  MPI_Info info, MPIX_Request *request)                            \
    {                                                                                              \
        ARGUMENTS                                                                                  \
        return f(UNWRAP arguments, info, request);                                                 \
    }                                                                                              \
    static inline int init_native_##name(                                                          \
        const run *r, int (*f)(UNWRAP parameters, MPI_Info, MPI_Request *), MPI_Request *request)  \
    {                                                                                              \
        ARGUMENTS                                                                                  \
        return f(UNWRAP arguments, MPI_INFO_NULL, request);                                        \
    }
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#undef DISPL
#undef COUNT

#endif
