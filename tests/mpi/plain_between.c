/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_between.c - every collective between two groups of ranks, blocking and non-blocking, with
 * what each rank must receive. Tutti has nothing to offer there: the MPI does it, and gets the
 * call as it is.
 *
 * Even ranks are one group, odd ones the other. The root is the first even rank.
 */
#include "mpi/mpi_test.h"

enum { MOST = 64, BLOCKING, NONBLOCKING };

static MPI_Comm half, inter;
static int odd, rank, mine, theirs, root; /* mine, theirs: ranks of the groups */
static int from[MOST], to[MOST], ones[MOST], displs[MOST], bytes[MOST];
static MPI_Datatype types[MOST];

/* Of rank i of the other group, in MPI_COMM_WORLD. */
static int other(int i)
{
    return 2 * i + 1 - odd;
}

static void open_groups(void)
{
    odd = world_rank % 2;
    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &mine);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 7, &inter);
    MPI_Comm_remote_size(inter, &theirs);
    root = odd ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    for (int i = 0; i < MOST; i++) {
        ones[i] = 1;
        displs[i] = i;
        bytes[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

static void close_groups(void)
{
    if (world_size < 2)
        return;
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void begin(const char *name, int form)
{
    mpi_test_context("%s, %s", name, form == BLOCKING ? "blocking" : "non-blocking");
    for (int i = 0; i < MOST; i++) {
        from[i] = world_rank * 100 + i;
        to[i] = -1;
    }
}

/* The other group's ranks: what they send to all, or to me. */
static void check_theirs(int to_me)
{
    for (int i = 0; i < MOST; i++)
        CHECK(to[i] == (i < theirs ? other(i) * 100 + to_me : -1));
}

static void check_first(int value)
{
    for (int i = 0; i < MOST; i++)
        CHECK(to[i] == (i == 0 ? value : -1));
}

/* Of the i-th numbers of all ranks of the other group. */
static int sum(int i)
{
    int s = 0;

    for (int k = 0; k < theirs; k++)
        s += other(k) * 100 + i;
    return s;
}

#define UNWRAP(...) __VA_ARGS__

/* One call in both forms, and what must be in `to`. */
#define BETWEEN(name, Name, arguments, expect)                                                     \
    for (int form = BLOCKING; form <= NONBLOCKING && world_size > 1; form++) {                     \
        MPI_Request r = MPI_REQUEST_NULL;                                                          \
        begin(#name, form);                                                                        \
        if (form == BLOCKING)                                                                      \
            CHECK(MPI_##Name(UNWRAP arguments, inter) == MPI_SUCCESS);                             \
        else                                                                                       \
            CHECK(MPI_I##name(UNWRAP arguments, inter, &r) == MPI_SUCCESS);                        \
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);                                     \
        expect;                                                                                    \
    }

static void blocks_of_all_ranks(void)
{
    BETWEEN(allgather, Allgather, (from, 1, MPI_INT, to, 1, MPI_INT), check_theirs(0))
    BETWEEN(allgatherv, Allgatherv, (from, 1, MPI_INT, to, ones, displs, MPI_INT), check_theirs(0))
    BETWEEN(alltoall, Alltoall, (from, 1, MPI_INT, to, 1, MPI_INT), check_theirs(rank))
    BETWEEN(alltoallv, Alltoallv, (from, ones, displs, MPI_INT, to, ones, displs, MPI_INT),
            check_theirs(rank))
    BETWEEN(alltoallw, Alltoallw, (from, ones, bytes, types, to, ones, bytes, types),
            check_theirs(rank))
}

static void reductions_get_what_the_other_group_has(void)
{
    int counts[MOST];

    BETWEEN(allreduce, Allreduce, (from, to, 1, MPI_INT, MPI_SUM), check_first(sum(0)))
    /* each group scatters as many numbers: as many as there are ranks in both */
    for (int i = 0; i < MOST; i++)
        counts[i] = theirs;
    BETWEEN(reduce_scatter, Reduce_scatter, (from, to, counts, MPI_INT, MPI_SUM),
            for (int i = 0; i < theirs; i++) CHECK(to[i] == sum(rank * theirs + i)))
    BETWEEN(reduce_scatter_block, Reduce_scatter_block, (from, to, theirs, MPI_INT, MPI_SUM),
            for (int i = 0; i < theirs; i++) CHECK(to[i] == sum(rank * theirs + i)))
}

/* The root's group but for the root gives and gets nothing. */
static void rooted_collectives(void)
{
    bool is_root = root == MPI_ROOT;

    BETWEEN(bcast, Bcast, (is_root ? from : to, 1, MPI_INT, root), check_first(odd ? 0 : -1))
    BETWEEN(gather, Gather, (from, 1, MPI_INT, to, 1, MPI_INT, root),
            is_root ? check_theirs(0) : check_first(-1))
    BETWEEN(gatherv, Gatherv, (from, 1, MPI_INT, to, ones, displs, MPI_INT, root),
            is_root ? check_theirs(0) : check_first(-1))
    BETWEEN(scatter, Scatter, (from, 1, MPI_INT, to, 1, MPI_INT, root),
            check_first(odd ? rank : -1))
    BETWEEN(scatterv, Scatterv, (from, ones, displs, MPI_INT, to, 1, MPI_INT, root),
            check_first(odd ? rank : -1))
    BETWEEN(reduce, Reduce, (from, to, 1, MPI_INT, MPI_SUM, root),
            check_first(is_root ? sum(0) : -1))
}

static void nobody_leaves_a_barrier_before_the_other_group_has_come(void)
{
    int flag = 0;
    MPI_Request r;

    if (world_size < 2)
        return;
    if (!odd) {
        MPI_Ibarrier(inter, &r);
        for (int i = 0; i < 1000; i++)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag); /* the odd ranks wait for all of us */
        MPI_Barrier(half);
        if (rank == 0)
            for (int i = 0; i < theirs; i++)
                MPI_Send(&flag, 1, MPI_INT, i, 3, inter);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&flag, 1, MPI_INT, 0, 3, inter, MPI_STATUS_IGNORE);
        MPI_Ibarrier(inter, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(inter);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_groups),
        MPI_TEST(blocks_of_all_ranks),
        MPI_TEST(reductions_get_what_the_other_group_has),
        MPI_TEST(rooted_collectives),
        MPI_TEST(nobody_leaves_a_barrier_before_the_other_group_has_come),
        MPI_TEST(close_groups),
    };

    return mpi_test_main(argc, argv, "plain_between", tests, sizeof tests / sizeof *tests);
}
