/* SPDX-License-Identifier: BSD-3-Clause */
/* operation.h - what the library needs to know of a reduction operation. */
#ifndef TUTTI_OPERATION_H
#define TUTTI_OPERATION_H

#include <mpi.h>
#include <stdbool.h>

typedef struct operation {
    MPI_Op op;         /* MPI_OP_NULL: nothing is reduced */
    MPI_Datatype type; /* what it combines, as the program has given it */
    bool derived;      /* that is a derived one */
    bool predefined;   /* works element by element */
    bool commutes;
    bool symmetric; /* a op b and b op a are the same bits */
} operation;

/* For collectives that reduce nothing. */
extern const operation operation_none;

/* Describe an operation on this type. MPI_ERR_OP: a null one, one for RMA only, or one that does
 * not serve the type. Nothing to release. */
int operation_describe(MPI_Op op, MPI_Datatype type, operation *o);

/* Does this user-defined operation commute? */
bool operation_commutes(MPI_Op op);

/* Keep one of the program's, and the type that its function gets, usable until as many calls of
 * operation_release (kept.h). */
int operation_hold(const operation *o);
void operation_release(const operation *o);

#endif
