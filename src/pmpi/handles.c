/* SPDX-License-Identifier: BSD-3-Clause */
/* handles.c - the table of handles and the list of its free places. */
#include "pmpi/handles.h"

#include "pmpi/interpose.h"

#include <pthread.h>
#include <tutti_pmpix.h>

MPIX_Request handle_table[HANDLES];

#if defined OPEN_MPI || defined TUTTI_MPI_ABI

handle_target handle_targets[HANDLES];

static void write_number(uint32_t index)
{
    handle_target *t = &handle_targets[index];

    for (size_t i = 0; i < sizeof t->number / sizeof *t->number; i++)
        t->number[i] = handle_number(handle_value(index));
}

#else

static void write_number(uint32_t index)
{
    (void)index; /* it is the handle */
}

#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_free[HANDLES]; /* of a free place: the next one, plus 1 */
static uint32_t first_free;         /* plus 1; 0: none has been given back */
static uint32_t used;               /* places that were ever in use */

int handle_make(MPIX_Request r, MPI_Request *result)
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
    if (index < HANDLES)
        handle_table[index] = r;
    pthread_mutex_unlock(&mutex);
    if (index == HANDLES) {
        PMPIX_Request_free(&r);
        return interpose_raise(MPI_ERR_NO_MEM);
    }
    *result = handle_value(index);
    return MPI_SUCCESS;
}

void handle_release(MPI_Request r)
{
    uint32_t index = handle_index(r);

    pthread_mutex_lock(&mutex);
    handle_table[index] = MPIX_REQUEST_NULL;
    next_free[index] = first_free;
    first_free = index + 1;
    pthread_mutex_unlock(&mutex);
}
