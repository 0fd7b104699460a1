/* SPDX-License-Identifier: BSD-3-Clause */
/* test_naps.c - a rank that waits on a machine where others compute gives its processor away
 * between two looks at shared memory, for long; it looks at MPI before each time, because a message
 * of the program's may need that. The machine is made up: here sched_yield takes long, and so the
 * library naps, but where ranks share processors; and who naps and who asks MPI is counted, by
 * functions of these names that stand in front of the C library's and of MPI's. Looks inside the
 * library. */
#define _GNU_SOURCE /* syscall */
#include "mpi/mpi_test.h"

#include "nbc/process/rest.h"

#include <sys/syscall.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

enum { ENOUGH = 20, BLIND = 16 /* yields without a look at MPI, where processors are shared */ };

static int naps, blind; /* blind: without a look at MPI since the one before */
static int yields, unlooked;
static bool counting, looked;

#define IN_FRONT __attribute__((visibility("default")))

static int sleep_for(const struct timespec *t)
{
    return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, t, NULL);
}

/* The others come to the collective when this rank has rested often enough. */
static void call_others(int rests)
{
    for (int r = 1; rests == ENOUGH && r < world_size; r++)
        PMPI_Send(NULL, 0, MPI_INT, r, 1, MPI_COMM_WORLD);
}

IN_FRONT int sched_yield(void)
{
    if (!counting)
        return 0;
    if (rest_shares()) {
        unlooked = looked ? 0 : unlooked + 1;
        blind += unlooked > BLIND;
        looked = false;
        call_others(++yields);
    }
    return sleep_for(&(struct timespec){0, 2000000});
}

IN_FRONT int nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    if (counting) {
        naps++;
        blind += !looked;
        looked = false;
    }
    if (counting)
        call_others(naps);
    return sleep_for(t);
}

IN_FRONT int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    looked = true;
    return MPI_Iprobe(source, tag, comm, flag, status);
}

/* Rank 0 waits for the others, which wait for its message. */
static void wait_for_others(bool shares)
{
    int all[64] = {0}, processes = 0;
    const char *reason;
    MPIX_Request r = MPIX_REQUEST_NULL;

    naps = blind = yields = unlooked = 0;
    CHECK(tutti_init() == MPI_SUCCESS);
    CHECK(tutti_shared_memory(&processes, &reason) == MPI_SUCCESS);
    if (world_size < 2 || world_size > 64 || processes < world_size)
        return;
    CHECK(MPIX_Allgather_ring_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, &r) == MPI_SUCCESS);
    rest_share(shares); /* from here on: an init waits, too */
    if (world_rank > 0)
        PMPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    counting = world_rank == 0;
    CHECK(MPIX_Start(&r) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    counting = false;
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    CHECK(world_rank != 0 || (shares ? yields : naps) >= ENOUGH);
    CHECK(!shares || naps == 0);
    CHECK(blind == 0);
    CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
}

static void who_naps_looks_at_mpi_before(void)
{
    wait_for_others(false);
}

static void who_shares_processors_does_not_nap(void)
{
    wait_for_others(true);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {MPI_TEST(who_naps_looks_at_mpi_before),
                                     MPI_TEST(who_shares_processors_does_not_nap)};

    return mpi_test_main(argc, argv, "naps", tests, sizeof tests / sizeof *tests);
}
