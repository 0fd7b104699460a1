/* tool.c - a profiling tool of somebody else's, behind libtutti_mpi.so: counts barriers and says so
 * at the end. For check_interpose. */
#include <mpi.h>
#include <stdio.h>

static int barriers;

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d barriers\n", barriers);
    return PMPI_Finalize();
}
