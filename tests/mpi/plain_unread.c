/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_unread.c - one rank leaves out what the others call, because its arguments are wrong or it
 * does not start a request: what they have sent is read by nobody, and by no later call on another
 * communicator or with another request. Not run natively, where ranks may wait for ever.
 */
#define _GNU_SOURCE /* usleep */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <string.h>
#include <unistd.h>

enum { ROUNDS = 12, CALLS = 3, MOST = 1 << 15, LATE = 3000, LEFT = 77 };

static void bcast(MPI_Comm comm, int value)
{
    int x = world_rank == 1 ? value : -1;

    MPI_Bcast(&x, 1, MPI_INT, 1, comm);
    CHECK(x == value);
}

static void free_one_that_is_out_of_step(bool late)
{
    MPI_Comm comm;
    int x = LEFT;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    bcast(comm, 1);
    if (late && world_rank == 1)
        usleep(LATE);
    MPI_Bcast(&x, world_rank == 0 ? -1 : 1, MPI_INT, 1, comm);
    MPI_Comm_free(&comm);
    if (!late)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void no_other_communicator_gets_it(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        free_one_that_is_out_of_step(round % 2);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < CALLS; i++) {
            if (world_rank == 1)
                usleep(LATE);
            bcast(comm, 100 * round + i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_free(&comm);
    }
}

static char data[MOST];

static MPI_Request request_of(int bytes, int value)
{
    MPI_Request r;

    memset(data, world_rank == 1 ? value : -1, (size_t)bytes);
    PERSISTENT(Bcast)(data, bytes, MPI_CHAR, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    return r;
}

static void complete(MPI_Request *r)
{
    MPI_Start(r);
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* starts: by all ranks, before it. The root completes it alone. */
static void leave_a_start_out(int bytes, int starts)
{
    MPI_Request r = request_of(bytes, LEFT);

    for (int i = 0; i < starts; i++)
        complete(&r);
    if (world_rank == 1)
        complete(&r);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_free(&r);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Lengths that the root can send without a receiver. */
static void no_other_request_gets_it(void)
{
    for (int bytes = 4; bytes <= 8192; bytes *= 8)
        for (int round = 0; round < ROUNDS; round++) {
            leave_a_start_out(bytes, round % 3);
            MPI_Request r = request_of(bytes, round);
            if (world_rank == 1)
                usleep(LATE);
            complete(&r);
            CHECK(data[0] == round);
            CHECK(data[bytes - 1] == round);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Request_free(&r);
        }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(no_other_communicator_gets_it),
        MPI_TEST(no_other_request_gets_it),
    };

    return mpi_test_main(argc, argv, "unread", tests, sizeof tests / sizeof *tests);
}
