/* SPDX-License-Identifier: BSD-3-Clause */
/* test_neighbors.c - neighborhood collectives in all their forms against messages in the order of
 * the MPI standard, on communicators of all kinds of topologies. Every byte of the receive buffers
 * is compared: of nobody nothing is received. With PLAIN: under libtutti_mpi.so.
 */
#include "mpi/edges.h"

static void check_all(const graph *g, edges_form form)
{
    for (int kind = 0; kind < COLL_KINDS; kind++)
        if (coll_has((coll_kind)kind, COLL_NEIGHBORS))
            edges_check(g, (coll_kind)kind, form, edges_by_messages);
}

static void on_every_graph(edges_form form)
{
    graph g;

    for (int i = 0; graph_make(i, &g); i += mpi_test_stride()) {
        if (g.comm != MPI_COMM_NULL)
            check_all(&g, form);
        graph_free(&g);
    }
}

static void every_kind_on_every_topology(void)
{
    on_every_graph((edges_form){.units = 3});
}

static void blocks_of_one_length(void)
{
    on_every_graph((edges_form){.equal = true, .units = 1, .types = 2});
}

static void types_with_gaps_and_below_their_address(void)
{
    on_every_graph((edges_form){.units = 6, .types = 1});
}

static void no_data(void)
{
    on_every_graph((edges_form){.units = 0, .types = 3});
}

/* Some messages are long enough for a rendezvous. */
static void long_blocks(void)
{
    for (int seed = 20; seed < 22; seed++) {
        graph g;
        graph_random(seed, &g);
        for (int types = 0; types < 4; types++)
            check_all(&g, (edges_form){.units = 9000, .types = types});
        graph_free(&g);
    }
}

static void absolute_addresses(void)
{
    graph g;

    for (int i = 0; graph_make(i, &g); i++) {
        if (g.comm != MPI_COMM_NULL)
            for (int displs = DISPLS_ABSOLUTE; displs <= DISPLS_IN_TYPES; displs++)
                edges_check(&g, COLL_neighbor_alltoallw,
                            (edges_form){.units = 3, .types = 1, .displs = displs},
                            edges_by_messages);
        graph_free(&g);
    }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(every_kind_on_every_topology),
        MPI_TEST(blocks_of_one_length),
        MPI_TEST(types_with_gaps_and_below_their_address),
        MPI_TEST(no_data),
        MPI_TEST(long_blocks),
        MPI_TEST(absolute_addresses),
    };

    return mpi_test_main(argc, argv, "neighbors", tests, sizeof tests / sizeof *tests);
}
