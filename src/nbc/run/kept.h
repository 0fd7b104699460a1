/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.h - operations and datatypes of the program that stay usable after it has freed them.
 *
 * MPI has no way to duplicate an operation, and both MPIs forget one at once that is freed; and a
 * function of MPI_Op_create may ask for the very handle of the type. So the library defines
 * MPI_Op_free and MPI_Type_free, as the profiling interface allows (api/free.c): what is in use is
 * freed when its last user is gone.
 */
#ifndef TUTTI_KEPT_H
#define TUTTI_KEPT_H

#include <mpi.h>
#include <stdbool.h>

/* Until as many calls of the other. False: out of memory. Predefined ones need not be kept. */
bool kept_op_hold(MPI_Op op);
void kept_op_release(MPI_Op op);
bool kept_type_hold(MPI_Datatype type);
void kept_type_release(MPI_Datatype type);

/* Free what was given back inside a callback of MPI. Not inside one. */
void kept_free_deferred(void);

/* The program frees it. True: not now; it is in use. */
bool kept_op_freed(MPI_Op op);
bool kept_type_freed(MPI_Datatype type);

#endif
