/* test_alltoall_lives.c - alltoall: what may be freed while it runs, ranks that are late, and many
 * operations in other orders.
 */
#include "mpi/entries.h"

#include <stdlib.h>
#include <time.h>

static int *out, *in;

static void open_buffers(void)
{
    out = calloc((size_t)world_size, sizeof *out);
    in = calloc((size_t)world_size, sizeof *in);
}

static void fill(int round)
{
    for (int i = 0; i < world_size; i++) {
        out[i] = world_rank * 1000 + i + round;
        in[i] = -1;
    }
}

static void compare(int round)
{
    for (int i = 0; i < world_size; i++)
        CHECK(in[i] == i * 1000 + world_rank + round);
}

/* Types and communicator are freed while every algorithm runs, on derived types that are sent from
 * several spaces by one message. */
static void types_and_communicator_may_be_freed_in_flight(void)
{
    enum { N = 700 }; /* above what is packed, for most messages */
    int n = N * world_size, *from = malloc((size_t)n * 2 * sizeof *from);
    int *to = malloc((size_t)n * 2 * sizeof *to);

    for (int i = 0; i < alltoall_entry_count; i++) {
        MPI_Request r;
        MPI_Datatype vector, type;
        MPI_Comm dup;
        int wrong = 0;

        mpi_test_context("%s", alltoall_entries[i].name);
        for (int k = 0; k < 2 * n; k++) {
            from[k] = world_rank * 2 * n + k;
            to[k] = -1;
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Type_vector(N, 1, 2, MPI_INT, &vector);
        MPI_Type_create_resized(vector, 0, 2 * N * (MPI_Aint)sizeof(int), &type);
        MPI_Type_commit(&type);
        CHECK(alltoall_entries[i].start(from, 1, type, to, 1, type, dup, &r) == MPI_SUCCESS);
        MPI_Type_free(&type);
        MPI_Type_free(&vector);
        MPI_Comm_free(&dup);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < 2 * n; k++) {
            int source = k / (2 * N), at = k % (2 * N);
            wrong += to[k] != (at % 2 ? -1 : source * 2 * n + world_rank * 2 * N + at);
        }
        CHECK(wrong == 0);
    }
    free(from);
    free(to);
}

/* Each rank in turn starts late: the messages of the others arrive before it has posted anything,
 * and throttled exchanges wait for it. */
static void a_rank_may_start_late(void)
{
    static const struct timespec pause = {.tv_nsec = 20000000};

    for (int i = 0; i < alltoall_entry_count; i++) {
        MPI_Request r;

        mpi_test_context("%s", alltoall_entries[i].name);
        fill(i);
        if (world_rank == i % world_size)
            nanosleep(&pause, NULL);
        CHECK(alltoall_entries[i].start(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
              MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        compare(i);
    }
}

/* Many operations of all algorithms at once, completed in another order on every rank. */
static void operations_of_all_algorithms_run_side_by_side(void)
{
    enum { MOST = 16 };
    MPI_Request r[MOST];
    int *from[MOST], *to[MOST], n = alltoall_entry_count;

    for (int i = 0; i < n; i++) {
        from[i] = malloc((size_t)world_size * sizeof(int));
        to[i] = malloc((size_t)world_size * sizeof(int));
        for (int k = 0; k < world_size; k++)
            from[i][k] = world_rank * 1000 + k + i * 100000;
        CHECK(alltoall_entries[i].start(from[i], 1, MPI_INT, to[i], 1, MPI_INT, MPI_COMM_WORLD,
                                        &r[i]) == MPI_SUCCESS);
    }
    for (int i = 0; i < n; i++)
        MPI_Wait(&r[(i * 5 + world_rank) % n], MPI_STATUS_IGNORE);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE); /* where 5 divides n, some have been left */
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < world_size; k++)
            CHECK(to[i][k] == k * 1000 + world_rank + i * 100000);
        free(from[i]);
        free(to[i]);
    }
}

/* Persistent requests of all algorithms, started in another order on every rank. */
static void persistent_requests_start_in_any_order(void)
{
    enum { MOST = 16 };
    MPIX_Request r[MOST];
    int *from[MOST], *to[MOST], n = alltoall_entry_count;

    for (int i = 0; i < n; i++) {
        from[i] = malloc((size_t)world_size * sizeof(int));
        to[i] = malloc((size_t)world_size * sizeof(int));
        CHECK(alltoall_entries[i].init(from[i], 1, MPI_INT, to[i], 1, MPI_INT, MPI_COMM_WORLD,
                                       MPI_INFO_NULL, &r[i]) == MPI_SUCCESS);
    }
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < n; i++) {
            int which = (i + world_rank * 2 + round) % n;
            for (int k = 0; k < world_size; k++)
                from[which][k] = world_rank * 1000 + k + which * 100000 + round;
            CHECK(MPIX_Start(&r[which]) == MPI_SUCCESS);
        }
        CHECK(MPIX_Waitall(n, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < world_size; k++)
                CHECK(to[i][k] == k * 1000 + world_rank + i * 100000 + round);
    }
    for (int i = 0; i < n; i++) {
        CHECK(MPIX_Request_free(&r[i]) == MPI_SUCCESS);
        free(from[i]);
        free(to[i]);
    }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_buffers),
        MPI_TEST(types_and_communicator_may_be_freed_in_flight),
        MPI_TEST(a_rank_may_start_late),
        MPI_TEST(operations_of_all_algorithms_run_side_by_side),
        MPI_TEST(persistent_requests_start_in_any_order),
    };
    int failed = mpi_test_main(argc, argv, "alltoall_lives", tests, sizeof tests / sizeof *tests);

    free(in);
    free(out);
    return failed;
}
