/* SPDX-License-Identifier: BSD-3-Clause */
/* test_halo.c - persistent neighborhood collectives join what leaves a node, and send nothing there
 * twice: messages and bytes between nodes are counted, on a complete graph. TUTTI_REGIONS makes the
 * nodes.
 */
#include "mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>
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

/* ---- blocks with items in common ---- */

enum { BLOCK = 10, VECTOR = 40 }; /* items */

/* The form of its calls, and how the block for the i-th of the others is made of the vector. */
typedef struct form {
    const char *name;
    bool typed;
    int groups; /* that the ranks of a node are for it */
} form;

/* Item j of the block that a rank sends to the i-th of its others. */
static int place(const form *f, int i, int j)
{
    if (!f->typed)
        return 5 * (i % 3) + j;
    return j < 3 ? 20 + i % 3 + j : 7 * (i % 2) + j - 3;
}

/* From lower to higher places than those before, and back: not as they are in memory. */
static MPI_Datatype make_type(const form *f, int i)
{
    int lengths[] = {3, 7}, places[] = {place(f, i, 0), place(f, i, 3)};
    MPI_Datatype type;

    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPIX_Request init_form(const form *f, const int *vector, int *received)
{
    int n = world_size - 1, *counts = calloc((size_t)n, sizeof *counts),
        *one = calloc((size_t)n, sizeof *one);
    int *from = calloc((size_t)n, sizeof *from), *to = calloc((size_t)n, sizeof *to);
    MPI_Aint *zero = calloc((size_t)n, sizeof *zero), *at = calloc((size_t)n, sizeof *at);
    MPI_Datatype *sent = calloc((size_t)n, sizeof(MPI_Datatype)),
                 *ints = calloc((size_t)n, sizeof(MPI_Datatype));
    MPIX_Request r;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", f->name);
    for (int i = 0; i < n; i++) {
        counts[i] = BLOCK;
        one[i] = 1;
        from[i] = place(f, i, 0);
        to[i] = BLOCK * i;
        at[i] = BLOCK * i * (MPI_Aint)sizeof(int);
        ints[i] = MPI_INT;
        sent[i] = make_type(f, i);
    }
    if (f->typed)
        MPIX_Neighbor_alltoallw_auto_init(vector, one, zero, sent, received, counts, at, ints,
                                          graph, info, &r);
    else
        MPIX_Neighbor_alltoallv_auto_init(vector, counts, from, MPI_INT, received, counts, to,
                                          MPI_INT, graph, info, &r);
    for (int i = 0; i < n; i++)
        MPI_Type_free(&sent[i]);
    MPI_Info_free(&info);
    free(counts);
    free(one);
    free(from);
    free(to);
    free(zero);
    free(at);
    free(sent);
    free(ints);
    return r;
}

static void run_form(const form *f, MPIX_Request *r, int *vector, const int *received)
{
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < VECTOR; i++)
            vector[i] = 10000 * world_rank + 100 * start + i;
        MPIX_Start(r);
        MPIX_Wait(r, MPI_STATUS_IGNORE);
        for (int i = 0; i < (world_size - 1) * BLOCK; i++) {
            int from = others[i / BLOCK], mine = world_rank - (world_rank > from);
            CHECK(received[i] == 10000 * from + 100 * start + place(f, mine, i % BLOCK));
        }
    }
}

/* Bytes of one start between nodes, of all ranks. */
static long long bytes_of(const form *f)
{
    int vector[VECTOR], *received = calloc((size_t)world_size * BLOCK, sizeof *received);
    long long mine, all = 0;
    MPIX_Request r = init_form(f, vector, received);
    tutti_stats s;

    run_form(f, &r, vector, received);
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS);
    mine = (s.bytes_sent + s.bytes_received - s.shared_bytes) / STARTS;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPIX_Request_free(&r);
    free(received);
    return all / 2;
}

/* Of a rank in its node, of so many; -1: another node. */
static int group_of(const form *f, int rank, int which)
{
    int before = 0, n = ranks_on(which), groups = f->groups < n ? f->groups : n;

    for (int r = 0; r < rank; r++)
        before += node[r] == which;
    return node[rank] == which ? before * groups / n : -1;
}

/* Items of a rank that a group of ranks of a node needs. */
static int items_needed(const form *f, int from, int by, int group)
{
    bool needed[VECTOR] = {false};
    int n = 0;

    for (int to = 0; to < world_size; to++)
        for (int j = 0; group_of(f, to, by) == group && j < BLOCK; j++)
            needed[place(f, to - (to > from), j)] = true;
    for (int i = 0; i < VECTOR; i++)
        n += needed[i];
    return n;
}

static void bytes_between_nodes_are_the_union_of_what_is_needed(void)
{
    static const form forms[] = {{"partner", false, 1}, {"node", false, 1}, {"node:2", false, 2},
                                 {"partner", true, 1},  {"node", true, 1},  {"node:3", true, 3}};

    make_graph();
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const form *f = &forms[k], linear = {"linear", f->typed, 1};
        long long items = 0, all = 0;
        for (int from = 0; from < world_size; from++)
            for (int i = 0; i < nodes; i++)
                if (i != node[from]) {
                    for (int group = 0; group < f->groups; group++)
                        items += items_needed(f, from, i, group);
                    all += (long long)BLOCK * ranks_on(i);
                }
        mpi_test_context("%s%s", f->name, f->typed ? ", typed" : "");
        CHECK(bytes_of(f) == items * (long long)sizeof(int));
        CHECK(bytes_of(&linear) == all * (long long)sizeof(int));
    }
    free_graph();
}

/* ---- errors ---- */

/* One rank sends more to other nodes, or less, than they expect; with blocks in common, too. */
static void ends_with_different_lengths_are_an_error_on_all_ranks(void)
{
    static const char *const names[] = {"partner", "node", "node:2"};
    int n, *sent = calloc(2 * (size_t)world_size, sizeof *sent), *received, *counts, *displs;
    int *items = calloc(6 * (size_t)world_size, sizeof *items);

    make_graph();
    n = world_size - 1;
    received = calloc((size_t)n * BLOCK, sizeof *received);
    counts = calloc((size_t)n, sizeof *counts);
    displs = calloc((size_t)n, sizeof *displs);
    MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
    for (int k = 0; k < 12; k++) {
        MPIX_Request r;
        MPI_Info info;
        for (int i = 0; i < n; i++) {
            bool odd = world_rank == 1 && node[others[i]] != node[1];
            sent[i] = odd ? (k % 2 ? 4 : 6) : 5;
            sent[n + i] = k / 2 % 2 ? 0 : 6 * i;
            counts[i] = 5;
            displs[i] = 5 * i;
        }
        MPI_Info_create(&info);
        MPI_Info_set(info, "tutti_algorithm", names[k / 4]);
        mpi_test_context("%s, case %d", names[k / 4], k);
        CHECK_CLASS(MPIX_Neighbor_alltoallv_auto_init(items, sent, sent + n, MPI_INT, received,
                                                      counts, displs, MPI_INT, graph, info, &r),
                    MPI_ERR_TRUNCATE);
        MPI_Info_free(&info);
    }
    free(items);
    free(sent);
    free(received);
    free(counts);
    free(displs);
    free_graph();
}

/* ---- messages ---- */

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

/* TUTTI_CONSTANTS makes messages between nodes dear; `linear` may be forbidden. */
static void auto_takes_a_form_with_few_messages_and_says_so(void)
{
    char text[600];

    make_graph();
    CHECK(messages_of(MPIX_Neighbor_alltoall_auto_init) <
          messages_of(MPIX_Neighbor_alltoall_partner_init));
    CHECK(tutti_comm_explain(graph, "neighbor_alltoall 12", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "a node sends others at most"));
    CHECK(strncmp(text, "neighbor_alltoall of 12 bytes a block on ", 41) == 0);
    CHECK(tutti_comm_explain(graph, "neighbor_alltoallw", text, sizeof text) == MPI_SUCCESS);
    CHECK(strncmp(text, "neighbor_alltoallw on ", 22) == 0);
    free_graph();
}

/* All candidates, the vote, and the winner. */
static void the_fastest_form_is_found_by_measuring(void)
{
    int *sent = calloc((size_t)world_size * ITEMS, sizeof *sent);
    int *received = calloc((size_t)world_size * ITEMS, sizeof *received);
    MPIX_Request r;
    MPI_Info info;

    make_graph();
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_plan", "measure");
    CHECK(MPIX_Neighbor_alltoall_auto_init(sent, ITEMS, MPI_INT, received, ITEMS, MPI_INT, graph,
                                           info, &r) == MPI_SUCCESS);
    MPI_Info_free(&info);
    for (int i = 0; i < 12; i++)
        run(&r, sent, received);
    MPIX_Request_free(&r);
    free(sent);
    free(received);
    free_graph();
}

/* What one rank alone forbids changes the forms to choose from, if not the first of them. */
static void ranks_that_forbid_different_forms_are_refused(void)
{
    static const char *const plans[] = {"estimate", "measure"};
    int *items = calloc((size_t)world_size * 2, sizeof *items);
    MPIX_Request r;

    make_graph();
    MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "tutti_plan", plans[k]);
        if (world_rank == 1)
            MPI_Info_set(info, "tutti_algorithm", "^node");
        CHECK_CLASS(MPIX_Neighbor_alltoall_auto_init(items, 1, MPI_INT, items + world_size, 1,
                                                     MPI_INT, graph, info, &r),
                    MPI_ERR_INFO_VALUE);
        MPI_Info_free(&info);
    }
    free(items);
    free_graph();
}

/* On a star, where ranks have different numbers of neighbors: they are known of those of a node. */
static void nodes_may_be_others_after_hints(void)
{
    static const char *const shapes[] = {"node:3", "node:2@cyclic", "none", "node:2"};
    int n = world_rank == 0 ? world_size - 1 : 1, *all = calloc((size_t)world_size, sizeof *all);
    MPI_Comm star;

    for (int i = 0; i < n; i++)
        all[i] = world_rank == 0 ? i + 1 : 0;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, all, all, n, all, all, MPI_INFO_NULL, 0,
                                   &star);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        MPIX_Request r;
        MPI_Info info;
        mpi_test_context("%s", shapes[k]);
        MPI_Info_create(&info);
        MPI_Info_set(info, "tutti_regions", shapes[k]);
        CHECK(tutti_comm_set_hints(star, info) == MPI_SUCCESS);
        CHECK(MPIX_Neighbor_allgather_node_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, star,
                                                MPI_INFO_NULL, &r) == MPI_SUCCESS);
        memset(all, -1, (size_t)n * sizeof *all);
        MPIX_Start(&r);
        MPIX_Wait(&r, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            CHECK(all[i] == (world_rank == 0 ? i + 1 : 0));
        MPIX_Request_free(&r);
        MPI_Info_free(&info);
    }
    MPI_Comm_free(&star);
    free(all);
}

int main(int argc, char **argv)
{
    const mpi_test tests[] = {MPI_TEST(messages_between_nodes_are_as_few_as_promised),
                              MPI_TEST(auto_takes_a_form_with_few_messages_and_says_so),
                              MPI_TEST(the_fastest_form_is_found_by_measuring),
                              MPI_TEST(ranks_that_forbid_different_forms_are_refused),
                              MPI_TEST(nodes_may_be_others_after_hints),
                              MPI_TEST(ends_with_different_lengths_are_an_error_on_all_ranks),
                              MPI_TEST(bytes_between_nodes_are_the_union_of_what_is_needed)};

    return mpi_test_main(argc, argv, "halo", tests, sizeof tests / sizeof *tests);
}
