/* operation.h - what the library needs to know of a reduction operation, and how it keeps one that
 * the program frees.
 *
 * MPI has no way to duplicate an operation, and both MPIs forget one at once that is freed. So the
 * library defines MPI_Op_free, as the profiling interface allows: an operation that is in use is
 * freed when its last user is gone.
 */
#ifndef TUTTI_OPERATION_H
#define TUTTI_OPERATION_H

#include <mpi.h>
#include <stdbool.h>

typedef struct operation {
    MPI_Op op;       /* MPI_OP_NULL: nothing is reduced */
    bool predefined; /* works element by element */
    bool commutes;
} operation;

/* Of collectives that reduce nothing. */
extern const operation operation_none;

/* Describe an operation on this type. MPI_ERR_OP: a null one, one for RMA only, or one that does not
 * serve the type. Nothing to release. */
int operation_describe(MPI_Op op, MPI_Datatype type, operation *o);

/* Keep it usable after the program has freed it, until as many calls of operation_release. */
int operation_hold(const operation *o);
void operation_release(const operation *o);

#endif
