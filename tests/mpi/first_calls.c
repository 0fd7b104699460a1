/* SPDX-License-Identifier: BSD-3-Clause */
/* first_calls.c - first operations on communicators beside all that may go on meanwhile.
 * One mode a run:
 *
 *   pending      another communicator's handshake is under way, and the progress thread looks at it
 *   alone        the same; the communicators have one process
 *   race         one rank uses the communicator before, the other after the channel was made
 *   late_init    tutti_init while the others wait for an operation that this rank has begun
 *   late_early   tutti_init after a blocking call has made the channel: it says "prepared"
 *   setting      a wrong setting on rank 0 only: all ranks get an error, nobody waits for ever
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { ROUNDS = 2000, MOST = 64, LARGE = 100000 };

static int rank, p, wrong;
static MPI_Comm shared;

static void check(const int *all, int n, int base)
{
    for (int i = 0; i < n; i++)
        wrong += all[i] != base + i;
}

static void *gather_on_shared(void *unused)
{
    int all[MOST];
    MPI_Request r;

    MPIX_Iallgather_ring(&rank, 1, MPI_INT, all, 1, MPI_INT, shared, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(all, p, 0);
    return unused;
}

/* Rank 0's call on `shared` waits for the others', which they make last. */
static void run_beside_a_pending_one(MPI_Comm parent)
{
    int all[MOST], one[MOST], size, mine;
    MPI_Request r;

    tutti_init();
    tutti_progress_thread_start(MPI_INFO_NULL);
    if (rank == 0)
        MPIX_Iallgather_ring(&rank, 1, MPI_INT, all, 1, MPI_INT, shared, &r);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm c;
        MPI_Comm_dup(parent, &c);
        MPI_Comm_size(c, &size);
        mine = i + (size == 1 ? 0 : rank);
        memset(one, -1, sizeof one);
        MPIX_Allgather_ring(&mine, 1, MPI_INT, one, 1, MPI_INT, c);
        check(one, size, i);
        MPI_Comm_free(&c);
    }
    if (rank != 0)
        MPIX_Iallgather_ring(&rank, 1, MPI_INT, all, 1, MPI_INT, shared, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(all, p, 0);
    tutti_progress_thread_stop();
}

/* The other ranks' threads are in their first call on `shared` when rank 0 makes the channel. */
static void race(void)
{
    int all[MOST];
    pthread_t thread;

    if (rank == 1) {
        pthread_create(&thread, NULL, gather_on_shared, NULL);
        for (int i = 0; i < 100000; i++)
            tutti_progress();
    }
    MPIX_Allgather_ring(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    check(all, p, 0);
    if (rank == 1)
        pthread_join(thread, NULL);
    else
        gather_on_shared(NULL);
}

static void late_init(void)
{
    int *mine = calloc(LARGE, sizeof *mine), *all = calloc((size_t)p * LARGE, sizeof *all);
    MPI_Comm some; /* so that preparing it makes no channel */
    MPI_Request r = MPI_REQUEST_NULL;

    MPI_Comm_split(MPI_COMM_WORLD, rank == p - 1, rank, &some);
    tutti_comm_prepare(some);
    for (int i = 0; i < LARGE; i++)
        mine[i] = rank;
    if (rank < p - 1)
        MPIX_Iallgather_ring(mine, LARGE, MPI_INT, all, LARGE, MPI_INT, some, &r);
    if (rank > 0)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    tutti_init();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; rank < p - 1 && i < (p - 1) * LARGE; i++)
        wrong += all[i] != i / LARGE;
    MPI_Comm_free(&some);
    free(mine);
    free(all);
}

static void late_early(void)
{
    int all[MOST], flag = 0;

    MPIX_Allgather_ring(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    tutti_comm_prepared(shared, &flag);
    wrong += flag != (p == 1);
    wrong += tutti_init() != MPI_SUCCESS;
    tutti_comm_prepared(shared, &flag);
    wrong += !flag;
}

static void setting(void)
{
    int all[MOST];

    if (rank == 0)
        setenv("TUTTI_SWITCHES", "/no/such/file", 1);
    tutti_init();
    wrong += MPIX_Allgather_ring(&rank, 1, MPI_INT, all, 1, MPI_INT, shared) == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int level, all_wrong = 0;

    MPI_Init_thread(&argc, &argv,
                    strstr("pending alone race", mode) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    MPI_Comm_set_errhandler(shared, MPI_ERRORS_RETURN);
    if (strcmp(mode, "pending") == 0)
        run_beside_a_pending_one(MPI_COMM_WORLD);
    else if (strcmp(mode, "alone") == 0)
        run_beside_a_pending_one(MPI_COMM_SELF);
    else if (strcmp(mode, "race") == 0)
        race();
    else if (strcmp(mode, "late_init") == 0)
        late_init();
    else if (strcmp(mode, "late_early") == 0)
        late_early();
    else
        setting();
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&shared);
    MPI_Finalize();
    if (!all_wrong && rank == 0)
        puts("right");
    return all_wrong != 0;
}
