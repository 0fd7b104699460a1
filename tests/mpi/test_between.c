/* SPDX-License-Identifier: BSD-3-Clause */
/* test_between.c - no call of Tutti's works between two groups of ranks, whatever its arguments:
 * every algorithm of every collective in all forms. See plain_between.c for those of the MPI.
 */
#include "mpi/calls.h"

enum { MOST = 64 };

static void refuse(const call_set *s, MPI_Comm inter)
{
    static int zero[MOST], from[2], to[2];
    MPI_Datatype types[MOST];
    call_list list = {.narrow_counts = zero, .narrow_displs = zero, .types = types};
    call_args a = {.send = {.buffer = from, .type = MPI_INT, .list = list},
                   .recv = {.buffer = to, .type = MPI_INT, .list = list},
                   .op = MPI_SUM,
                   .comm = inter};
    MPI_Request r = MPI_REQUEST_NULL;
    MPIX_Request p = MPIX_REQUEST_NULL;

    for (int i = 0; i < MOST; i++)
        types[i] = MPI_INT;
    mpi_test_context("%s %s", coll_kind_name(s->kind), s->algorithm);
    CHECK_CLASS(calls_run(s, false, &a), MPI_ERR_COMM);
    CHECK_CLASS(calls_start(s, false, &a, &r), MPI_ERR_COMM);
    CHECK_CLASS(calls_init(s, false, &a, MPI_INFO_NULL, &p), MPI_ERR_COMM);
    CHECK(r == MPI_REQUEST_NULL && p == MPIX_REQUEST_NULL);
}

static void every_call_is_refused(void)
{
    int odd = world_rank % 2;
    MPI_Comm half, inter;

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 7, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    for (int i = 0; i < call_set_count; i++)
        refuse(&call_sets[i], inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(every_call_is_refused),
    };

    return mpi_test_main(argc, argv, "between", tests, sizeof tests / sizeof *tests);
}
