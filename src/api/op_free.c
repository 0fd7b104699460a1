/* op_free.c - MPI_Op_free, as the profiling interface allows: see nbc/run/operation.h. Not in a build
 * for SimGrid, whose programs call tutti_op_free.
 */
#include <tutti.h>

__attribute__((visibility("default"))) int MPI_Op_free(MPI_Op *op)
{
    return tutti_op_free(op);
}
