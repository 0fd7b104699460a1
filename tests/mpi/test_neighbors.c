/* SPDX-License-Identifier: BSD-3-Clause */
/* test_neighbors.c - neighborhood collectives in all their forms against messages in the order of
 * the MPI standard, on communicators of all kinds of topologies. Every byte of the receive buffers
 * is compared: of nobody nothing is received. With PLAIN: under libtutti_mpi.so.
 */
#include "mpi/edges.h"

#include <stdlib.h>

/* A block of one side, to or from its i-th neighbor. */
typedef struct block {
    char *at;
    int count;
    MPI_Datatype type;
} block;

static block block_at(coll_extent extent, const call_side *side, int i)
{
    const call_list *list = &side->list;
    MPI_Aint lb, size = 0;
    block b = {side->buffer, side->count, side->type};

    if (extent == COLL_TYPED)
        return (block){b.at + list->large_displs[i], list->narrow_counts[i], list->types[i]};
    MPI_Type_get_extent(side->type, &lb, &size);
    if (extent == COLL_LISTED) {
        b.count = list->narrow_counts[i];
        b.at += list->narrow_displs[i] * size;
    } else if (extent == COLL_EACH) {
        b.at += i * side->count * size;
    }
    return b;
}

/* What MPI-4.1 says in 8.6, in messages: on a Cartesian topology what leaves on one side of a
 * dimension arrives on the other side of the neighbor; in graphs messages match in the order of the
 * lists. Natively not all versions do this where a neighbor is there more than once. */
static int reference(const graph *g, coll_kind kind, const call_args *a)
{
    MPI_Request *requests = malloc((size_t)(g->in + g->out + 1) * sizeof *requests);
    int error;

    for (int i = 0; i < g->in; i++) {
        block b = block_at(coll_shapes[kind].recv, &a->recv, i);
        MPI_Irecv(b.at, b.count, b.type, g->sources[i], g->cartesian ? i ^ 1 : 0, g->comm,
                  &requests[i]);
    }
    for (int i = 0; i < g->out; i++) {
        block b = block_at(coll_shapes[kind].send, &a->send, i);
        MPI_Isend(b.at, b.count, b.type, g->destinations[i], g->cartesian ? i : 0, g->comm,
                  &requests[g->in + i]);
    }
    error = MPI_Waitall(g->in + g->out, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return error;
}

static void check_all(const graph *g, edges_form form)
{
    for (int kind = 0; kind < COLL_KINDS; kind++)
        if (coll_has((coll_kind)kind, COLL_NEIGHBORS))
            edges_check(g, (coll_kind)kind, form, reference);
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
            for (int places = PLACES_ABSOLUTE; places <= PLACES_IN_TYPES; places++)
                edges_check(&g, COLL_neighbor_alltoallw,
                            (edges_form){.units = 3, .types = 1, .places = places}, reference);
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
