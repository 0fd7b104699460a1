/* SPDX-License-Identifier: BSD-3-Clause */
/* end.c - MPI_Finalize with operations that nobody has completed, and calls of ours after it:
 * nothing crashes or hangs. "single" or "multiple", where the progress thread runs too. */
#include <stdio.h>
#include <string.h>
#include <tutti.h>

int main(int argc, char **argv)
{
    static int mine = 1, all[2][64];
    int level, threads = argc > 1 && strcmp(argv[1], "multiple") == 0, wrong = 0;
    const char *name, *reason;
    MPI_Request native;
    MPIX_Request persistent;

    wrong += tutti_progress_driver(&name, &reason) != MPI_ERR_OTHER; /* MPI does not run yet */
    wrong += tutti_progress() != MPI_SUCCESS;
    wrong += tutti_progress_thread_start(MPI_INFO_NULL) != MPI_ERR_OTHER;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (threads)
        wrong += tutti_progress_thread_start(MPI_INFO_NULL) != MPI_SUCCESS;
    MPIX_Allgather_auto_init(&mine, 1, MPI_INT, all[0], 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &persistent);
    MPIX_Start(&persistent);
    MPIX_Iallgather_auto(&mine, 1, MPI_INT, all[1], 1, MPI_INT, MPI_COMM_WORLD, &native);
    if (threads) /* MPICH 4.0 aborts if a thread is inside MPI when MPI_Finalize begins */
        wrong += tutti_progress_thread_stop() != MPI_SUCCESS;
    MPI_Finalize();
    for (int i = 0; i < 100; i++)
        wrong += tutti_progress() != MPI_SUCCESS;
    wrong += tutti_progress_thread_start(MPI_INFO_NULL) != MPI_ERR_OTHER;
    wrong += tutti_progress_driver(&name, &reason) != MPI_ERR_OTHER;
    if (wrong)
        fprintf(stderr, "end: %d wrong\n", wrong);
    return wrong != 0;
}
