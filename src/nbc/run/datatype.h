/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.h - what the library needs to know of a user's datatype, and messages too large for an
 * int count.
 */
#ifndef TUTTI_DATATYPE_H
#define TUTTI_DATATYPE_H

#include "nbc/run/lifetime.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct datatype {
    MPI_Datatype type; /* the user's handle, or a copy of it after datatype_hold */
    lifetime *life;    /* of the user's type, as long as that or the copy is there; NULL:
                          predefined, or two threads have met it at a time */
    bool predefined;
    bool held;
    bool dense;      /* n elements fill n * size contiguous bytes at the address, in any order */
    bool contiguous; /* the same in the order of the data, if this is known (after datatype_hold) */
    int64_t size, extent;
    int64_t true_lb, true_extent;
} datatype;

/* Are n elements contiguous bytes in the order of the data? Not all that are, are found out. */
bool datatype_is_contiguous(const datatype *d);

/* Describe a datatype. MPI_ERR_TYPE for a null one. Nothing to release. What has been found out
 * about a derived one, by this and the other functions, is found out once. */
int datatype_describe(MPI_Datatype type, datatype *d);

/* MPI_SUCCESS, or MPI_ERR_TYPE if the datatype has not been committed. */
int datatype_check_committed(const datatype *d);

/* Another type that is the same, committed, and without its attributes: MPI_Type_dup calls the
 * copy functions that the program has given them. The caller frees it. */
int datatype_copy(MPI_Datatype type, MPI_Datatype *copy);

/* Keep the datatype usable after the user has freed it, until datatype_release. */
int datatype_hold(datatype *d);
void datatype_release(datatype *d);

/* So many are held in the process. */
extern atomic_int datatype_held;

/* Does its handle name this type now, and can its end be seen? */
static inline bool datatype_lasts(const datatype *d)
{
    return d->predefined || (d->life && !atomic_load(&d->life->over));
}

/* Is it made of several basic types? What is not known is taken to be. */
bool datatype_is_mixed(const datatype *d);

/* Commit a new datatype; frees it on error. */
int datatype_commit(MPI_Datatype *type);

/* Bytes of memory that n elements span, gaps between them included. */
int64_t datatype_span(const datatype *d, int64_t n);

/* A (type, count) that stands for n elements: the type itself where n fits an int, else a new
 * large type with count 1, which *made says and the caller frees. Not made on error. */
int datatype_count(MPI_Datatype type, int64_t n, MPI_Datatype *result, int *count, bool *made);

#endif
