/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.c - see kept.h. */
#include "nbc/run/kept.h"

#include "nbc/process/mutex.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <utlist.h>

/* Tuning: handles that nobody uses, but that are known for the next time. */
enum { UNUSED = 64 };

typedef struct kept {
    uintptr_t handle;
    int users;
    int freed; /* so often by the program: MPI_Type_get_contents gives one handle again */
    struct kept *prev, *next;
} kept;

typedef struct keep {
    kept *all;    /* used last first */
    atomic_int n; /* in use: programs free types often, and mostly none is */
    int length;
} keep;

static keep ops, types;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static kept *find_kept(const keep *k, uintptr_t handle)
{
    kept *h;

    DL_FOREACH (k->all, h) {
        if (h->handle == handle)
            return h;
    }
    return NULL;
}

/* How often has the program freed it? */
static int drop_kept(keep *k, kept *h)
{
    int freed = h->freed;

    DL_DELETE(k->all, h);
    k->length--;
    free(h);
    return freed;
}

/* The oldest ones that nobody uses, and that are not to be freed. */
static void shorten(keep *k)
{
    kept *h = k->all ? k->all->prev : NULL, *before;

    for (; h && k->length > UNUSED; h = before) {
        before = h == k->all ? NULL : h->prev;
        if (h->users == 0 && h->freed == 0)
            drop_kept(k, h);
    }
}

static kept *add_kept(keep *k, uintptr_t handle)
{
    kept *h = calloc(1, sizeof *h);

    shorten(k);
    if (!h)
        return NULL;
    h->handle = handle;
    DL_PREPEND(k->all, h);
    k->length++;
    return h;
}

static bool hold(keep *k, uintptr_t handle)
{
    kept *h;

    mutex_lock(&mutex);
    h = find_kept(k, handle);
    if (!h)
        h = add_kept(k, handle);
    if (h && h->users++ == 0)
        atomic_store(&k->n, k->n + 1);
    mutex_unlock(&mutex);
    return h != NULL;
}

/* How often is it to be freed now? Inside a callback not now. */
static int release_kept(keep *k, uintptr_t handle)
{
    int freed = 0;
    kept *h;

    mutex_lock(&mutex);
    h = find_kept(k, handle);
    if (--h->users == 0) {
        atomic_store(&k->n, k->n - 1);
        if (h->freed && process_in_callback)
            atomic_store(&process_has_deferred, true);
        else if (h->freed)
            freed = drop_kept(k, h);
    }
    mutex_unlock(&mutex);
    return freed;
}

/* One that nobody uses, and that is still to be freed; how often? 0: there is none. */
static int take_unused(keep *k, uintptr_t *handle)
{
    int freed = 0;
    kept *h;

    mutex_lock(&mutex);
    DL_FOREACH (k->all, h) {
        if (h->users == 0 && h->freed)
            break;
    }
    if (h) {
        *handle = h->handle;
        freed = drop_kept(k, h);
    }
    mutex_unlock(&mutex);
    return freed;
}

static bool free_later(keep *k, uintptr_t handle)
{
    kept *h;

    if (atomic_load(&k->n) == 0)
        return false;
    mutex_lock(&mutex);
    h = find_kept(k, handle);
    if (h && h->users == 0)
        h = NULL;
    if (h)
        h->freed++;
    mutex_unlock(&mutex);
    return h != NULL;
}

bool kept_op_hold(MPI_Op op)
{
    return hold(&ops, (uintptr_t)op);
}

static void free_op(MPI_Op op, int times)
{
    for (; times > 0; times--) {
        MPI_Op handle = op;
        native_mpi.Op_free(&handle);
    }
}

void kept_op_release(MPI_Op op)
{
    free_op(op, release_kept(&ops, (uintptr_t)op));
}

bool kept_op_freed(MPI_Op op)
{
    return free_later(&ops, (uintptr_t)op);
}

bool kept_type_hold(MPI_Datatype type)
{
    return hold(&types, (uintptr_t)type);
}

static void free_type(MPI_Datatype type, int times)
{
    for (; times > 0; times--) {
        MPI_Datatype handle = type;
        native_mpi.Type_free(&handle);
    }
}

void kept_type_release(MPI_Datatype type)
{
    free_type(type, release_kept(&types, (uintptr_t)type));
}

void kept_free_deferred(void)
{
    uintptr_t handle;
    int times;

    while ((times = take_unused(&ops, &handle)) > 0)
        free_op((MPI_Op)handle, times);
    while ((times = take_unused(&types, &handle)) > 0)
        free_type((MPI_Datatype)handle, times);
}

bool kept_type_freed(MPI_Datatype type)
{
    return free_later(&types, (uintptr_t)type);
}
