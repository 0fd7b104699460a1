/* SPDX-License-Identifier: BSD-3-Clause */
/* lifetime.h - when a derived datatype of the program ends.
 *
 * Until then its handle names this type, and what has been found out about it stays true. The
 * delete callback of an attribute is called when it ends: the program has freed the type, and no
 * operation and no type made of it needs it any more. An MPI gives the same handle out again only
 * after that.
 *
 * May be called by several threads.
 */
#ifndef TUTTI_LIFETIME_H
#define TUTTI_LIFETIME_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The first field of what is kept about a type. Allocated by malloc; freed with the last
 * reference, of which the type itself holds one. */
typedef struct lifetime {
    atomic_int refs;
    atomic_bool over;
    struct lifetime *prev, *next; /* all of them */
} lifetime;

/* What is kept about this type, without a new reference; or NULL. */
lifetime *lifetime_of(MPI_Datatype type);

/* Keep it until the type ends. MPI_SUCCESS, or an error of MPI: then it has been freed. */
int lifetime_attach(lifetime *l, MPI_Datatype type);

/* NULL is legal. */
void lifetime_ref(lifetime *l);
void lifetime_unref(lifetime *l);

/* So many types have ended to which somebody still had a reference. */
extern atomic_uint lifetime_ends;

#endif
