/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - the begin of the program: MPI_Init makes the channel, so that no call of the program has
 * to wait for it, and operations of Tutti's advance from then on in every blocking call.
 *
 * The next MPI_Init may be a tool's.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "nbc/process/right_mpi.h"
#include "pmpi/interpose.h"
#ifndef TUTTI_MPI_ABI
#include "pmpi/fortran.h"
#endif

#include <dlfcn.h>
#include <stddef.h>
#include <tutti.h>

typedef union symbol {
    void *object; /* through a union because ISO C has no conversion from void * to a function */
    int (*init)(int *argc, char ***argv);
    int (*init_thread)(int *argc, char ***argv, int required, int *provided);
#ifdef TUTTI_HAVE_SESSIONS
    int (*session_init)(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
#endif
} symbol;

static symbol find_next(const char *name)
{
    return (symbol){.object = dlsym(RTLD_NEXT, name)};
}

/* A wrong TUTTI_ variable is an error of the first call that is taken over, not of MPI_Init. */
static void begin(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    interpose_begin();
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    tutti_init();
    interpose_find_progress();
    interpose_need_progress();
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    PMPI_Errhandler_free(&handler);
}

int MPI_Init(int *argc, char ***argv)
{
    int error;

    right_mpi_check();
    error = find_next("MPI_Init").init(argc, argv);
    if (error == MPI_SUCCESS)
        begin();
    return error;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int error;

    right_mpi_check();
    error = find_next("MPI_Init_thread").init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS)
        begin();
    return error;
}

#ifdef TUTTI_HAVE_SESSIONS

/* Nothing of a program with sessions only is ours, but it may be of another MPI, too. */
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    right_mpi_check();
    return find_next("MPI_Session_init").session_init(info, handler, session);
}

#endif

/* ---- Fortran: over the ABI it is a layer that calls C ---- */

#ifndef TUTTI_MPI_ABI

void mpi_init_f08_(MPI_Fint *ierror)
{
    int error;

    FORTRAN_CALL_OWN(mpi_init, (&error));
    if (error == MPI_SUCCESS)
        begin();
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_init_f08_, mpi_init, MPI_INIT)

void mpi_init_thread_f08_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
{
    int error;

    FORTRAN_CALL_OWN(mpi_init_thread, (required, provided, &error));
    if (error == MPI_SUCCESS)
        begin();
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_init_thread_f08_, mpi_init_thread, MPI_INIT_THREAD)

#endif
