/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_native.c - the MPI's own collectives: by their PMPI_ names, and by their MPI_ names, which
 * a preloaded library may have taken over. Persistent ones where the MPI has them. */
#include "arguments.h"

#include <string.h>

#ifdef TUTTI_HAVE_MPI4_PERSISTENT
#define HAVE_PERSISTENT
#define INIT(P, Name) P##_##Name##_init
#elif defined TUTTI_HAVE_MPIX_PERSISTENT
#include <mpi-ext.h>
#define HAVE_PERSISTENT
#define INIT(P, Name) P##X_##Name##_init
#endif

#ifdef HAVE_PERSISTENT
#define DEFINE_OPEN(P, Name, name)                                                                 \
    static int P##_open_##name(run *r)                                                             \
    {                                                                                              \
        return init_native_##name(r, INIT(P, Name), &r->native);                                   \
    }
#define OPEN(P, name) P##_open_##name
#else
#define DEFINE_OPEN(P, Name, name)
#define OPEN(P, name) NULL
#endif

#define DEFINE(P, Name, name)                                                                      \
    static int P##_block_##name(run *r)                                                            \
    {                                                                                              \
        return call_##name(r, P##_##Name);                                                         \
    }                                                                                              \
    static int P##_start_##name(run *r)                                                            \
    {                                                                                              \
        return start_##name(r, P##_I##name, &r->native);                                           \
    }                                                                                              \
    DEFINE_OPEN(P, Name, name)

#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    DEFINE(PMPI, Name, name)                                                                       \
    DEFINE(MPI, Name, name)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE

#define WAYS(P, name)                                                                              \
    {                                                                                              \
        P##_block_##name, P##_start_##name, OPEN(P, name)                                          \
    }

static const struct {
    int (*block)(run *r), (*start)(run *r), (*open)(run *r);
} table[COLL_KINDS][2] = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    [COLL_##name] = {WAYS(PMPI, name), WAYS(MPI, name)},
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
};

static int start_native(run *r)
{
    return PMPI_Start(&r->native);
}

static int start_mpi(run *r)
{
    return MPI_Start(&r->native);
}

static int wait_pmpi(run *r)
{
    return PMPI_Wait(&r->native, MPI_STATUS_IGNORE);
}

static int wait_mpi(run *r)
{
    return MPI_Wait(&r->native, MPI_STATUS_IGNORE);
}

static int test_pmpi(run *r)
{
    int flag;

    return PMPI_Test(&r->native, &flag, MPI_STATUS_IGNORE);
}

static void close_native(run *r)
{
    if (r->native != MPI_REQUEST_NULL)
        PMPI_Request_free(&r->native);
}

static void close_mpi(run *r)
{
    if (r->native != MPI_REQUEST_NULL)
        MPI_Request_free(&r->native);
}

bool calls_find_native(coll_kind c, const char *name, form f, way *result)
{
    bool mpi = strcmp(name, "mpi") == 0;

    *result =
        (way){.wait = mpi ? wait_mpi : wait_pmpi, .progress = mpi ? calls_test_native : test_pmpi};
    switch (f) {
    case BLOCKING:
        *result = (way){.start = table[c][mpi].block};
        return true;
    case NONBLOCKING:
        result->start = table[c][mpi].start;
        return true;
    case PERSISTENT:
        result->open = table[c][mpi].open;
        result->start = mpi ? start_mpi : start_native;
        result->close = mpi ? close_mpi : close_native;
        return result->open != NULL;
    default: /* the thread is Tutti's */
        return false;
    }
}
