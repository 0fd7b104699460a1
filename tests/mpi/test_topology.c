/* SPDX-License-Identifier: BSD-3-Clause */
/* test_topology.c - where the ranks are: found out, made up, hinted at; and what `auto` makes of
 * it.
 *
 * Under tests/mpi/cluster it runs on three hosts; anywhere with TUTTI_REGIONS set.
 */
#include "mpi/hints.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* ---- what is found ---- */

/* Under tests/mpi/cluster. */
static void emulated_hosts_are_nodes(void)
{
    const char *nodes = getenv("TEST_NODES");
    int *found = malloc((size_t)world_size * sizeof *found), count;

    if (nodes && !made_up()) {
        CHECK(tutti_comm_regions(MPI_COMM_WORLD, "node", found, &count) == MPI_SUCCESS);
        CHECK(count == atoi(nodes));
        for (int r = 0; r < world_size; r++)
            CHECK(found[r] == r / (world_size / count));
    }
    free(found);
}

/* Debian's MPICH 5.0.2 takes each process for a node of its own; then there is nothing to
 * compare. */
static void nodes_are_those_that_share_memory(void)
{
    int *found = malloc((size_t)world_size * sizeof *found), leader, count, first = world_rank;
    int size, most;
    int *leaders = malloc((size_t)world_size * sizeof *leaders);
    MPI_Comm node;

    if (!made_up()) {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        leader = first;
        MPI_Bcast(&leader, 1, MPI_INT, 0, node);
        MPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, MPI_COMM_WORLD);
        CHECK(tutti_comm_regions(MPI_COMM_WORLD, "node", found, &count) == MPI_SUCCESS);
        MPI_Comm_size(node, &size);
        MPI_Allreduce(&size, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        for (int r = 0; most > 1 && r < world_size; r++)
            CHECK((found[r] == found[world_rank]) == (leaders[r] == leaders[world_rank]));
        MPI_Comm_free(&node);
    }
    free(leaders);
    free(found);
}

/* Of the shapes that CMakeLists.txt gives. */
static void the_environment_makes_a_machine_up(void)
{
    const char *shape = getenv("TUTTI_REGIONS");
    int *found = malloc((size_t)world_size * sizeof *found), count;

    CHECK(tutti_comm_regions(MPI_COMM_WORLD, "node", found, &count) == MPI_SUCCESS);
    for (int r = 0; shape && strcmp(shape, "node:2@cyclic") == 0 && r < world_size; r++)
        CHECK(found[r] == r % ((world_size + 1) / 2));
    for (int r = 0; shape && strncmp(shape, "node:3,1", 8) == 0 && r < world_size; r++)
        CHECK(found[r] == r / 4 * 2 + (r % 4 == 3));
    free(found);
}

static void all_ranks_find_the_same(void)
{
    static const char *const levels[] = {"switch", "node", "package", "numa", "l3", "core"};
    int *found = malloc((size_t)world_size * sizeof *found);
    int *first = malloc((size_t)world_size * sizeof *first), before = 1, count;
    char text[4000] = "", other[4000];
    size_t length;

    for (int i = 0; i < 6; i++) {
        CHECK(tutti_comm_regions(MPI_COMM_WORLD, levels[i], found, &count) == MPI_SUCCESS);
        CHECK(count >= before && count <= world_size);
        before = count;
        memcpy(first, found, (size_t)world_size * sizeof *found);
        MPI_Bcast(first, world_size, MPI_INT, 0, MPI_COMM_WORLD);
        CHECK(memcmp(first, found, (size_t)world_size * sizeof *found) == 0);
    }
    CHECK(tutti_comm_topology(MPI_COMM_WORLD, text, sizeof text, &length) == MPI_SUCCESS);
    CHECK(length == strlen(text) && length > 0);
    memcpy(other, text, sizeof text);
    MPI_Bcast(other, sizeof other, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(text, other) == 0);
    free(first);
    free(found);
}

static void a_part_of_the_ranks_has_its_part_of_the_regions(void)
{
    int all[64], part[64], count, p;
    MPI_Comm half;

    CHECK(tutti_comm_regions(MPI_COMM_WORLD, "node", all, NULL) == MPI_SUCCESS);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half); /* ranks fall */
    MPI_Comm_size(half, &p);
    CHECK(tutti_comm_regions(half, "node", part, &count) == MPI_SUCCESS);
    for (int i = 0; i < p; i++)
        for (int k = 0; k < p; k++) {
            int a = world_rank % 2 + 2 * (p - 1 - i), b = world_rank % 2 + 2 * (p - 1 - k);
            CHECK((part[i] == part[k]) == (all[a] == all[b]));
        }
    MPI_Comm_free(&half);
}

/* Open MPI 4.1 gives it the topology of the whole, which must not be looked into. */
static void a_part_of_a_cartesian_communicator_is_served(void)
{
    int period = 1, last = world_size - 1, sum = 0;
    MPI_Comm cart, part;
    MPI_Group all, most;

    CHECK(tutti_init() == MPI_SUCCESS);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &period, 0, &cart);
    MPI_Comm_group(cart, &all);
    MPI_Group_excl(all, world_size > 1, &last, &most);
    if (world_rank < last || world_size == 1) {
        MPI_Comm_create_group(cart, most, 0, &part);
        CHECK(MPIX_Allreduce_auto(&world_rank, &sum, 1, MPI_INT, MPI_SUM, part) == MPI_SUCCESS);
        CHECK(sum == last * (last - 1) / 2);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&most);
    MPI_Group_free(&all);
    MPI_Comm_free(&cart);
}

/* ---- hints ---- */

static void hinted_regions_replace_what_was_found(void)
{
    MPI_Comm comm = fresh();
    int nodes[64], count;

    CHECK(hint(comm, "tutti_regions", "node:2@cyclic") == MPI_SUCCESS);
    CHECK(tutti_comm_regions(comm, "node", nodes, &count) == MPI_SUCCESS);
    for (int r = 0; r < world_size; r++)
        CHECK(nodes[r] == r % ((world_size + 1) / 2));
    CHECK(hint(comm, "tutti_regions", "none") == MPI_SUCCESS);
    CHECK(tutti_comm_regions(comm, "node", nodes, &count) == MPI_SUCCESS && count == 1);
    CHECK(tutti_comm_set_hints(comm, MPI_INFO_NULL) == MPI_SUCCESS);
    if (!made_up()) {
        int world[64];
        CHECK(tutti_comm_regions(MPI_COMM_WORLD, "core", world, NULL) == MPI_SUCCESS);
        CHECK(tutti_comm_regions(comm, "core", nodes, NULL) == MPI_SUCCESS);
        CHECK(memcmp(world, nodes, (size_t)world_size * sizeof *nodes) == 0);
    }
    MPI_Comm_free(&comm);
}

static void a_wrong_hint_is_an_error_on_all_ranks_and_changes_nothing(void)
{
    static const char *const wrong[][2] = {{"tutti_regions", "node:0"},
                                           {"tutti_regions", "./nowhere/to/be/found"},
                                           {"tutti_order", "anyhow"},
                                           {"tutti_algorithm", "rong"},
                                           {"tutti_algorithm", "ring:4"}};
    MPI_Comm comm = fresh();
    int nodes[64], count;

    CHECK(hint(comm, "tutti_regions", "node:1") == MPI_SUCCESS);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mpi_test_context("%s=%s", wrong[i][0], wrong[i][1]);
        CHECK_CLASS(hint(comm, wrong[i][0], wrong[i][1]), MPI_ERR_INFO_VALUE);
        if (world_size > 1) { /* wrong on one rank only */
            bool mine = world_rank == world_size - 1;
            CHECK_CLASS(hint(comm, wrong[i][0], mine ? wrong[i][1] : "node:1"), MPI_ERR_INFO_VALUE);
        }
    }
    if (world_size > 1) /* nothing but one error */
        CHECK_CLASS(hint(comm, "tutti_algorithm", world_rank ? "auto" : "rong"),
                    MPI_ERR_INFO_VALUE);
    if (world_size > 1)
        CHECK_CLASS(hint(comm, "tutti_regions", world_rank ? "node:2" : "node:3"),
                    MPI_ERR_INFO_VALUE);
    CHECK(hint(comm, "somebody_elses", "key") == MPI_SUCCESS); /* which resets ours */
    CHECK(hint(comm, "tutti_regions", "node:1") == MPI_SUCCESS);
    CHECK(tutti_comm_regions(comm, "node", nodes, &count) == MPI_SUCCESS && count == world_size);
    CHECK_CLASS(tutti_comm_regions(comm, "rack", nodes, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_regions(comm, "node", NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_set_hints(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM);
    MPI_Comm_free(&comm);
}

static void a_hinted_algorithm_serves_auto_calls(void)
{
    MPI_Comm comm = fresh();
    char text[300];
    int mine[N], *all = calloc((size_t)world_size * N, sizeof *all);
    MPI_Request r;

    CHECK(hint(comm, "tutti_algorithm", "lane:ring,block") == MPI_SUCCESS);
    CHECK(tutti_comm_explain(comm, "allgather 8", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "lane:ring,block,1 (asked for by the communicator's hints)") != NULL);
    CHECK(tutti_comm_explain(comm, "alltoallv", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "linear") != NULL); /* there is no lane for it */
    fill(mine, 1);
    CHECK(MPIX_Iallgather_auto(mine, N, MPI_INT, all, N, MPI_INT, comm, &r) == MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(is_right(all, world_size, 1));
    CHECK(hint(comm, "tutti_algorithm", "auto") == MPI_SUCCESS);
    CHECK(tutti_comm_explain(comm, "allgather 8", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "asked for") == NULL);
    MPI_Comm_free(&comm);
    free(all);
}

static void only_a_call_is_explained(void)
{
    static const char *const wrong[] = {"allgather 12abc",
                                        "allgather 12 13",
                                        "allgather 9223372036854775808",
                                        "allgather x",
                                        "allgather -1",
                                        "gatherall 8",
                                        "",
                                        " "};
    char text[300];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mpi_test_context("\"%s\"", wrong[i]);
        CHECK_CLASS(tutti_comm_explain(MPI_COMM_WORLD, wrong[i], text, sizeof text), MPI_ERR_ARG);
    }
    /* all blocks together */
    CHECK_CLASS(
        tutti_comm_explain(MPI_COMM_WORLD, "allgather 9223372036854775807", text, sizeof text),
        world_size > 1 ? MPI_ERR_ARG : MPI_SUCCESS);
    CHECK(tutti_comm_explain(MPI_COMM_WORLD, "allgather 12 ", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "allgather of 12 bytes a block") == text);
    CHECK(tutti_comm_explain(MPI_COMM_WORLD, "allgather 2kiB", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "allgather of 2048 bytes a block") == text);
}

static void auto_looks_at_the_nodes(void)
{
    MPI_Comm comm = fresh();
    char text[300], on_one[300], again[300];

    CHECK(hint(comm, "tutti_regions", "none") == MPI_SUCCESS);
    CHECK(tutti_comm_explain(comm, "allgather 8", on_one, sizeof on_one) == MPI_SUCCESS);
    CHECK(hint(comm, "tutti_regions", "node:2") == MPI_SUCCESS);
    CHECK(tutti_comm_explain(comm, "allgather 8", text, sizeof text) == MPI_SUCCESS);
    CHECK((strcmp(text, on_one) != 0) == (world_size > 2)); /* another time at least */
    CHECK((strstr(text, "the fastest by the estimate: ") != NULL) == (world_size > 2));
    CHECK(tutti_comm_explain(comm, "allgather 8", again, sizeof again) == MPI_SUCCESS);
    CHECK(strcmp(text, again) == 0);
    MPI_Comm_free(&comm);
}

/* ---- two threads ---- */

typedef struct asking {
    MPI_Comm comm;
    atomic_bool over;
    bool failed;
} asking;

/* All of it is local. CHECK is not for threads. */
static void *ask_again_and_again(void *argument)
{
    asking *x = argument;
    int *found = malloc((size_t)world_size * sizeof *found), count;
    char text[2000];

    while (!atomic_load(&x->over)) {
        x->failed |= tutti_comm_topology(x->comm, text, sizeof text, NULL) != MPI_SUCCESS ||
                     tutti_comm_regions(x->comm, "node", found, &count) != MPI_SUCCESS ||
                     (count != 1 && count != (world_size + 1) / 2) ||
                     tutti_comm_explain(x->comm, "allgather 8", text, sizeof text) != MPI_SUCCESS;
        sched_yield();
    }
    free(found);
    return NULL;
}

static void a_thread_asks_while_hints_change(void)
{
    asking x = {0};
    pthread_t thread;
    int level;

    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &x.comm);
    CHECK(hint(x.comm, "tutti_regions", "none") == MPI_SUCCESS);
    CHECK(pthread_create(&thread, NULL, ask_again_and_again, &x) == 0);
    for (int i = 0; i < 100; i++)
        CHECK(hint(x.comm, "tutti_regions", i % 2 ? "none" : "node:2") == MPI_SUCCESS);
    atomic_store(&x.over, true);
    pthread_join(thread, NULL);
    CHECK(!x.failed);
    MPI_Comm_free(&x.comm);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(emulated_hosts_are_nodes),
        MPI_TEST(nodes_are_those_that_share_memory),
        MPI_TEST(the_environment_makes_a_machine_up),
        MPI_TEST(all_ranks_find_the_same),
        MPI_TEST(a_part_of_the_ranks_has_its_part_of_the_regions),
        MPI_TEST(a_part_of_a_cartesian_communicator_is_served),
        MPI_TEST(hinted_regions_replace_what_was_found),
        MPI_TEST(a_wrong_hint_is_an_error_on_all_ranks_and_changes_nothing),
        MPI_TEST(a_hinted_algorithm_serves_auto_calls),
        MPI_TEST(only_a_call_is_explained),
        MPI_TEST(auto_looks_at_the_nodes),
        MPI_TEST(a_thread_asks_while_hints_change),
    };

    return mpi_test_main(argc, argv, "topology", tests, sizeof tests / sizeof *tests);
}
