/* SPDX-License-Identifier: BSD-3-Clause */
/* fatal.c - for check_fatal: `fatal ERROR RANK HANDLER`: a call with this error under this error
 * handler, on one rank or, if that is -1, on all; the other ranks wait for it. */
#include "mpi/plain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static int one = 1, all[64], counts[64], displs[64];
static MPI_Request request;
static MPIX_Request persistent;

static void topology(void)
{
    MPIX_Neighbor_alltoallv_auto_init(&one, counts, displs, MPI_INT, all, counts, displs, MPI_INT,
                                      MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
}

static void count(void)
{
    MPIX_Iallgather_ring(&one, -1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
}

static void listed(void)
{
    counts[1] = -5;
    MPIX_Allgatherv_auto(&one, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
}

static void root(void)
{
    MPIX_Bcast_binomial(&one, 1, MPI_INT, 7, MPI_COMM_WORLD);
}

static void null(void)
{
    MPIX_Allreduce_auto(NULL, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void type(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPIX_Allgather_auto(&one, 1, pair, all, 1, pair, MPI_COMM_WORLD);
}

static void op(void)
{
    MPIX_Iallreduce_auto(&one, all, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD, &request);
}

static void comm(void)
{
    MPIX_Ibarrier_auto(MPI_COMM_NULL, &request);
}

static void started(void)
{
    MPIX_Barrier_auto_init(MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
    MPIX_Start(&persistent);
    MPIX_Start(&persistent);
}

/* A request's error is explained by what its own init has been given. */
static void own_blocks(void)
{
    MPIX_Request other;

    MPIX_Allgather_linear_init(&one, 5, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &persistent);
    MPIX_Allgather_linear_init(&one, 7, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &other);
    MPIX_Start(&persistent);
    MPIX_Wait(&persistent, MPI_STATUS_IGNORE);
}

static void own_block_of_wait(void)
{
    MPIX_Iallgather_linear(all, 5, MPI_INT, all + 32, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An error of a call that has succeeded is not the reason of a later one. */
static void count_after_own_block(void)
{
    MPIX_Allgather_linear_init(&one, 1, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &persistent);
    MPIX_Startall(-1, &persistent);
}

static void several(void)
{
    MPIX_Request both[2];

    MPIX_Barrier_auto_init(MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
    MPIX_Allgather_linear_init(all, 5, MPI_INT, all + 32, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &both[1]);
    MPIX_Startall(2, both);
    MPIX_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void arrived(void)
{
    tutti_block_arrived(MPIX_REQUEST_NULL, 0, &one);
}

static void level(void)
{
    tutti_comm_regions(MPI_COMM_WORLD, "planet", all, &one);
}

static void threads(void)
{
    tutti_progress_thread_start(MPI_INFO_NULL);
}

static void wisdom(void)
{
    tutti_wisdom_import(MPI_COMM_WORLD, "/no/such/file");
}

static void flag(void)
{
    MPIX_Testall(0, NULL, NULL, MPI_STATUSES_IGNORE);
}

static void plain(void)
{
    MPI_Reduce(&one, all, -2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void plain_start(void)
{
    PERSISTENT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Start(&request);
}

/* tutti_algorithm=ringg: by an init; else a hint, or a setting of the progress thread. */
static void info(const char *setting)
{
    char key[64];
    MPI_Info info;

    MPI_Info_create(&info);
    snprintf(key, sizeof key, "%.*s", (int)strcspn(setting, "="), setting);
    MPI_Info_set(info, key, strchr(setting, '=') + 1);
    if (strcmp(key, "tutti_when") == 0)
        tutti_progress_thread_start(info);
    else if (strcmp(key, "tutti_order") == 0)
        tutti_comm_set_hints(MPI_COMM_WORLD, info);
    else
        MPIX_Allgather_auto_init(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, info,
                                 &persistent);
}

static void right(void)
{
    MPIX_Allgather_auto_init(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &persistent);
}

static void own(MPI_Comm *comm, int *error, ...)
{
}

static void call(const char *what)
{
    static const struct {
        const char *name;
        void (*wrong)(void);
    } errors[] = {{"topology", topology},
                  {"count", count},
                  {"listed", listed},
                  {"root", root},
                  {"null", null},
                  {"type", type},
                  {"op", op},
                  {"comm", comm},
                  {"started", started},
                  {"level", level},
                  {"flag", flag},
                  {"threads", threads},
                  {"wisdom", wisdom},
                  {"plain", plain},
                  {"right", right},
                  {"own_blocks", own_blocks},
                  {"own_block_of_wait", own_block_of_wait},
                  {"count_after_own_block", count_after_own_block},
                  {"several", several},
                  {"arrived", arrived},
                  {"plain_start", plain_start}};

    if (strchr(what, '='))
        info(what);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, what) == 0)
            errors[i].wrong();
}

int main(int argc, char **argv)
{
    int rank, provided, threads = strncmp(argv[1], "tutti_when", 10) == 0;
    bool mine;
    MPI_Errhandler handler;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = atoi(argv[2]) < 0 || rank == atoi(argv[2]);
    MPI_Comm_create_errhandler(own, &handler);
    if (strcmp(argv[3], "fatal") != 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD,
                                strcmp(argv[3], "own") == 0 ? handler : MPI_ERRORS_RETURN);
    call(mine ? argv[1] : strchr(argv[1], '=') ? "right" : "");
    MPI_Barrier(MPI_COMM_WORLD);
    puts("goes on");
    MPI_Finalize();
    return 0;
}
