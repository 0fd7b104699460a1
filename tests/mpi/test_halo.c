/* SPDX-License-Identifier: BSD-3-Clause */
/* test_halo.c - persistent neighborhood collectives join what leaves a node: messages between nodes
 * are counted, on a complete graph. TUTTI_REGIONS makes the nodes.
 */
#include "mpi/mpi_test.h"

#include <stdlib.h>
#include <tutti.h>

enum { ITEMS = 3, STARTS = 4 };

typedef int init_function(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          MPIX_Request *request);

static MPI_Comm graph;
static int nodes, *node, *others;

static void make_graph(void)
{
    int n = 0;

    node = calloc((size_t)world_size, sizeof *node);
    others = calloc((size_t)world_size, sizeof *others);
    for (int r = 0; r < world_size; r++)
        if (r != world_rank)
            others[n++] = r;
    /* weights, because Open MPI's MPI_UNWEIGHTED looks to compilers like too short a list: any */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, others, others, n, others, others,
                                   MPI_INFO_NULL, 0, &graph);
    CHECK(tutti_init() == MPI_SUCCESS);
    CHECK(tutti_comm_regions(MPI_COMM_WORLD, "node", node, &nodes) == MPI_SUCCESS);
}

static void free_graph(void)
{
    MPI_Comm_free(&graph);
    free(node);
    free(others);
}

static void run(MPIX_Request *r, int *sent, const int *received)
{
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < world_size * ITEMS; i++)
            sent[i] = 10000 * world_rank + 100 * start + i;
        MPIX_Start(r);
        MPIX_Wait(r, MPI_STATUS_IGNORE);
        for (int i = 0; i < (world_size - 1) * ITEMS; i++) {
            int from = others[i / ITEMS], mine = world_rank - (world_rank > from);
            CHECK(received[i] == 10000 * from + 100 * start + ITEMS * mine + i % ITEMS);
        }
    }
}

/* Messages of one start between nodes, of all ranks. */
static long long messages_of(init_function *init)
{
    int *sent = calloc((size_t)world_size * ITEMS, sizeof *sent);
    int *received = calloc((size_t)world_size * ITEMS, sizeof *received);
    long long mine, all = 0;
    MPIX_Request r;
    tutti_stats s;

    CHECK(init(sent, ITEMS, MPI_INT, received, ITEMS, MPI_INT, graph, MPI_INFO_NULL, &r) ==
          MPI_SUCCESS);
    run(&r, sent, received);
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS);
    mine = (s.messages - s.shared_messages) / STARTS;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPIX_Request_free(&r);
    free(sent);
    free(received);
    return all / 2; /* sent and received */
}

static int ranks_on(int which)
{
    int n = 0;

    for (int r = 0; r < world_size; r++)
        n += node[r] == which;
    return n;
}

static void messages_between_nodes_are_as_few_as_promised(void)
{
    long long edges = 0;

    make_graph();
    for (int i = 0; i < nodes; i++)
        edges += (long long)ranks_on(i) * (world_size - ranks_on(i));
    CHECK(messages_of(MPIX_Neighbor_alltoall_linear_init) == edges);
    CHECK(messages_of(MPIX_Neighbor_alltoall_partner_init) == (long long)world_size * (nodes - 1));
    CHECK(messages_of(MPIX_Neighbor_alltoall_node_init) == (long long)nodes * (nodes - 1));
    free_graph();
}

int main(int argc, char **argv)
{
    const mpi_test tests[] = {MPI_TEST(messages_between_nodes_are_as_few_as_promised)};

    return mpi_test_main(argc, argv, "halo", tests, sizeof tests / sizeof *tests);
}
