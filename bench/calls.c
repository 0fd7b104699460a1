/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - see calls.h. */
#include "calls.h"

#include <stdio.h>
#include <string.h>
#ifdef TUTTI_SIMULATED
#include <tutti_simulated.h>
#endif

int extent_blocks(coll_extent e, int n)
{
    return e == COLL_NONE ? 0 : e == COLL_ONE ? 1 : n;
}

coll_sides run_sides(const run *r)
{
    return coll_sides_of(r->what, r->rank, r->root, false);
}

const char *form_suffix(form f)
{
    static const char *const suffixes[] = {"", "_i", "_init", "_thread"};

    return suffixes[f];
}

bool calls_find(coll_kind c, const char *name, form f, way *result)
{
    if (strcmp(name, "native") == 0 || strcmp(name, "mpi") == 0)
        return calls_find_native(c, name, f, result);
    if (strcmp(name, "hand") == 0)
        return calls_find_hand(f, result);
    return calls_find_tutti(c, name, f, result);
}

int calls_test_native(run *r)
{
    int flag;

#ifdef TUTTI_SIMULATED /* nor does its MPI_Test advance anything of ours */
    tutti_progress();
#endif
    return MPI_Test(&r->native, &flag, MPI_STATUS_IGNORE);
}

/* SimGrid's MPI_Wait does not know generalized requests. */
int calls_wait_native(run *r)
{
#ifdef TUTTI_SIMULATED
    int flag = 0, error = MPI_SUCCESS;

    while (r->native != MPI_REQUEST_NULL && !flag && !error) {
        tutti_progress(); /* what still waits for the communicator */
        tutti_simulated_wait();
        error = MPI_Test(&r->native, &flag, MPI_STATUS_IGNORE);
    }
    return error;
#else
    return MPI_Wait(&r->native, MPI_STATUS_IGNORE);
#endif
}
