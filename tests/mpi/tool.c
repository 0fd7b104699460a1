/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.c - a profiling tool of somebody else's, behind libtutti_mpi.so: counts messages and says so
 * at the end. For check_interpose. */
#include <mpi.h>
#include <stdio.h>

static int messages;

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    messages++;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d messages\n", messages);
    return PMPI_Finalize();
}
