/* SPDX-License-Identifier: BSD-3-Clause */
/* test_neighbor_rules.c - neighborhood collectives: what is wrong, where buffers may lie, what may
 * be freed, calls on new communicators, blocks that arrive one by one, threads.
 */
#include "mpi/edges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A ring of the ranks: sources and destinations are those before and after. */
static MPI_Comm ring(bool periodic)
{
    int n = world_size, period = periodic;
    MPI_Comm comm;

    tutti_init();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &period, 0, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* From the rank before to the rank after, one way. */
static MPI_Comm one_way(void)
{
    int before = (world_rank + world_size - 1) % world_size, after = (world_rank + 1) % world_size;

    tutti_init();
    return graph_of_lists(MPI_COMM_WORLD, 1, &before, 1, &after);
}

static void still_works(MPI_Comm comm)
{
    int s[2] = {world_rank, -world_rank}, r[2] = {-1, -1};
    int before = (world_rank + world_size - 1) % world_size;

    CHECK(MPIX_Neighbor_allgather_auto(s, 1, MPI_INT, r, 1, MPI_INT, comm) == MPI_SUCCESS);
    CHECK(r[0] == before && r[1] == (world_rank + 1) % world_size);
}

/* ---- errors ---- */

static void a_communicator_without_a_topology_is_refused(void)
{
    int s[4] = {0}, r[4], n[4] = {0};
    MPI_Aint at[4] = {0};
    MPI_Datatype t[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_CLASS(MPIX_Neighbor_allgather_auto(s, 1, MPI_INT, r, 1, MPI_INT, comm),
                    MPI_ERR_TOPOLOGY);
        CHECK_CLASS(MPIX_Neighbor_allgatherv_linear(s, 1, MPI_INT, r, n, n, MPI_INT, comm),
                    MPI_ERR_TOPOLOGY);
        CHECK_CLASS(MPIX_Ineighbor_alltoall_auto(s, 1, MPI_INT, r, 1, MPI_INT, comm, &request),
                    MPI_ERR_TOPOLOGY);
        CHECK_CLASS(MPIX_Neighbor_alltoallv_auto(s, n, n, MPI_INT, r, n, n, MPI_INT, comm),
                    MPI_ERR_TOPOLOGY);
        CHECK_CLASS(MPIX_Neighbor_alltoallw_auto(s, n, at, t, r, n, at, t, comm), MPI_ERR_TOPOLOGY);
    }
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Comm_free(&comm);
}

static void wrong_buffers_and_counts_are_refused(void)
{
    MPI_Comm comm = ring(true);
    int s[2], r[2], one[2] = {1, 1}, negative[2] = {1, -1}, at[2] = {0, 1};
    MPI_Datatype raw;

    MPI_Type_contiguous(1, MPI_INT, &raw);
    CHECK_CLASS(MPIX_Neighbor_allgather_auto(MPI_IN_PLACE, 1, MPI_INT, r, 1, MPI_INT, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(s, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(
        MPIX_Neighbor_alltoallv_auto(MPI_IN_PLACE, one, at, MPI_INT, r, one, at, MPI_INT, comm),
        MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(NULL, 1, MPI_INT, r, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(s, 1, MPI_INT, NULL, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(r, 1, MPI_INT, r, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(s, -1, MPI_INT, r, 1, MPI_INT, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(s, 1, raw, r, 1, MPI_INT, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPIX_Neighbor_allgatherv_auto(s, 1, MPI_INT, r, NULL, at, MPI_INT, comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Neighbor_allgatherv_auto(s, 1, MPI_INT, r, one, NULL, MPI_INT, comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Neighbor_alltoallv_auto(s, negative, at, MPI_INT, r, one, at, MPI_INT, comm),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Neighbor_alltoall_auto(s, 1, MPI_INT, r, 1, MPI_INT, MPI_COMM_NULL),
                MPI_ERR_COMM);
    still_works(comm);
    MPI_Type_free(&raw);
    MPI_Comm_free(&comm);
}

static void wrong_lists_of_types_are_refused(void)
{
    MPI_Comm comm = ring(true);
    int s[2] = {world_rank, 7}, r[2], one[2] = {1, 1}, none[2] = {0, 0}, half[2] = {1, 0};
    MPI_Aint at[2] = {0, 4};
    MPI_Datatype t[2] = {MPI_INT, MPI_INT}, null[2] = {MPI_INT, MPI_DATATYPE_NULL}, bad[2];

    MPI_Type_contiguous(1, MPI_INT, &bad[0]);
    bad[1] = bad[0];
    CHECK_CLASS(MPIX_Neighbor_alltoallw_auto(s, one, at, NULL, r, one, at, t, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Neighbor_alltoallw_auto(s, one, at, t, r, one, NULL, t, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Neighbor_alltoallw_auto(s, one, at, null, r, one, at, t, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPIX_Neighbor_alltoallw_auto(s, one, at, t, r, one, at, bad, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPIX_Neighbor_alltoallw_auto(MPI_IN_PLACE, one, at, t, r, one, at, t, comm),
                MPI_ERR_BUFFER);
    still_works(comm);
    CHECK(MPIX_Neighbor_alltoallw_auto(NULL, none, at, bad, NULL, none, at, null, comm) ==
          MPI_SUCCESS);
    MPI_Comm_free(&comm);
    comm = ring(false); /* nobody's block needs no type either, if it is empty */
    if (world_rank == 0)
        half[0] = 0;
    half[1] = world_rank < world_size - 1;
    null[0] = half[0] ? MPI_INT : MPI_DATATYPE_NULL;
    null[1] = half[1] ? MPI_INT : MPI_DATATYPE_NULL;
    r[0] = r[1] = -5;
    s[1] = world_rank + 100;
    CHECK(MPIX_Neighbor_alltoallw_auto(s, half, at, null, r, half, at, null, comm) == MPI_SUCCESS);
    CHECK(r[0] == (half[0] ? world_rank - 1 + 100 : -5) && r[1] == (half[1] ? world_rank + 1 : -5));
    MPI_Type_free(&bad[0]);
    MPI_Comm_free(&comm);
}

/* From myself twice: the first block is 1 int, the second one 3. */
static void what_is_sent_to_oneself_must_fit(void)
{
    int me[2] = {0, 0}, counts[2] = {1, 3}, at[2] = {0, 1}, less[2] = {1, 2}, more[2] = {2, 3};
    int s[5] = {1, 2, 3, 4, 5}, r[5] = {0}, none[2] = {1, 0};
    MPI_Comm comm;

    comm = graph_of_lists(MPI_COMM_SELF, 2, me, 2, me);
    CHECK_CLASS(MPIX_Neighbor_alltoallv_auto(s, more, at, MPI_INT, r, counts, at, MPI_INT, comm),
                MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPIX_Neighbor_alltoallv_auto(s, counts, at, MPI_INT, r, less, at, MPI_INT, comm),
                MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPIX_Neighbor_allgather_auto(s, 2, MPI_INT, r, 1, MPI_INT, comm), MPI_ERR_TRUNCATE);
    CHECK(r[0] == 0 && r[1] == 0 && r[4] == 0);
    CHECK_CLASS(MPIX_Neighbor_alltoallv_auto(s, none, at, MPI_INT, r, counts, at, MPI_INT, comm),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Neighbor_alltoallv_auto(s, less, at, MPI_INT, r, counts, at, MPI_INT, comm),
                MPI_ERR_COUNT);
    CHECK(r[0] == 1 && r[1] == 2);
    CHECK(MPIX_Neighbor_alltoallv_auto(s, counts, at, MPI_INT, r, counts, at, MPI_INT, comm) ==
          MPI_SUCCESS);
    CHECK(r[0] == 1 && r[1] == 2 && r[3] == 4 && r[4] == 0);
    MPI_Comm_free(&comm);
}

/* ---- buffers ---- */

/* No block in the receive buffer has the index of its own rank. */
static void what_is_sent_may_lie_behind_what_is_received(void)
{
    MPI_Comm comm = one_way();
    int before = (world_rank + world_size - 1) % world_size;
    int *r = calloc((size_t)world_size + 2, sizeof *r), *counts = malloc(sizeof *counts);
    int *displs = calloc(1, sizeof *displs), *s = &r[world_rank ? world_rank : 1];

    counts[0] = 1;
    for (int turn = 0; turn < 3; turn++) {
        *s = world_rank + turn;
        r[0] = -1;
        CHECK(MPIX_Neighbor_allgather_auto(s, 1, MPI_INT, r, 1, MPI_INT, comm) == MPI_SUCCESS);
        CHECK(r[0] == before + turn);
        r[0] = -1;
        CHECK(MPIX_Neighbor_allgatherv_auto(s, 1, MPI_INT, r, counts, displs, MPI_INT, comm) ==
              MPI_SUCCESS);
        CHECK(r[0] == before + turn);
    }
    CHECK_CLASS(MPIX_Neighbor_allgather_auto(r, 1, MPI_INT, r, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    free(displs);
    free(counts);
    free(r);
    MPI_Comm_free(&comm);
}

static void who_has_no_neighbors_needs_no_buffers(void)
{
    int zero = 0;
    MPI_Comm comm;

    comm = graph_of_lists(MPI_COMM_WORLD, 0, &zero, 0, &zero);
    for (int turn = 0; turn < 2; turn++) {
        CHECK(MPIX_Neighbor_allgather_auto(NULL, 9, MPI_INT, NULL, 9, MPI_INT, comm) ==
              MPI_SUCCESS);
        CHECK(MPIX_Neighbor_alltoall_auto(NULL, 9, MPI_INT, NULL, 9, MPI_INT, comm) == MPI_SUCCESS);
        CHECK(MPIX_Neighbor_alltoallv_auto(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT,
                                           comm) == MPI_SUCCESS);
        CHECK(MPIX_Neighbor_alltoallw_auto(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, comm) ==
              MPI_SUCCESS);
    }
    MPI_Comm_free(&comm);
}

/* ---- lives ---- */

static const call_set *set_of(coll_kind kind)
{
    const call_set *s = call_sets;

    while (s->kind != kind)
        s++;
    return s;
}

/* All five at once; the first one is the communicator's first call. All is freed before the wait.
 */
static void all_may_be_freed_while_they_run(void)
{
    tutti_init();
    for (int seed = 30; seed < 36; seed++) {
        MPI_Request requests[COLL_KINDS];
        edges e[COLL_KINDS];
        char *expected[COLL_KINDS];
        graph g, other;
        int n = 0;

        graph_random(seed, &g);
        MPI_Comm_dup(g.comm, &other.comm); /* the reference's: the other one is new to Tutti */
        mpi_test_context("%s", g.name);
        for (int kind = 0; kind < COLL_KINDS; kind++) {
            if (!coll_has((coll_kind)kind, COLL_NEIGHBORS))
                continue;
            edges_open(&e[n], &g, (coll_kind)kind, (edges_form){.units = 300, .types = seed % 4});
            edges_fill(&e[n], &g, seed);
            e[n].a.comm = other.comm;
            CHECK(calls_run(set_of((coll_kind)kind), false, &e[n].a) == MPI_SUCCESS);
            expected[n] = edges_copy(&e[n]);
            edges_fill(&e[n], &g, seed);
            e[n].a.comm = g.comm;
            CHECK(calls_start(set_of((coll_kind)kind), false, &e[n].a, &requests[n]) ==
                  MPI_SUCCESS);
            edges_spoil(&e[n++]);
        }
        graph_free(&g);
        CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < n; i++) {
            CHECK(edges_right(&e[i], expected[i]));
            edges_close(&e[i]);
            free(expected[i]);
        }
        MPI_Comm_free(&other.comm);
    }
}

/* ---- blocks ---- */

/* Rank 0 begins late: what comes from its other neighbor is there before. */
static void a_block_arrives_from_its_source(void)
{
    enum { BEFORE, BEHIND };
    MPI_Comm comm = ring(true);
    int s[2] = {world_rank, world_rank + 50}, r[2] = {-1, -1}, flag = 0;
    int before = (world_rank + world_size - 1) % world_size;
    MPIX_Request p = MPIX_REQUEST_NULL;

    CHECK(MPIX_Neighbor_alltoall_auto_init(s, 1, MPI_INT, r, 1, MPI_INT, comm, MPI_INFO_NULL, &p) ==
          MPI_SUCCESS);
    CHECK_CLASS(tutti_block_arrived(p, 2, &flag), MPI_ERR_RANK);
    if (world_rank == 0 && world_size > 2)
        MPI_Recv(NULL, 0, MPI_INT, world_size - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Start(&p);
    if (world_rank > 1 && world_rank == world_size - 1) {
        while (!flag)
            CHECK(tutti_block_arrived(p, BEFORE, &flag) == MPI_SUCCESS);
        CHECK(r[BEFORE] == before + 50);
        CHECK(tutti_block_arrived(p, BEHIND, &flag) == MPI_SUCCESS && !flag);
        MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++)
        do
            CHECK(tutti_block_arrived(p, i, &flag) == MPI_SUCCESS);
        while (!flag);
    if (world_size > 2) /* else it is the MPI's choice which block is which */
        CHECK(r[BEFORE] == before + 50 && r[BEHIND] == (world_rank + 1) % world_size);
    CHECK(MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPIX_Request_free(&p);
    MPI_Comm_free(&comm);
}

/* An index of the list of sources, which may be longer than there are ranks, or empty. */
static void sources_are_counted_not_ranks(void)
{
    int me[5] = {0}, s[5] = {1, 2, 3, 4, 5}, r[5] = {0}, flag = 0, zero = 0;
    MPIX_Request p;
    MPI_Comm comm;

    for (int n = 0; n <= 5; n += 5) {
        comm = graph_of_lists(MPI_COMM_SELF, n, me, n, me);
        CHECK(MPIX_Neighbor_alltoall_auto_init(s, 1, MPI_INT, r, 1, MPI_INT, comm, MPI_INFO_NULL,
                                               &p) == MPI_SUCCESS);
        MPIX_Start(&p);
        for (int i = 0; i < n; i++)
            CHECK(tutti_block_arrived(p, i, &flag) == MPI_SUCCESS);
        CHECK_CLASS(tutti_block_arrived(p, n, &zero), MPI_ERR_RANK);
        CHECK(MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPIX_Request_free(&p);
        MPI_Comm_free(&comm);
    }
    CHECK(r[0] + r[1] + r[2] + r[3] + r[4] == 15);
}

static void explain_names_the_algorithm(void)
{
    MPI_Comm comm = ring(true);
    char text[200];

    CHECK(tutti_comm_explain(comm, "neighbor_alltoall 64", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "neighbor_alltoall of 64 bytes a block") && strstr(text, ": linear ("));
    CHECK(tutti_comm_explain(comm, "neighbor_allgatherv 64", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, ": linear ("));
    CHECK(tutti_comm_explain(comm, "alltoallw 64", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, ": linear:") || world_size == 1);
    MPI_Comm_free(&comm);
}

/* ---- threads ---- */

static void *many_calls(void *argument)
{
    graph *g = argument;

    for (int turn = 0; turn < 40; turn++)
        for (int kind = 0; kind < COLL_KINDS; kind++) {
            MPI_Request request = MPI_REQUEST_NULL;
            edges e, again;
            if (!coll_has((coll_kind)kind, COLL_NEIGHBORS))
                continue;
            edges_open(&e, g, (coll_kind)kind, (edges_form){.units = 9, .types = turn % 4});
            edges_open(&again, g, (coll_kind)kind, (edges_form){.units = 9, .types = turn % 4});
            edges_fill(&e, g, turn);
            edges_fill(&again, g, turn);
            CHECK(calls_run(set_of((coll_kind)kind), false, &e.a) == MPI_SUCCESS);
            CHECK(calls_start(set_of((coll_kind)kind), false, &again.a, &request) == MPI_SUCCESS);
            edges_spoil(&again);
            CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            CHECK(edges_right(&e, again.recv.memory));
            edges_close(&e);
            edges_close(&again);
        }
    return NULL;
}

static void threads_with_a_graph_each(void)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    graph g[THREADS];
    int level;

    MPI_Query_thread(&level);
    for (int i = 0; i < THREADS; i++)
        graph_random(40 + i, &g[i]);
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++)
        pthread_create(&threads[i], NULL, many_calls, &g[i]);
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        graph_free(&g[i]);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(a_communicator_without_a_topology_is_refused),
        MPI_TEST(wrong_buffers_and_counts_are_refused),
        MPI_TEST(wrong_lists_of_types_are_refused),
        MPI_TEST(what_is_sent_to_oneself_must_fit),
        MPI_TEST(what_is_sent_may_lie_behind_what_is_received),
        MPI_TEST(who_has_no_neighbors_needs_no_buffers),
        MPI_TEST(all_may_be_freed_while_they_run),
        MPI_TEST(a_block_arrives_from_its_source),
        MPI_TEST(sources_are_counted_not_ranks),
        MPI_TEST(explain_names_the_algorithm),
        MPI_TEST(threads_with_a_graph_each),
    };

    return mpi_test_main(argc, argv, "neighbor_rules", tests, sizeof tests / sizeof *tests);
}
