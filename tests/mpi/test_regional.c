/* test_regional.c - algorithms that look at the topology: calls on communicators that do not know
 * it yet; every variant; what crosses nodes, counted as it is sent.
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

/* ---- calls before the topology is known ---- */

/* Types and communicator are freed, and the counts overwritten, at once. */
static void a_first_call_keeps_what_it_needs(void)
{
    size_t p = (size_t)world_size;
    int *counts = malloc(2 * p * sizeof *counts), *displs = counts + p, mine[N];
    int *all = malloc(p * 2 * N * sizeof *all);

    for (int turn = 0; turn < 8; turn++) {
        MPI_Comm comm = fresh();
        MPI_Datatype column, other;
        MPI_Request r;
        for (int i = 0; i < world_size; i++) {
            counts[i] = N;
            displs[i] = N * (world_size - 1 - i);
        }
        memset(all, 0x55, p * 2 * N * sizeof *all);
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &column);
        MPI_Type_commit(&column);
        fill(mine, turn);
        if (turn % 2)
            CHECK(MPIX_Iallgatherv_auto(mine, N, MPI_INT, all, counts, displs, column, comm, &r) ==
                  MPI_SUCCESS);
        else
            CHECK(MPIX_Iallgatherv_lane(mine, N, MPI_INT, all, counts, displs, column, comm, &r) ==
                  MPI_SUCCESS);
        memset(counts, -1, 2 * p * sizeof *counts);
        MPI_Type_free(&column);
        MPI_Type_create_resized(MPI_CHAR, 0, 3, &other); /* which may get the handle */
        MPI_Type_commit(&other);
        MPI_Comm_free(&comm);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Type_free(&other);
        for (int i = 0; i < world_size; i++)
            for (int k = 0; k < N; k++) {
                CHECK(all[2 * ((world_size - 1 - i) * N + k)] == i * 1000 + turn * 10 + k);
                CHECK(all[2 * ((world_size - 1 - i) * N + k) + 1] == 0x55555555);
            }
    }
    free(all);
    free(counts);
}

/* The call returns although nobody else has come. */
static void a_first_call_does_not_wait_for_late_ranks(void)
{
    MPI_Comm comm = fresh();
    int mine[N], *all = calloc((size_t)world_size * N, sizeof *all), token = 0;
    MPI_Request r;

    fill(mine, 3);
    if (world_rank == world_size - 1 && world_size > 1)
        MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPIX_Iallgather_auto(mine, N, MPI_INT, all, N, MPI_INT, comm, &r) == MPI_SUCCESS);
    if (world_rank == 0 && world_size > 1)
        MPI_Send(&token, 1, MPI_INT, world_size - 1, 7, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(is_right(all, world_size, 3));
    MPI_Comm_free(&comm);
    free(all);
}

static void many_first_calls_keep_their_order(void)
{
    enum { CALLS = 12 };
    MPI_Comm comm = fresh();
    size_t p = (size_t)world_size;
    int mine[CALLS][N], *all = calloc(CALLS * p * N, sizeof *all);
    MPI_Request r[CALLS];

    for (int i = 0; i < CALLS; i++) {
        int *to = all + (size_t)i * p * N;
        fill(mine[i], i);
        if (i % 3 == 0)
            MPIX_Iallgather_ring(mine[i], N, MPI_INT, to, N, MPI_INT, comm, &r[i]);
        else if (i % 3 == 1)
            MPIX_Iallgather_auto(mine[i], N, MPI_INT, to, N, MPI_INT, comm, &r[i]);
        else
            MPIX_Iallgather_hierarchical(mine[i], N, MPI_INT, to, N, MPI_INT, comm, &r[i]);
    }
    MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < CALLS; i++)
        CHECK(is_right(all + (size_t)i * p * N, world_size, i));
    MPI_Comm_free(&comm);
    free(all);
}

static void bad_arguments_of_a_first_call_are_errors_at_once(void)
{
    MPI_Comm comm = fresh();
    int mine[N], all[N];
    MPI_Request r;

    CHECK_CLASS(MPIX_Iallgather_auto(mine, -1, MPI_INT, all, N, MPI_INT, comm, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Iallgather_lane(mine, N, MPI_INT, NULL, N, MPI_INT, comm, &r), MPI_ERR_BUFFER);
    CHECK_CLASS(MPIX_Iallgather_lane(mine, N, MPI_INT, all, N, MPI_DATATYPE_NULL, comm, &r),
                MPI_ERR_TYPE);
    if (world_size & (world_size - 1))
        CHECK_CLASS(
            MPIX_Iallgather_reorder_recursive_doubling(mine, N, MPI_INT, all, N, MPI_INT, comm, &r),
            MPI_ERR_UNSUPPORTED_OPERATION);
    MPI_Comm_free(&comm);
}

/* ---- every variant, restarted ---- */

static void restart(MPI_Comm comm, const char *name, const char *order)
{
    int mine[N], *all = malloc((size_t)world_size * N * sizeof *all);
    MPI_Info info = info_of("tutti_algorithm", name);
    MPIX_Request r = MPIX_REQUEST_NULL;

    mpi_test_context("%s %s", name, order);
    MPI_Info_set(info, "tutti_order", order);
    CHECK(MPIX_Allgather_auto_init(mine, N, MPI_INT, all, N, MPI_INT, comm, info, &r) ==
          MPI_SUCCESS);
    for (int turn = 0; turn < 4 && r != MPIX_REQUEST_NULL; turn++) {
        fill(mine, turn);
        memset(all, 0x55, (size_t)world_size * N * sizeof *all);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(is_right(all, world_size, turn));
    }
    MPIX_Request_free(&r);
    MPI_Info_free(&info);
    free(all);
}

static void every_variant_restarts_with_new_data(void)
{
    static const char *const shapes[] = {"none", "node:2", "node:1,3@cyclic package:2"};
    static const char *const names[] = {
        "locality_bruck:block", "lane:ring,block",
        "lane:sparbit",         "lane:linear",
        "lane:bruck,block",     "hierarchical",
        "hierarchical:linear",  "hierarchical:block",
        "reorder_ring",         "reorder_bruck",
        "reorder_sparbit",      "reorder_bruck:block",
        "reorder_hierarchical", "reorder_hierarchical:linear,block"};
    MPI_Comm comm = fresh();

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        CHECK(hint(comm, "tutti_regions", shapes[i]) == MPI_SUCCESS);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            restart(comm, names[k], "place");
            if (strncmp(names[k], "reorder", 7) == 0) {
                restart(comm, names[k], "initcomm");
                restart(comm, names[k], "endshuffle");
            }
        }
    }
    MPI_Comm_free(&comm);
}

/* Steps of all ranks in one start of the reordered ring, or of what info names. */
static long long steps_of(MPI_Comm comm, MPI_Info info, bool named)
{
    int mine[N], *all = malloc((size_t)world_size * N * sizeof *all);
    MPIX_Request r = MPIX_REQUEST_NULL;
    tutti_stats stats = {0};
    long long sum = 0;

    fill(mine, 1);
    CHECK((named ? MPIX_Allgather_auto_init : MPIX_Allgather_reorder_ring_init)(
              mine, N, MPI_INT, all, N, MPI_INT, comm, info, &r) == MPI_SUCCESS);
    CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(is_right(all, world_size, 1));
    CHECK(tutti_get_stats(r, &stats) == MPI_SUCCESS);
    MPI_Allreduce(&stats.steps, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
    MPIX_Request_free(&r);
    free(all);
    return sum;
}

/* A first exchange is more steps, all the copies of a last shuffle are still more: by info, which
 * goes before, or by hints. */
static void the_order_is_the_one_that_is_asked_for(void)
{
    MPI_Comm comm = fresh();
    MPI_Info first = info_of("tutti_order", "initcomm"),
             last = info_of("tutti_order", "endshuffle");
    MPI_Info hints = info_of("tutti_regions", "node:2@cyclic");
    long long place, initcomm, endshuffle;

    CHECK(tutti_comm_set_hints(comm, hints) == MPI_SUCCESS);
    place = steps_of(comm, MPI_INFO_NULL, false);
    initcomm = steps_of(comm, first, false);
    endshuffle = steps_of(comm, last, false);
    if (world_size > 3) {
        CHECK(initcomm > place);
        CHECK(endshuffle == place + (long long)world_size * world_size);
    }
    MPI_Info_set(hints, "tutti_order", "endshuffle");
    CHECK(tutti_comm_set_hints(comm, hints) == MPI_SUCCESS);
    CHECK(steps_of(comm, MPI_INFO_NULL, false) == endshuffle);
    CHECK(steps_of(comm, first, false) == initcomm);
    /* a name that says how goes before both */
    MPI_Info_set(first, "tutti_algorithm", "reorder_ring:place");
    CHECK(steps_of(comm, first, true) == place);
    MPI_Info_delete(first, "tutti_order");
    CHECK(steps_of(comm, first, true) == place);
    MPI_Info_set(first, "tutti_algorithm", "reorder_ring");
    CHECK(steps_of(comm, first, true) == endshuffle);
    MPI_Info_free(&first);
    MPI_Info_free(&last);
    MPI_Info_free(&hints);
    MPI_Comm_free(&comm);
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
        MPI_TEST(a_first_call_keeps_what_it_needs),
        MPI_TEST(a_first_call_does_not_wait_for_late_ranks),
        MPI_TEST(many_first_calls_keep_their_order),
        MPI_TEST(bad_arguments_of_a_first_call_are_errors_at_once),
        MPI_TEST(every_variant_restarts_with_new_data),
        MPI_TEST(the_order_is_the_one_that_is_asked_for),
        MPI_TEST(what_crosses_nodes_is_what_the_simulator_counts),
        MPI_TEST(a_first_call_is_compiled_for_the_nodes),
    };

    return mpi_test_main(argc, argv, "regional", tests, sizeof tests / sizeof *tests);
}
