/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_wait.c - test and wait for native requests: see calls.h. */
#include "calls.h"

#ifdef TUTTI_SIMULATED
#include <tutti_simulated.h>
#endif

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
