/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - see process.h. */
#define _GNU_SOURCE /* dladdr1, RTLD_DEFAULT, RTLD_NODELETE */
#include "nbc/process/process.h"

#include "nbc/process/device.h"
#include "nbc/process/fault_tolerance.h"
#include "nbc/process/rest.h"
#include "nbc/process/role.h"
#include "nbc/process/waker.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

bool process_threaded = true;
_Thread_local bool process_in_callback;
_Thread_local role role_now;
_Thread_local bool role_keeps_off;
atomic_flag engine_taken = ATOMIC_FLAG_INIT;
bool engine_inside;
atomic_bool process_has_deferred;
_Atomic(waker *) waker_registered;
bool fault_tolerance;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm self = MPI_COMM_NULL;
static MPI_Status empty_status;

static void make_empty_status(void)
{
    PMPI_Status_set_elements(&empty_status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(&empty_status, 0);
    empty_status.MPI_SOURCE = MPI_ANY_SOURCE;
    empty_status.MPI_TAG = MPI_ANY_TAG;
}

/* Open MPI exports the variable in which it keeps the answer, which depends on settings in files,
 * the environment and mpirun's options, and on the transport. To ask for the control variable
 * mpi_ft_enable by MPI_T would load all of Open MPI's components. */
bool fault_tolerance_on(void)
{
    const bool *enabled = dlsym(RTLD_DEFAULT, "ompi_ftmpi_enabled");

    return enabled && *enabled && dlsym(RTLD_DEFAULT, "MPIX_Comm_revoke");
}

/* The object that our code is part of stays in memory until the process ends: the MPI calls us back
 * as late as in MPI_Finalize, but a program may dlclose the library, or a plug-in of its own that
 * the static library is part of, long before. */
static void pin_code(void)
{
    static const char here;
    const struct link_map *object;
    void *found;
    Dl_info unused;

    if (!dladdr1(&here, &unused, &found, RTLD_DL_LINKMAP))
        return;
    object = found;
    if (object->l_name[0]) /* the program itself has no name, and need not be pinned */
        dlopen(object->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

int process_start(void)
{
    int level = MPI_THREAD_SINGLE, error;

    pin_code(); /* before the MPI is given any callback */
    PMPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        process_threaded = false;
    make_empty_status();
    device_find_runtimes(); /* the last library by now is the MPI's, most often: it is held */
    error = PMPI_Comm_dup(MPI_COMM_SELF, &self);
    return error ? error : PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
}

MPI_Comm process_self(void)
{
    return self;
}

void process_empty_status(MPI_Status *status)
{
    int error = status->MPI_ERROR;

    *status = empty_status;
    status->MPI_ERROR = error;
}

void process_lock(void)
{
    if (process_threaded)
        pthread_mutex_lock(&mutex);
}

void process_unlock(void)
{
    if (process_threaded)
        pthread_mutex_unlock(&mutex);
}

void engine_enter(void)
{
    for (int again = 0; !engine_try_enter(); again++)
        rest(again);
}
