/* SPDX-License-Identifier: BSD-3-Clause */
/* reads.c - see reads.h. Looks inside the library. */
#include "mpi/reads.h"

#include "mpi/hints.h"
#include "nbc/process/test_knobs.h"

#include <stdlib.h>
#include <tutti.h>

void reads_begin_on(MPI_Comm comm)
{
    const char *bytes = getenv("TEST_NODE_EAGER"), *fail = getenv("TEST_READS_FAIL");
    const char *blind = getenv("TEST_BLIND");

    vmread_test_refuses = blind && atoi(blind) == world_rank;
    CHECK(tutti_init() == MPI_SUCCESS);
    if (bytes)
        CHECK(hint(comm, "tutti_node_eager", bytes) == MPI_SUCCESS);
    vmread_test_refuses = fail ? atoi(fail) : 0;
}

void reads_begin(void)
{
    reads_begin_on(MPI_COMM_WORLD);
}
