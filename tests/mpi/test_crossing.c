/* SPDX-License-Identifier: BSD-3-Clause */
/* test_crossing.c - what crosses nodes, counted as it leaves the library, against the schedules in
 * the simulator. Looks inside the library.
 *
 * Under tests/mpi/cluster it runs on three hosts; anywhere with TUTTI_REGIONS set.
 */
#define _GNU_SOURCE
#include "algos/algo.h"
#include "api/decisions.h"
#include "mpi/blocks.h"
#include "mpi/hints.h"
#include "nbc/comm/comm.h"
#include "sim/sim.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <tutti.h>

/* ---- messages, counted on their way out of the library ---- */

static const int *node_of; /* [world_size], or NULL: do not count */
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

enum { COUNT = 300, BYTES = COUNT * sizeof(int) }; /* of a block, or of a vector */

typedef struct crossing {
    const int *node;
    long long messages, bytes; /* of this rank */
} crossing;

static void note(void *context, int from, int to, int64_t size)
{
    crossing *c = context;

    if (from != world_rank || c->node[from] == c->node[to])
        return;
    c->messages++;
    c->bytes += size;
}

/* A reduction: nobody looks at the data. */
static void keep(const void *in, void *inout, int64_t n)
{
    (void)in;
    (void)inout;
    (void)n;
}

/* A rank's schedule, as the library would compile it: listed blocks are COUNT items. */
static sched *compile(coll_kind kind, choice with, const topo *t, int rank, const int64_t *list)
{
    const algo *a = algo_table[with.algo];
    const coll_shape *shape = &coll_shapes[kind];
    coll c = {.kind = kind,
              .p = world_size,
              .rank = rank,
              .root = world_size - 1,
              .in_place = shape->send == COLL_NONE,
              .parameter = algo_parameter_for(a, with.parameter, world_size),
              .variant = with.variant,
              .order = with.order,
              .send.count = 1,
              .recv.count = 1};
    coll_sides has = coll_sides_of(kind, rank, c.root, c.in_place);
    sched *s = NULL;

    if (has.recv >= COLL_LISTED)
        c.recv = (coll_side){.counts = list, .displs = list + world_size};
    if (has.send >= COLL_LISTED || shape->send == COLL_SIZED)
        c.send = (coll_side){.counts = list, .displs = list + world_size};
    CHECK(algo_compile(a, with.form, &c, t, &s) == SCHED_OK);
    return s;
}

/* Items of `size` bytes in an element of each space: of a block, of one of its items, or of a
 * vector, which is cut into bytes if it is only moved. */
static void bind(coll_kind kind, sim_rank *r, size_t size)
{
    const coll_shape *shape = &coll_shapes[kind];
    int64_t whole = BYTES / (int64_t)size;
    bool lists = shape->send == COLL_SIZED;

    r->count[SPACE_SEND] = shape->send >= COLL_SIZED ? 1 : whole;
    r->count[SPACE_RECV] = lists || shape->recv >= COLL_SIZED ? 1 : whole;
    if (shape->recv == COLL_NONE)
        r->count[SPACE_SEND] = r->count[SPACE_RECV] = 0; /* tokens */
    r->count[SPACE_SCRATCH] = r->count[r->sched->extent[SPACE_RECV] ? SPACE_RECV : SPACE_SEND];
    for (int i = 0; i < SPACES; i++)
        r->buffer[i] = calloc(
            (size_t)sched_items(r->sched->parts, r->count[i], r->sched->extent[i]) + 1, size);
}

/* The schedules of all ranks, executed by the simulator. */
static crossing simulate(coll_kind kind, choice with, const topo *t, const int *node)
{
    crossing c = {.node = node};
    size_t p = (size_t)world_size, size = sizeof(int);
    sim_rank *ranks = calloc(p, sizeof *ranks);
    int64_t *list = calloc(2 * p, sizeof *list);
    sim_result result;

    for (size_t r = 0; r < p; r++) {
        list[r] = COUNT;
        list[p + r] = (int64_t)r * COUNT;
    }
    for (int r = 0; r < world_size; r++) {
        ranks[r].sched = compile(kind, with, t, r, list);
        if (ranks[r].sched->parts > 1 && !coll_has(kind, COLL_REDUCES))
            size = 1;
        bind(kind, &ranks[r], size);
    }
    sim_options o = {
        .seed = 1, .size = {size, size, size}, .op = keep, .traffic = note, .context = &c};
    sim_run(ranks, world_size, &o, &result);
    CHECK(result.error[0] == '\0');
    c.bytes *= (long long)size;
    for (int r = 0; r < world_size; r++) {
        for (int i = 0; i < SPACES; i++)
            free(ranks[r].buffer[i]);
        sched_free((sched *)ranks[r].sched);
    }
    free(list);
    free(ranks);
    return c;
}

/* And what this rank asks for before. */
static void add_size_exchange(crossing *c, const algo *a, coll_kind kind, const topo *t)
{
    coll call = {.kind = kind,
                 .p = world_size,
                 .rank = world_rank,
                 .parameter = algo_parameter_for(a, 0, world_size)};
    sched *s = NULL;

    CHECK(algo_compile_size_exchange(a, &call, 0, t, &s) == SCHED_OK);
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        int64_t numbers = 0;
        for (int k = 0; k < st->n; k++)
            numbers += (int64_t)s->list[st->first + k].length;
        if (st->kind == STEP_SEND && c->node[st->peer] != c->node[world_rank]) {
            c->messages++;
            c->bytes += numbers * (int64_t)sizeof numbers;
        }
    }
    sched_free(s);
}

static void run_counted(const call_set *s, MPI_Comm comm, const int *node)
{
    bool reduces = coll_has(s->kind, COLL_REDUCES);
    blocks b = {.kind = s->kind,
                .comm = comm,
                .types = &type_pairs[0],
                .reduction = reduces ? &reductions[1] : NULL,
                .count = COUNT,
                .full = true,
                .o = {.root = world_size - 1}};
    MPI_Request r;

    CHECK(!reduces || b.reduction->type == MPI_INT);
    blocks_open(&b);
    blocks_fill(&b, 1);
    far_messages = far_bytes = 0;
    node_of = node;
    CHECK(calls_start(s, false, &b.args, &r) == MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    node_of = NULL;
    CHECK(blocks_are_right(&b));
    blocks_close(&b);
}

/* On real nodes, or those of TUTTI_REGIONS. Every algorithm of every collective; some ask for
 * lengths before, in messages of another schedule. */
static void what_crosses_nodes_is_what_the_simulator_counts(void)
{
    MPI_Comm comm = fresh();
    int *node = malloc((size_t)world_size * sizeof *node), count;
    struct comm *state = NULL;

    type_pairs_make();
    reductions_make();
    CHECK(tutti_comm_regions(comm, "node", node, &count) == MPI_SUCCESS);
    CHECK(comm_get(comm, &state) == MPI_SUCCESS);
    for (int i = 0; i < call_set_count; i++) {
        const call_set *s = &call_sets[i];
        int at = algo_find(s->kind, s->algorithm);
        if (at == ALGO_NONE || !calls_serve(s, world_size, NULL))
            continue;
        mpi_test_context("%s %s", coll_kind_name(s->kind), s->algorithm);
        run_counted(s, comm, node);
        crossing expected =
            simulate(s->kind, (choice){.algo = at, .form = FORM_STEP}, state->topo, node);
        if (algo_table[at]->size_exchange && coll_is_v(s->kind))
            add_size_exchange(&expected, algo_table[at], s->kind, state->topo);
        CHECK(far_messages == expected.messages);
        CHECK(far_bytes == expected.bytes);
    }
    MPI_Comm_free(&comm);
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
        decision made;
        choice chosen;
        CHECK(decision_of(state, &(coll){.kind = COLL_allgather, .p = world_size},
                          (int64_t)p * (int64_t)sizeof mine, &(algo_set){{0}},
                          &made) == MPI_SUCCESS);
        chosen = made.choice;
        if (i < 2)
            chosen = (choice){.algo = algo_find(COLL_allgather, names[i]), .form = FORM_STEP};
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
        CHECK(far_messages == simulate(COLL_allgather, chosen, state->topo, node).messages);
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
