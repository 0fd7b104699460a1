/* SPDX-License-Identifier: BSD-3-Clause */
/* lifetime.c - see lifetime.h. */
#include "nbc/run/lifetime.h"

#include <pthread.h>
#include <stdlib.h>
#include <utlist.h>

atomic_uint lifetime_ends;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int key = MPI_KEYVAL_INVALID;
static lifetime *all; /* types that the program never frees are not lost to leak checkers */

void lifetime_ref(lifetime *l)
{
    if (l)
        atomic_fetch_add(&l->refs, 1);
}

void lifetime_unref(lifetime *l)
{
    if (!l || atomic_fetch_sub(&l->refs, 1) > 1)
        return;
    pthread_mutex_lock(&mutex);
    DL_DELETE(all, l);
    pthread_mutex_unlock(&mutex);
    free(l);
}

/* The delete callback. MPI may hold a lock of its own. */
static int end(MPI_Datatype type, int keyval, void *value, void *extra)
{
    lifetime *l = value;

    (void)type, (void)keyval, (void)extra;
    atomic_store(&l->over, true);
    if (atomic_load(&l->refs) > 1)
        atomic_fetch_add(&lifetime_ends, 1);
    lifetime_unref(l);
    return MPI_SUCCESS;
}

static int make_key(void)
{
    int made, error = MPI_SUCCESS;

    pthread_mutex_lock(&mutex);
    if (key == MPI_KEYVAL_INVALID) {
        error = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, end, &made, NULL);
        if (!error)
            key = made;
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

lifetime *lifetime_of(MPI_Datatype type)
{
    void *value = NULL;
    int found = 0;

    if (key == MPI_KEYVAL_INVALID || PMPI_Type_get_attr(type, key, &value, &found) != MPI_SUCCESS)
        return NULL;
    return found ? value : NULL;
}

int lifetime_attach(lifetime *l, MPI_Datatype type)
{
    int error = make_key();

    atomic_init(&l->refs, 1);
    atomic_init(&l->over, false);
    pthread_mutex_lock(&mutex);
    DL_APPEND(all, l);
    pthread_mutex_unlock(&mutex);
    if (!error)
        error = PMPI_Type_set_attr(type, key, l);
    if (error)
        lifetime_unref(l);
    return error;
}
