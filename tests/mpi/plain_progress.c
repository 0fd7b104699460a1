/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_progress.c - an MPI program that knows nothing of Tutti: a collective goes on while the
 * program sits in any other blocking call. Run under libtutti_mpi.so with the ring algorithm, so
 * that every rank has to forward; without progress this hangs.
 *
 * Rank 0 waits for the collective first and then releases the others, who sit in the blocking call
 * and wait for the collective afterwards.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>
#include <string.h>

enum { BIG = 1 << 20, ROUNDS = 3, FORMS = 2 };

typedef struct blocking {
    const char *name;
    void (*others)(void); /* what they sit in */
    void (*release)(void);
} blocking;

static char big[BIG];
static int value;

static void send_to_all(void)
{
    for (int i = 1; i < world_size; i++)
        MPI_Send(&value, 1, MPI_INT, i, 3, MPI_COMM_WORLD);
}

static void receive_big_from_all(void)
{
    for (int i = 1; i < world_size; i++)
        MPI_Recv(big, BIG, MPI_CHAR, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive(void)
{
    MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_big(void)
{
    MPI_Send(big, BIG, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
}

static void ssend(void)
{
    MPI_Ssend(big, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
}

static void probe(void)
{
    MPI_Probe(0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive();
}

static void mprobe(void)
{
    MPI_Message message;

    MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void sendrecv(void)
{
    MPI_Sendrecv(big, 8, MPI_CHAR, MPI_PROC_NULL, 4, &value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void wait_for_a_message(void)
{
    MPI_Request r;

    MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void waitall_for_messages(void)
{
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void waitany_for_messages(void)
{
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index;

    MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &r[1]);
    MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    int sum;

    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void dup(void)
{
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
}

static void allgather(void)
{
    int *all = malloc((size_t)world_size * sizeof *all);

    MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    free(all);
}

static void window(void)
{
    MPI_Win w;

    MPI_Win_create(big, BIG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}

static const blocking calls[] = {
    {"Recv", receive, send_to_all},
    {"Send", send_big, receive_big_from_all},
    {"Ssend", ssend, receive_big_from_all},
    {"Probe", probe, send_to_all},
    {"Mprobe", mprobe, send_to_all},
    {"Sendrecv", sendrecv, send_to_all},
    {"Wait", wait_for_a_message, send_to_all},
    {"Waitall", waitall_for_messages, send_to_all},
    {"Waitany", waitany_for_messages, send_to_all},
    {"Barrier", barrier, barrier},
    {"Bcast", bcast, bcast},
    {"Allreduce", allreduce, allreduce},
    {"Comm_dup", dup, dup},
    {"Allgather", allgather, allgather},
    {"Win_fence", window, window},
};

/* Form 0: non-blocking; form 1: persistent. */
static void a_round(const blocking *b, int form, MPI_Request *persistent, int *mine, int *all)
{
    MPI_Request r;

    memset(all, -1, (size_t)world_size * sizeof *all);
    if (form == 0) {
        MPI_Iallgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r);
    } else {
        r = *persistent;
        MPI_Start(&r);
    }
    if (world_rank == 0) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        b->release();
    } else {
        b->others();
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i + *mine - world_rank);
}

static void operations_advance_inside_any_blocking_call(void)
{
    int mine = 0, *all = malloc((size_t)world_size * sizeof *all);
    MPI_Request persistent;

    PERSISTENT(Allgather)
    (&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int form = 0; form < FORMS; form++)
            for (int round = 0; round < ROUNDS; round++) {
                mpi_test_context("%s form %d round %d", calls[i].name, form, round);
                mine = world_rank + round;
                a_round(&calls[i], form, &persistent, &mine, all);
            }
    MPI_Request_free(&persistent);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {MPI_TEST(operations_advance_inside_any_blocking_call)};

    return mpi_test_main(argc, argv, "plain_progress", tests, sizeof tests / sizeof *tests);
}
