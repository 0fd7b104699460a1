/* SPDX-License-Identifier: BSD-3-Clause */
/* test_regional.c - algorithms that look at the topology: calls on communicators that do not know
 * it yet; every variant.
 *
 * Under tests/mpi/cluster it runs on three hosts; anywhere with TUTTI_REGIONS set.
 */
#include "mpi/hints.h"
#include "mpi/unequal_blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tutti.h>

/* ---- calls before the topology is known ---- */

/* Types and communicator are freed, and the counts overwritten, at once. */
static void a_first_call_keeps_what_it_needs(void)
{
    size_t p = (size_t)world_size;
    int *counts = malloc(2 * p * sizeof *counts), *displs = counts + p, mine[N];
    int *all = malloc(p * 2 * N * sizeof *all);

    for (int turn = 0; turn < 8; turn++) {
        MPI_Comm comm = fresh();
        MPI_Datatype column, other;
        MPI_Request r;
        for (int i = 0; i < world_size; i++) {
            counts[i] = N;
            displs[i] = N * (world_size - 1 - i);
        }
        memset(all, 0x55, p * 2 * N * sizeof *all);
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &column);
        MPI_Type_commit(&column);
        fill(mine, turn);
        if (turn % 2)
            CHECK(MPIX_Iallgatherv_auto(mine, N, MPI_INT, all, counts, displs, column, comm, &r) ==
                  MPI_SUCCESS);
        else
            CHECK(MPIX_Iallgatherv_lane(mine, N, MPI_INT, all, counts, displs, column, comm, &r) ==
                  MPI_SUCCESS);
        memset(counts, -1, 2 * p * sizeof *counts);
        MPI_Type_free(&column);
        MPI_Type_create_resized(MPI_CHAR, 0, 3, &other); /* which may get the handle */
        MPI_Type_commit(&other);
        MPI_Comm_free(&comm);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Type_free(&other);
        for (int i = 0; i < world_size; i++)
            for (int k = 0; k < N; k++) {
                CHECK(all[2 * ((world_size - 1 - i) * N + k)] == i * 1000 + turn * 10 + k);
                CHECK(all[2 * ((world_size - 1 - i) * N + k) + 1] == 0x55555555);
            }
    }
    free(all);
    free(counts);
}

/* The call returns although nobody else has come. */
static void a_first_call_does_not_wait_for_late_ranks(void)
{
    MPI_Comm comm = fresh();
    int mine[N], *all = calloc((size_t)world_size * N, sizeof *all), token = 0;
    MPI_Request r;

    fill(mine, 3);
    if (world_rank == world_size - 1 && world_size > 1)
        MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPIX_Iallgather_auto(mine, N, MPI_INT, all, N, MPI_INT, comm, &r) == MPI_SUCCESS);
    if (world_rank == 0 && world_size > 1)
        MPI_Send(&token, 1, MPI_INT, world_size - 1, 7, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(is_right(all, world_size, 3));
    MPI_Comm_free(&comm);
    free(all);
}

static void many_first_calls_keep_their_order(void)
{
    enum { CALLS = 12 };
    MPI_Comm comm = fresh();
    size_t p = (size_t)world_size;
    int mine[CALLS][N], *all = calloc(CALLS * p * N, sizeof *all);
    MPI_Request r[CALLS];

    for (int i = 0; i < CALLS; i++) {
        int *to = all + (size_t)i * p * N;
        fill(mine[i], i);
        if (i % 3 == 0)
            MPIX_Iallgather_ring(mine[i], N, MPI_INT, to, N, MPI_INT, comm, &r[i]);
        else if (i % 3 == 1)
            MPIX_Iallgather_auto(mine[i], N, MPI_INT, to, N, MPI_INT, comm, &r[i]);
        else
            MPIX_Iallgather_hierarchical(mine[i], N, MPI_INT, to, N, MPI_INT, comm, &r[i]);
    }
    MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < CALLS; i++)
        CHECK(is_right(all + (size_t)i * p * N, world_size, i));
    MPI_Comm_free(&comm);
    free(all);
}

static void bad_arguments_of_a_first_call_are_errors_at_once(void)
{
    MPI_Comm comm = fresh();
    int mine[N], all[N];
    MPI_Request r;

    CHECK_CLASS(MPIX_Iallgather_auto(mine, -1, MPI_INT, all, N, MPI_INT, comm, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Iallgather_lane(mine, N, MPI_INT, NULL, N, MPI_INT, comm, &r), MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Iallgather_lane(mine, N, MPI_INT, all, N, MPI_DATATYPE_NULL, comm, &r),
                MPI_ERR_TYPE);
    if (world_size & (world_size - 1))
        CHECK_CLASS(
            MPIX_Iallgather_reorder_recursive_doubling(mine, N, MPI_INT, all, N, MPI_INT, comm, &r),
            MPI_ERR_UNSUPPORTED_OPERATION);
    MPI_Comm_free(&comm);
}

/* ---- every variant, restarted ---- */

static void restart(MPI_Comm comm, const char *name, const char *order)
{
    int mine[N], *all = malloc((size_t)world_size * N * sizeof *all);
    MPI_Info info = info_of("tutti_algorithm", name);
    MPIX_Request r = MPIX_REQUEST_NULL;

    mpi_test_context("%s %s", name, order);
    MPI_Info_set(info, "tutti_order", order);
    CHECK(MPIX_Allgather_auto_init(mine, N, MPI_INT, all, N, MPI_INT, comm, info, &r) ==
          MPI_SUCCESS);
    for (int turn = 0; turn < 4 && r != MPIX_REQUEST_NULL; turn++) {
        fill(mine, turn);
        memset(all, 0x55, (size_t)world_size * N * sizeof *all);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(is_right(all, world_size, turn));
    }
    MPIX_Request_free(&r);
    MPI_Info_free(&info);
    free(all);
}

static void every_variant_restarts_with_new_data(void)
{
    static const char *const shapes[] = {"none", "node:2", "node:1,3@cyclic package:2"};
    static const char *const names[] = {
        "locality_bruck:block", "lane:ring,block",
        "lane:sparbit",         "lane:linear",
        "lane:bruck,block",     "hierarchical",
        "hierarchical:linear",  "hierarchical:block",
        "reorder_ring",         "reorder_bruck",
        "reorder_sparbit",      "reorder_bruck:block",
        "reorder_hierarchical", "reorder_hierarchical:linear,block"};
    MPI_Comm comm = fresh();

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        CHECK(hint(comm, "tutti_regions", shapes[i]) == MPI_SUCCESS);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            restart(comm, names[k], "place");
            if (strncmp(names[k], "reorder", 7) == 0) {
                restart(comm, names[k], "initcomm");
                restart(comm, names[k], "endshuffle");
            }
        }
    }
    MPI_Comm_free(&comm);
}

/* Steps of all ranks in one start of the reordered ring, or of what info names. */
static long long steps_of(MPI_Comm comm, MPI_Info info, bool named)
{
    int mine[N], *all = malloc((size_t)world_size * N * sizeof *all);
    MPIX_Request r = MPIX_REQUEST_NULL;
    tutti_stats stats = {0};
    long long sum = 0;

    fill(mine, 1);
    CHECK((named ? MPIX_Allgather_auto_init : MPIX_Allgather_reorder_ring_init)(
              mine, N, MPI_INT, all, N, MPI_INT, comm, info, &r) == MPI_SUCCESS);
    CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(is_right(all, world_size, 1));
    CHECK(tutti_get_stats(r, &stats) == MPI_SUCCESS);
    MPI_Allreduce(&stats.steps, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
    MPIX_Request_free(&r);
    free(all);
    return sum;
}

/* A first exchange is more steps, all the copies of a last shuffle are still more: by info, which
 * goes before, or by hints. */
static void the_order_is_the_one_that_is_asked_for(void)
{
    MPI_Comm comm = fresh();
    MPI_Info first = info_of("tutti_order", "initcomm"),
             last = info_of("tutti_order", "endshuffle");
    MPI_Info hints = info_of("tutti_regions", "node:2@cyclic");
    long long place, initcomm, endshuffle;

    CHECK(tutti_comm_set_hints(comm, hints) == MPI_SUCCESS);
    place = steps_of(comm, MPI_INFO_NULL, false);
    initcomm = steps_of(comm, first, false);
    endshuffle = steps_of(comm, last, false);
    if (world_size > 3) {
        CHECK(initcomm > place);
        CHECK(endshuffle == place + (long long)world_size * world_size);
    }
    MPI_Info_set(hints, "tutti_order", "endshuffle");
    CHECK(tutti_comm_set_hints(comm, hints) == MPI_SUCCESS);
    CHECK(steps_of(comm, MPI_INFO_NULL, false) == endshuffle);
    CHECK(steps_of(comm, first, false) == initcomm);
    /* a name that says how goes before both */
    MPI_Info_set(first, "tutti_algorithm", "reorder_ring:place");
    CHECK(steps_of(comm, first, true) == place);
    MPI_Info_delete(first, "tutti_order");
    CHECK(steps_of(comm, first, true) == place);
    MPI_Info_set(first, "tutti_algorithm", "reorder_ring");
    CHECK(steps_of(comm, first, true) == endshuffle);
    MPI_Info_free(&first);
    MPI_Info_free(&last);
    MPI_Info_free(&hints);
    MPI_Comm_free(&comm);
}

/* ---- alltoalls of unequal blocks: those who carry them ask for their lengths ---- */

static void restart_unequal(MPI_Comm comm, const char *name, bool in_place)
{
    MPI_Info info = info_of("tutti_algorithm", name);
    MPIX_Request r = MPIX_REQUEST_NULL;
    unequal_blocks u;

    unequal_blocks_open(&u, in_place);
    CHECK(MPIX_Alltoallv_auto_init(unequal_blocks_sendbuf(&u), u.sent, u.sent_at, MPI_INT, u.in,
                                   u.received, u.received_at, MPI_INT, comm, info,
                                   &r) == MPI_SUCCESS);
    for (int turn = 0; turn < 4 && r != MPIX_REQUEST_NULL; turn++) {
        unequal_blocks_fill(&u, turn);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        unequal_blocks_check(&u, turn);
    }
    MPIX_Request_free(&r);
    MPI_Info_free(&info);
    unequal_blocks_close(&u);
}

static const char *const machines[] = {"none", "node:2", "node:2@cyclic", "node:1,3@cyclic",
                                       "node:3,1 package:2"};
static const char *const carriers[] = {"lane", "lane:block", "hierarchical", "hierarchical:linear"};

enum { MACHINES = sizeof machines / sizeof *machines, CARRIERS = 4 };

static void unequal_blocks_are_carried_again_and_again(void)
{
    MPI_Comm comm = fresh();

    for (int i = 0; i < MACHINES; i++) {
        CHECK(hint(comm, "tutti_regions", machines[i]) == MPI_SUCCESS);
        for (int k = 0; k < 2 * CARRIERS; k++) {
            mpi_test_context("%s on %s", carriers[k / 2], machines[i]);
            restart_unequal(comm, carriers[k / 2], k % 2);
        }
    }
    MPI_Comm_free(&comm);
}

/* Lists are overwritten as soon as the call has returned; so is the machine that the blocks travel
 * on, while some ranks still ask for lengths. */
static void the_machine_changes_while_lengths_are_asked_for(void)
{
    enum { CALLS = 6 };
    MPI_Comm comm = fresh();
    unequal_blocks u[CALLS];
    MPI_Request r[CALLS];

    for (int turn = 0; turn < 4 * MACHINES; turn++) {
        mpi_test_context("turn %d", turn);
        for (int i = 0; i < CALLS; i++) {
            unequal_blocks_open(&u[i], i % 3 == 2);
            unequal_blocks_fill(&u[i], i);
            CHECK((i % 2 ? MPIX_Ialltoallv_lane : MPIX_Ialltoallv_hierarchical)(
                      unequal_blocks_sendbuf(&u[i]), u[i].sent, u[i].sent_at, MPI_INT, u[i].in,
                      u[i].received, u[i].received_at, MPI_INT, comm, &r[i]) == MPI_SUCCESS);
            memset(u[i].sent, -1, 4 * (size_t)world_size * sizeof(int));
        }
        CHECK(hint(comm, "tutti_regions", machines[(turn + 1) % MACHINES]) == MPI_SUCCESS);
        MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < CALLS; i++) {
            unequal_blocks_check(&u[i], i);
            unequal_blocks_close(&u[i]);
        }
    }
    MPI_Comm_free(&comm);
}

/* Asking for lengths is not waiting for them. */
static void a_call_that_asks_for_lengths_does_not_wait_for_late_ranks(void)
{
    MPI_Comm comm = fresh();
    MPI_Request r;
    unequal_blocks u;
    int token = 0;

    CHECK(hint(comm, "tutti_regions", "node:2") == MPI_SUCCESS);
    unequal_blocks_open(&u, false);
    unequal_blocks_fill(&u, 1);
    if (world_rank == world_size - 1 && world_size > 1)
        MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPIX_Ialltoallv_lane(u.out, u.sent, u.sent_at, MPI_INT, u.in, u.received, u.received_at,
                               MPI_INT, comm, &r) == MPI_SUCCESS);
    if (world_rank == 0 && world_size > 1)
        MPI_Send(&token, 1, MPI_INT, world_size - 1, 7, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    unequal_blocks_check(&u, 1);
    unequal_blocks_close(&u);
    MPI_Comm_free(&comm);
}

static void broadcast_from(int root, const char *name, void *buffer, int bytes, MPI_Comm comm)
{
    MPI_Info info = info_of("tutti_algorithm", name);
    MPIX_Request r = MPIX_REQUEST_NULL;
    char *seen = buffer;

    mpi_test_context("%s, root %d", name, root);
    memset(buffer, world_rank == root ? 'x' : 0, (size_t)bytes);
    if (world_rank == root)
        CHECK(mprotect(buffer, (size_t)bytes, PROT_READ) == 0);
    CHECK(MPIX_Bcast_auto_init(buffer, bytes, MPI_BYTE, root, comm, info, &r) == MPI_SUCCESS);
    CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPIX_Request_free(&r);
    for (int i = 0; i < bytes; i++)
        CHECK(seen[i] == 'x');
    mprotect(buffer, (size_t)bytes, PROT_READ | PROT_WRITE);
    MPI_Info_free(&info);
}

static void a_root_broadcasts_what_cannot_be_written(void)
{
    static const char *const names[] = {"binomial",
                                        "scatter_allgather",
                                        "scatter_allgather:bruck",
                                        "chain:4",
                                        "circulant:4",
                                        "two_tree:4",
                                        "lane:circulant,step,2",
                                        "lane:chain,block,4",
                                        "lane:scatter_allgather,block",
                                        "hierarchical:circulant,block,4",
                                        "reorder_binomial"};
    enum { BYTES = 1 << 16 };
    void *buffer = aligned_alloc(BYTES, BYTES); /* whole pages */
    MPI_Comm comm = fresh();

    CHECK(hint(comm, "tutti_regions", "node:2") == MPI_SUCCESS);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int root = 0; root < world_size; root++)
            broadcast_from(root, names[i], buffer, BYTES, comm);
    free(buffer);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(a_first_call_keeps_what_it_needs),
        MPI_TEST(a_first_call_does_not_wait_for_late_ranks),
        MPI_TEST(many_first_calls_keep_their_order),
        MPI_TEST(bad_arguments_of_a_first_call_are_errors_at_once),
        MPI_TEST(every_variant_restarts_with_new_data),
        MPI_TEST(the_order_is_the_one_that_is_asked_for),
        MPI_TEST(unequal_blocks_are_carried_again_and_again),
        MPI_TEST(the_machine_changes_while_lengths_are_asked_for),
        MPI_TEST(a_call_that_asks_for_lengths_does_not_wait_for_late_ranks),
        MPI_TEST(a_root_broadcasts_what_cannot_be_written),
    };

    return mpi_test_main(argc, argv, "regional", tests, sizeof tests / sizeof *tests);
}
