/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - see calls.h. */
#include "mpi/calls.h"

#include <string.h>

/* What the parameters of collectives.def are called, from call_args; COUNT and DISPL are defined
 * for the width, and `narrow` or `large` picks a list of that width. */
#define PARAMETERS(width)                                                                          \
    const void *sendbuf = a->send.buffer;                                                          \
    void *recvbuf = a->recv.buffer, *buffer = a->recv.buffer;                                      \
    COUNT sendcount = (COUNT)a->send.count, recvcount = (COUNT)a->recv.count, count = recvcount;   \
    const COUNT *sendcounts = a->send.list.width##_counts,                                         \
                *recvcounts = a->recv.list.width##_counts;                                         \
    const DISPL *sdispls = a->send.list.width##_displs, *rdispls = a->recv.list.width##_displs,    \
                *displs = rdispls;                                                                 \
    const MPI_Aint *sbyte_displs = a->send.list.large_displs,                                      \
                   *rbyte_displs = a->recv.list.large_displs;                                      \
    const MPI_Datatype *sendtypes = a->send.list.types, *recvtypes = a->recv.list.types;           \
    MPI_Datatype sendtype = a->send.type, recvtype = a->recv.type, datatype = recvtype;            \
    MPI_Op op = a->op;                                                                             \
    int root = a->root;                                                                            \
    MPI_Comm comm = a->comm;                                                                       \
    (void)sendbuf, (void)recvbuf, (void)buffer, (void)sendcount, (void)recvcount, (void)count;     \
    (void)sendcounts, (void)recvcounts, (void)sdispls, (void)rdispls, (void)displs;                \
    (void)sendtype, (void)recvtype, (void)datatype, (void)op, (void)root, (void)sendtypes,         \
        (void)recvtypes, (void)sbyte_displs, (void)rbyte_displs

#define AND_REQUEST(...)  (__VA_ARGS__, MPI_Request * request)
#define AND_INFO(...)     (__VA_ARGS__, MPI_Info info, persistent * p)
#define WITH_REQUEST(...) (__VA_ARGS__, request)
#define WITH_INFO(...)    (__VA_ARGS__, info, p)
#define CALLERS(name, width, parameters, arguments)                                                \
    static int run_##name##_##width(call_function *f, const call_args *a)                          \
    {                                                                                              \
        PARAMETERS(width);                                                                         \
        return ((int(*) parameters)f)arguments;                                                    \
    }                                                                                              \
    static int start_##name##_##width(call_function *f, const call_args *a, MPI_Request *request)  \
    {                                                                                              \
        PARAMETERS(width);                                                                         \
        return ((int(*) AND_REQUEST parameters)f)WITH_REQUEST arguments;                           \
    }                                                                                              \
    static int init_##name##_##width(call_function *f, const call_args *a, MPI_Info info,          \
                                     persistent *p)                                                \
    {                                                                                              \
        PARAMETERS(width);                                                                         \
        return ((int(*) AND_INFO parameters)f)WITH_INFO arguments;                                 \
    }

#define COUNT int
#define DISPL int
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    CALLERS(name, narrow, parameters, arguments)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#undef COUNT
#undef DISPL

#define COUNT MPI_Count
#define DISPL MPI_Aint
#define COLLECTIVE_UNCOUNTED(...)
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    CALLERS(name, large, parameters, arguments)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE

typedef struct caller {
    int (*run[2])(call_function *f, const call_args *a);
    int (*start[2])(call_function *f, const call_args *a, MPI_Request *request);
    int (*init[2])(call_function *f, const call_args *a, MPI_Info info, persistent *p);
    call_function *native;
} caller;

#define CALLER(name, Name, run_large, start_large, init_large)                                     \
    [COLL_##name] = {{run_##name##_narrow, run_large},                                             \
                     {start_##name##_narrow, start_large},                                         \
                     {init_##name##_narrow, init_large},                                           \
                     (call_function *)PMPI_##Name},

static const caller callers[COLL_KINDS] = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    CALLER(name, Name, run_##name##_large, start_##name##_large, init_##name##_large)
#define COLLECTIVE_UNCOUNTED(name, Name, ...) CALLER(name, Name, NULL, NULL, NULL)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
};

#define FUNCTION(f) (call_function *)f
#define BOTH(f)                                                                                    \
    {                                                                                              \
        FUNCTION(f), FUNCTION(f##_c)                                                               \
    }
#define ONLY(f)                                                                                    \
    {                                                                                              \
        FUNCTION(f), NULL                                                                          \
    }
#define SET(name, algorithm, forms, run, start, init)                                              \
    {COLL_##name, #algorithm, forms(run), forms(start), forms(init)},

const call_set call_sets[] = {
#ifndef PLAIN
#define ENTRIES(forms, name, Name, algorithm)                                                      \
    SET(name, algorithm, forms, MPIX_##Name##_##algorithm, MPIX_I##name##_##algorithm,             \
        MPIX_##Name##_##algorithm##_init)
#define ENTRY(name, Name, algorithm)           ENTRIES(BOTH, name, Name, algorithm)
#define ENTRY_UNCOUNTED(name, Name, algorithm) ENTRIES(ONLY, name, Name, algorithm)
#include "entries/entries.def"
#else
#if MPI_VERSION < 4 /* it has no large counts */
#define COUNTED ONLY
#else
#define COUNTED BOTH
#endif
#define COLLECTIVE(name, Name, ...)                                                                \
    SET(name, auto, COUNTED, MPI_##Name, MPI_I##name, PERSISTENT(Name))
#define COLLECTIVE_UNCOUNTED(name, Name, ...)                                                      \
    SET(name, auto, ONLY, MPI_##Name, MPI_I##name, PERSISTENT(Name))
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#endif
};
const int call_set_count = sizeof call_sets / sizeof *call_sets;

bool calls_are_general(coll_kind kind)
{
    const coll_shape *shape = &coll_shapes[kind];

    return shape->send < COLL_TYPED && shape->recv < COLL_TYPED && !coll_has(kind, COLL_NEIGHBORS);
}

/* Those that cut the vector, or swap operands. */
static bool needs_op_of_mpi(const char *algorithm)
{
    static const char *const names[] = {"ring", "circulant", "rabenseifner", "dual_root",
                                        "bine", "chain",     "lane",         "two_tree"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(algorithm, names[i]) == 0)
            return true;
    return false;
}

bool calls_are_regional(const call_set *s)
{
    static const char *const parts[] = {"lane", "hierarchical", "reorder", "locality", "auto"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(s->algorithm, parts[i]))
            return true;
    return false;
}

coll_sides calls_sides(coll_kind kind, int rank, int root, bool in_place)
{
    bool sends = !in_place, receives = true;

    switch (kind) {
    case COLL_scatter:
    case COLL_scatterv:
        sends = rank == root;
        receives = !in_place;
        break;
    case COLL_gather:
    case COLL_gatherv:
    case COLL_reduce:
        receives = rank == root;
        break;
    case COLL_exscan:
        receives = rank > 0 || in_place;
        break;
    default:
        break;
    }
    return (coll_sides){sends ? coll_shapes[kind].send : COLL_NONE,
                        receives ? coll_shapes[kind].recv : COLL_NONE};
}

bool calls_serve(const call_set *s, int p, const reduction *r)
{
    coll_kind family = coll_shapes[s->kind].family;
    bool power = (p & (p - 1)) == 0;

    if (!calls_are_general(s->kind))
        return false;
    if (strcmp(s->algorithm, "neighbor_exchange") == 0)
        return p == 1 || p % 2 == 0;
    if (strstr(s->algorithm, "recursive_doubling") && family == COLL_allgather)
        return power;
    if (strcmp(s->algorithm, "bine") == 0 && !power)
        return false;
    if (family == COLL_reduce_scatter && strcmp(s->algorithm, "lane") == 0)
        return true;
    if (family == COLL_reduce_scatter && needs_op_of_mpi(s->algorithm))
        return !r || !r->noncommutative; /* blocks are not cut, but operands swapped */
    return !r || !r->function || !needs_op_of_mpi(s->algorithm);
}

int calls_run(const call_set *s, bool large, const call_args *a)
{
    return callers[s->kind].run[large](s->run[large], a);
}

int calls_start(const call_set *s, bool large, const call_args *a, MPI_Request *request)
{
    return callers[s->kind].start[large](s->start[large], a, request);
}

int calls_init(const call_set *s, bool large, const call_args *a, MPI_Info info, persistent *p)
{
    return callers[s->kind].init[large](s->init[large], a, info, p);
}

int calls_native(coll_kind kind, const call_args *a)
{
    return callers[kind].run[false](callers[kind].native, a);
}

const call_set *calls_find(coll_kind kind, int i, int p)
{
    const call_set *found[64];
    int n = 0;

    for (int k = 0; k < call_set_count; k++)
        if (call_sets[k].kind == kind && calls_serve(&call_sets[k], p, NULL))
            found[n++] = &call_sets[k];
    return found[i % n];
}

call_args calls_ints(const void *send, int n, void *recv, MPI_Comm comm)
{
    return (call_args){.send = {.buffer = (void *)send, .count = n, .type = MPI_INT},
                       .recv = {.buffer = recv, .count = n, .type = MPI_INT},
                       .comm = comm};
}
