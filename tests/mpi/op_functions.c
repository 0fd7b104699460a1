/* SPDX-License-Identifier: BSD-3-Clause */
/* op_functions [ops]: beside a progress thread, functions of MPI_Op_create run in the program's own
 * thread only, unless the thread was started with tutti_ops=true. Operations are freed at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

enum { N = 50, ROUNDS = 20 };

static pthread_t program;
static int calls, elsewhere;

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    calls++;
    elsewhere += !pthread_equal(pthread_self(), program);
    for (int i = 0; i < *n; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

/* The thread gets its time before the wait. */
static int reduce(int round, int p, int rank)
{
    int mine[N], sum[N], wrong = 0;
    MPI_Request r;
    MPI_Op op;

    for (int i = 0; i < N; i++)
        mine[i] = rank + i + round;
    MPI_Op_create(add, round % 2, &op);
    MPIX_Iallreduce_recursive_doubling(mine, sum, N, MPI_INT, op, MPI_COMM_WORLD, &r);
    MPI_Op_free(&op);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        wrong += sum[i] != p * (i + round) + p * (p - 1) / 2;
    return wrong;
}

int main(int argc, char **argv)
{
    int level, p, rank, wrong = 0, allowed = argc > 1 && strcmp(argv[1], "ops") == 0;
    MPI_Info info = MPI_INFO_NULL;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    tutti_init();
    program = pthread_self();
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (allowed) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "tutti_ops", "true");
    }
    wrong += tutti_progress_thread_start(info) != MPI_SUCCESS;
    for (int round = 0; round < ROUNDS; round++)
        wrong += reduce(round, p, rank);
    wrong += !allowed && elsewhere > 0;
    if (wrong)
        printf("rank %d: %d wrong, %d calls, %d in the thread\n", rank, wrong, calls, elsewhere);
    tutti_progress_thread_stop();
    if (allowed)
        MPI_Info_free(&info);
    MPI_Finalize();
    return wrong != 0;
}
