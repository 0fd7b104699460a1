/* SPDX-License-Identifier: BSD-3-Clause */
/* opened.c - libraries that plain_opens.c opens: one counts how often it is asked since it was
 * loaded; with CALLS one whose constructor waits for a thread that calls a collective.
 */
#include <mpi.h>
#include <pthread.h>

int opened_asked(void);

int opened_asked(void)
{
    static int times;

    return ++times;
}

#ifdef CALLS
static void *call(void *unused)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return unused;
}

__attribute__((constructor)) static void wait_for_a_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
}
#endif
