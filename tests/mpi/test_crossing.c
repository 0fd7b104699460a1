/* test_crossing.c - what crosses nodes, counted as it leaves the library, against the schedules in
 * the simulator. Looks inside the library.
 *
 * Under tests/mpi/cluster it runs on three hosts; anywhere with TUTTI_REGIONS set.
 */
#define _GNU_SOURCE
#include "algos/algo.h"
#include "mpi/hints.h"
#include "nbc/comm/comm.h"
#include "sim/sim.h"
#include "tune/select.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* ---- messages, counted on their way out of the library ---- */

static int *node_of; /* [world_size], or NULL: do not count */
static long long far_messages, far_bytes;

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    static int (*next)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Isend");
    if (node_of && node_of[to] != node_of[world_rank]) {
        int size;
        MPI_Type_size(type, &size);
        far_messages++;
        far_bytes += (long long)size * count;
    }
    return next(buffer, count, type, to, tag, comm, request);
}

/* ---- what crosses nodes ---- */

typedef struct crossing {
    const int *node;
    long long messages, blocks; /* of this rank */
} crossing;

static void note(void *context, int from, int to, int64_t size)
{
    crossing *c = context;

    if (from != world_rank || c->node[from] == c->node[to])
        return;
    c->messages++;
    c->blocks += size;
}

/* The schedules of all ranks, executed by the simulator. */
static crossing simulate(const algo *a, const topo *t, const int *node)
{
    crossing c = {.node = node};
    size_t p = (size_t)world_size;
    sim_rank *ranks = calloc(p, sizeof *ranks);
    char *memory = calloc(p, 4 * p + 64);
    sim_options o = {.seed = 1, .size = {1, 1, 1}, .traffic = note, .context = &c};
    sim_result result;

    for (int r = 0; r < world_size; r++) {
        coll call = {.kind = a->kind,
                     .p = world_size,
                     .rank = r,
                     .parameter = algo_parameter_for(a, 0, world_size),
                     .send.count = 1,
                     .recv.count = 1};
        char *at = memory + (size_t)r * (4 * p + 64);
        sched *s = NULL;
        CHECK(algo_compile(a, FORM_STEP, &call, t, &s) == SCHED_OK);
        char *scratch = calloc(1, (size_t)s->extent[SPACE_SCRATCH] + 1);
        ranks[r] = (sim_rank){s, {at, at + p, scratch}, {1, 1, 1}};
    }
    sim_run(ranks, world_size, &o, &result);
    CHECK(result.error[0] == '\0');
    for (int r = 0; r < world_size; r++) {
        free(ranks[r].buffer[SPACE_SCRATCH]);
        sched_free((sched *)ranks[r].sched);
    }
    free(memory);
    free(ranks);
    return c;
}

/* Data of the rank that sends, for the one that receives; the same for all in an allgather. */
static int datum(int from, int to, int i)
{
    return from * 1000 + to * 10 + i;
}

static void check_data(const algo *a, const int *all)
{
    int wrong = 0;

    for (int r = 0; r < world_size; r++)
        for (int i = 0; i < N; i++)
            wrong += all[r * N + i] != datum(r, a->kind == COLL_alltoall ? world_rank : 0, i);
    CHECK(wrong == 0);
}

static void run_counted(const algo *a, MPI_Comm comm, const int *mine, int *all)
{
    MPI_Info info = info_of("tutti_algorithm", a->name);
    MPI_Request r;

    CHECK(tutti_comm_set_hints(comm, info) == MPI_SUCCESS);
    MPI_Info_free(&info);
    far_messages = far_bytes = 0;
    memset(all, 0x55, (size_t)world_size * N * sizeof *all);
    if (a->kind == COLL_allgather)
        MPIX_Iallgather_auto(mine, N, MPI_INT, all, N, MPI_INT, comm, &r);
    else
        MPIX_Ialltoall_auto(mine, N, MPI_INT, all, N, MPI_INT, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check_data(a, all);
}

/* On real nodes, or those of TUTTI_REGIONS. */
static void what_crosses_nodes_is_what_the_simulator_counts(void)
{
    MPI_Comm comm = fresh();
    size_t p = (size_t)world_size;
    int *node = malloc(p * sizeof *node), count;
    int *mine = calloc(p * N, sizeof *mine), *all = calloc(p * N, sizeof *all);
    for (int i = 0; i < world_size * N; i++)
        mine[i] = datum(world_rank, i / N, i % N);
    CHECK(tutti_comm_regions(comm, "node", node, &count) == MPI_SUCCESS);
    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        coll call = {.kind = a->kind, .p = world_size};
        struct comm *state = NULL;
        if ((a->kind != COLL_allgather && a->kind != COLL_alltoall) || algo_refuses(a, &call))
            continue;
        mpi_test_context("%s", a->name);
        CHECK(comm_get(comm, &state) == MPI_SUCCESS);
        node_of = node;
        run_counted(a, comm, mine, all);
        node_of = NULL;
        crossing expected = simulate(a, state->topo, node);
        CHECK(far_messages == expected.messages);
        CHECK(far_bytes == expected.blocks * N * (long long)sizeof(int));
    }
    MPI_Comm_free(&comm);
    free(all);
    free(mine);
    free(node);
}

/* A call on a communicator that knows nothing yet gets the schedule for its nodes all the same. */
static void a_first_call_is_compiled_for_the_nodes(void)
{
    static const char *const names[] = {"lane", "locality_bruck", "auto"};
    MPI_Comm known = fresh();
    size_t p = (size_t)world_size;
    int *node = malloc(p * sizeof *node), *all = malloc(p * N * sizeof *all), mine[N], count;
    struct comm *state = NULL;

    CHECK(tutti_comm_regions(known, "node", node, &count) == MPI_SUCCESS);
    CHECK(comm_get(known, &state) == MPI_SUCCESS);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        MPI_Comm comm = fresh();
        MPI_Request r;
        const char *why;
        choice chosen = select_auto(&(coll){.kind = COLL_allgather, .p = world_size},
                                    (int64_t)p * sizeof mine, state->topo, &why);
        int algo = i < 2 ? algo_find(COLL_allgather, names[i]) : chosen.algo;
        mpi_test_context("%s", names[i]);
        fill(mine, (int)i);
        node_of = node;
        far_messages = far_bytes = 0;
        if (i == 0)
            MPIX_Iallgather_lane(mine, N, MPI_INT, all, N, MPI_INT, comm, &r);
        else if (i == 1)
            MPIX_Iallgather_locality_bruck(mine, N, MPI_INT, all, N, MPI_INT, comm, &r);
        else
            MPIX_Iallgather_auto(mine, N, MPI_INT, all, N, MPI_INT, comm, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        node_of = NULL;
        CHECK(is_right(all, world_size, (int)i));
        CHECK(far_messages == simulate(algo_table[algo], state->topo, node).messages);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_free(&known);
    free(all);
    free(node);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(what_crosses_nodes_is_what_the_simulator_counts),
        MPI_TEST(a_first_call_is_compiled_for_the_nodes),
    };

    return mpi_test_main(argc, argv, "crossing", tests, sizeof tests / sizeof *tests);
}
