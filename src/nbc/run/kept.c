/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.c - see kept.h. */
#include "nbc/run/kept.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <utlist.h>

typedef struct kept {
    uintptr_t handle;
    int users;
    int freed; /* so often by the program: MPI_Type_get_contents gives one handle again */
    struct kept *prev, *next;
} kept;

typedef struct keep {
    kept *all;
    atomic_int n; /* how many: programs free types often, and mostly none is kept */
} keep;

static keep ops, types;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static kept *find(const keep *k, uintptr_t handle)
{
    kept *h;

    DL_FOREACH (k->all, h) {
        if (h->handle == handle)
            return h;
    }
    return NULL;
}

static bool hold(keep *k, uintptr_t handle)
{
    kept *h;

    pthread_mutex_lock(&mutex);
    h = find(k, handle);
    if (!h && (h = calloc(1, sizeof *h)) != NULL) {
        h->handle = handle;
        DL_APPEND(k->all, h);
        atomic_fetch_add(&k->n, 1);
    }
    if (h)
        h->users++;
    pthread_mutex_unlock(&mutex);
    return h != NULL;
}

/* How often is it to be freed now? */
static int release(keep *k, uintptr_t handle)
{
    int freed = 0;
    kept *h;

    pthread_mutex_lock(&mutex);
    h = find(k, handle);
    if (--h->users == 0) {
        freed = h->freed;
        DL_DELETE(k->all, h);
        atomic_fetch_sub(&k->n, 1);
        free(h);
    }
    pthread_mutex_unlock(&mutex);
    return freed;
}

static bool is_kept(keep *k, uintptr_t handle)
{
    kept *h;

    if (atomic_load(&k->n) == 0)
        return false;
    pthread_mutex_lock(&mutex);
    h = find(k, handle);
    if (h)
        h->freed++;
    pthread_mutex_unlock(&mutex);
    return h != NULL;
}

bool kept_op_hold(MPI_Op op)
{
    return hold(&ops, (uintptr_t)op);
}

void kept_op_release(MPI_Op op)
{
    for (int n = release(&ops, (uintptr_t)op); n > 0; n--) {
        MPI_Op handle = op;
        PMPI_Op_free(&handle);
    }
}

bool kept_op_freed(MPI_Op op)
{
    return is_kept(&ops, (uintptr_t)op);
}

bool kept_type_hold(MPI_Datatype type)
{
    return hold(&types, (uintptr_t)type);
}

void kept_type_release(MPI_Datatype type)
{
    for (int n = release(&types, (uintptr_t)type); n > 0; n--) {
        MPI_Datatype handle = type;
        PMPI_Type_free(&handle);
    }
}

bool kept_type_freed(MPI_Datatype type)
{
    return is_kept(&types, (uintptr_t)type);
}
