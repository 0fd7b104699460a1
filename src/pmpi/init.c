/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - the start of the program: MPI_Init makes the channel, so that no call of the program has
 * to wait for it, and operations of Tutti's advance from then on in every blocking call.
 */
#include "nbc/process/right_mpi.h"
#include "pmpi/both_names.h"
#include "pmpi/interpose.h"

#include <tutti.h>

/* A wrong TUTTI_ variable is an error of the first call that is taken over, not of MPI_Init. */
static void begin_program(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    interpose_begin();
    if (interpose_fault_tolerant)
        return;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    tutti_init();
    interpose_find_gpus();
    interpose_find_progress();
    interpose_need_progress();
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    PMPI_Errhandler_free(&handler);
}

BOTH_NAMES(Init, (int *argc, char ***argv), (argc, argv))
{
    int error;

    right_mpi_check();
    error = own_MPI_Init(argc, argv);
    if (error == MPI_SUCCESS)
        begin_program();
    return error;
}

BOTH_NAMES(Init_thread, (int *argc, char ***argv, int required, int *provided),
           (argc, argv, required, provided))
{
    int error;

    right_mpi_check();
    error = own_MPI_Init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS)
        begin_program();
    return error;
}

#ifdef TUTTI_HAVE_SESSIONS

/* Nothing of a program with sessions only is ours, but it may be of another MPI, too. */
BOTH_NAMES(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
           (info, handler, session))
{
    right_mpi_check();
    return own_MPI_Session_init(info, handler, session);
}

#endif
