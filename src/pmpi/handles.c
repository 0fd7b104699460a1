/* SPDX-License-Identifier: BSD-3-Clause */
/* handles.c - the table of handles and the list of its free slots. */
#define _GNU_SOURCE /* dladdr */
#include "pmpi/handles.h"

#include "pmpi/interpose.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tutti_pmpix.h>

MPIX_Request handle_table[HANDLES];

#if defined OPEN_MPI || defined TUTTI_MPI_ABI

handle_target handle_targets[HANDLES];
MPI_Request handle_natives[HANDLES];

static void write_number(uint32_t index)
{
    handle_target *t = &handle_targets[index];

    for (size_t i = 0; i < sizeof t->number / sizeof *t->number; i++)
        t->number[i] = handle_number(handle_value(index));
}

/* Are the arrays that Fortran leaves in a request its own? Of those of 5.0.7 some are the
 * program's, which it frees all the same. */
#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 6
enum { ARRAYS_ARE_FREED = true };
#else
enum { ARRAYS_ARE_FREED = false };
#endif

static void forget_handle(uint32_t index)
{
    handle_target *t = &handle_targets[index];

    handle_natives[index] = (MPI_Request)0;
    for (size_t i = 0; i < sizeof t->arrays / sizeof *t->arrays; i++) {
        if (ARRAYS_ARE_FREED)
            free(t->arrays[i]);
        t->arrays[i] = NULL;
    }
}

#else

static void write_number(uint32_t index) /* it is the handle */
{
}

static void forget_handle(uint32_t index)
{
}

#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_free[HANDLES]; /* of a free slot: the next one, plus 1 */
static uint32_t first_free;         /* plus 1; 0: none has been given back */
static uint32_t used;               /* slots that were ever in use */

/* HANDLES: all are in use. */
static uint32_t take_handle(void)
{
    uint32_t index = HANDLES;

    pthread_mutex_lock(&mutex);
    if (first_free) {
        index = first_free - 1;
        first_free = next_free[index];
    } else if (used < HANDLES) {
        index = used++;
        write_number(index);
    }
    pthread_mutex_unlock(&mutex);
    return index;
}

int handle_make(MPIX_Request r, MPI_Request *result)
{
    uint32_t index = take_handle();

    if (index == HANDLES) {
        PMPIX_Request_free(&r);
        return interpose_raise(MPI_ERR_NO_MEM);
    }
    handle_table[index] = r;
    *result = handle_value(index);
    return MPI_SUCCESS;
}

void handle_release(MPI_Request r)
{
    uint32_t index = handle_index(r);

    forget_handle(index);
    pthread_mutex_lock(&mutex);
    handle_table[index] = MPIX_REQUEST_NULL;
    next_free[index] = first_free;
    first_free = index + 1;
    pthread_mutex_unlock(&mutex);
}

#if defined OPEN_MPI && defined TUTTI_HAVE_MPI4_PERSISTENT

/* Asked anew where another page of code than last time is the caller. */
static bool is_fortran(const void *caller)
{
    enum { PAGE_BITS = 12 };
    static atomic_uintptr_t fortran, other;
    uintptr_t page = (uintptr_t)caller >> PAGE_BITS;
    Dl_info info;
    bool found;

    if (page == atomic_load_explicit(&other, memory_order_relaxed))
        return false;
    if (page == atomic_load_explicit(&fortran, memory_order_relaxed))
        return true;
    found = dladdr(caller, &info) && info.dli_fname &&
            (strstr(info.dli_fname, "/libmpi_mpifh") || strstr(info.dli_fname, "/libmpi_usempi"));
    atomic_store_explicit(found ? &fortran : &other, page, memory_order_relaxed);
    return found;
}

int handle_for_caller(MPI_Request *request, const void *caller)
{
    uint32_t index;

    if (!is_fortran(caller))
        return MPI_SUCCESS;
    index = take_handle();
    if (index == HANDLES) {
        PMPI_Request_free(request);
        return interpose_raise(MPI_ERR_NO_MEM);
    }
    handle_natives[index] = *request;
    *request = handle_value(index);
    return MPI_SUCCESS;
}

#endif

void handle_after(MPI_Request *request, MPI_Request native)
{
    if (!handle_ours(*request)) {
        *request = native;
    } else if (native == MPI_REQUEST_NULL) {
        handle_release(*request);
        *request = native;
    }
}
