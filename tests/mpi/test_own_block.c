/* SPDX-License-Identifier: BSD-3-Clause */
/* test_own_block.c - every other rank gives its block for itself too little room, which nobody
 * else can know: it takes part, the others get what they wait for, and its call ends with the
 * error. Every collective that moves blocks and has not lists on every rank, every algorithm, every
 * form of call; on a ring for those of neighbors. Afterwards right calls work.
 */
#include "mpi/calls.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, ROOM = 8 }; /* ranks; elements between two blocks */

typedef enum wrong { NOTHING, NO_PLACE, SHORT_PLACE, HALF_TYPE, WRONGS } wrong;

static const call_set *set;
static MPI_Comm comm;
static int rank, size, root;

/* ---- who sends what to whom: in a ring its blocks lie in the order of its edges ---- */

static bool is_near(void)
{
    return coll_has(set->kind, COLL_NEIGHBORS);
}

static coll_sides sides(void)
{
    return calls_sides(set->kind, rank, root, false);
}

static int blocks(coll_extent extent)
{
    if (extent <= COLL_ONE)
        return extent == COLL_ONE;
    return is_near() ? 2 : size;
}

/* The i-th block that I receive: whose, and which of its blocks. */
static int source(int i)
{
    if (is_near())
        return i == 0 ? rank : (rank + size - 1) % size;
    return coll_shapes[set->kind].family == COLL_scatter ? root : i;
}

static int position(int i)
{
    if (coll_shapes[set->kind].send == COLL_ONE)
        return 0;
    return is_near() ? i : rank;
}

static int length(int sender, int block)
{
    return coll_is_v(set->kind) ? 2 + (3 * sender + block) % 4 : 2;
}

static int value(int sender, int block, int i)
{
    return 1 + i + 10 * block + 1000 * sender;
}

/* ---- one call ---- */

typedef struct side {
    int data[MOST * ROOM], counts[MOST], displs[MOST];
    MPI_Count large_counts[MOST];
    MPI_Aint large_displs[MOST];
} side;

static side out, in;

static void lay_out(side *s, coll_extent extent, call_side *c)
{
    for (int i = 0; i < blocks(extent); i++) {
        s->counts[i] = s == &out ? length(rank, i) : length(source(i), position(i));
        s->displs[i] = i * (extent == COLL_EACH ? s->counts[i] : ROOM);
    }
    c->buffer = s->data;
    c->count = s->counts[0];
    c->type = MPI_INT;
}

static void widen(side *s, call_side *c)
{
    for (int i = 0; i < MOST; i++) {
        s->large_counts[i] = s->counts[i];
        s->large_displs[i] = s->displs[i];
    }
    c->list = (call_list){s->counts, s->displs, s->large_counts, s->large_displs, NULL};
}

/* Of blocks that are one or equal, that of the receive side. */
static void spoil(wrong how, call_side *c)
{
    c->count = how == NO_PLACE ? 0 : c->count - (how == SHORT_PLACE);
    c->type = how == HALF_TYPE ? MPI_SHORT : MPI_INT;
}

static void spoil_own(wrong how, int i)
{
    if (source(i) == rank)
        in.counts[i] = how == NO_PLACE ? 0 : in.counts[i] - 1; /* one type for all */
}

static call_args arguments(wrong how)
{
    coll_sides has = sides();
    call_args a = {.root = root, .comm = comm, .op = MPI_OP_NULL};

    memset(&out, 0, sizeof out);
    memset(&in, 0, sizeof in);
    lay_out(&out, has.send, &a.send);
    lay_out(&in, has.recv, &a.recv);
    for (int i = 0; i < blocks(has.send); i++)
        for (int k = 0; k < out.counts[i]; k++)
            out.data[i * (has.send == COLL_EACH ? out.counts[i] : ROOM) + k] = value(rank, i, k);
    for (int i = 0; has.recv >= COLL_LISTED && i < blocks(has.recv) && how; i++)
        spoil_own(how, i);
    if (has.recv < COLL_LISTED && how)
        spoil(how, &a.recv);
    widen(&out, &a.send);
    widen(&in, &a.recv);
    return a;
}

static bool is_right(void)
{
    coll_extent extent = sides().recv;

    for (int i = 0; i < blocks(extent); i++)
        for (int k = 0; k < length(source(i), position(i)); k++)
            if (in.data[i * (extent == COLL_EACH ? in.counts[i] : ROOM) + k] !=
                value(source(i), position(i), k))
                return false;
    return true;
}

enum { FORMS = 3 };

static int run_as(int form, bool large, const call_args *a)
{
    MPI_Request r = MPI_REQUEST_NULL;
    persistent p = PERSISTENT_NULL;
    int error;

    if (form == 0)
        return calls_run(set, large, a);
    if (form == 1) {
        CHECK(calls_start(set, large, a, &r) == MPI_SUCCESS);
        return MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    CHECK(calls_init(set, large, a, MPI_INFO_NULL, &p) == MPI_SUCCESS);
    CHECK(persistent_start(&p) == MPI_SUCCESS);
    error = persistent_wait(&p, MPI_STATUS_IGNORE);
    CHECK(persistent_free(&p) == MPI_SUCCESS);
    return error;
}

/* Do I send a block to myself? */
static bool has_own(void)
{
    return sides().send && sides().recv;
}

static void turn(wrong how, int form, bool large)
{
    call_args a;
    bool mine = how && rank % 2 == 0 && has_own();

    mpi_test_context("%s %s: wrong %d, form %d, large %d", coll_kind_name(set->kind),
                     set->algorithm, (int)how, form, large);
    a = arguments(mine ? how : NOTHING);
    CHECK_CLASS(run_as(form, large, &a), mine ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    CHECK(mine || is_right());
}

static void try_set(void)
{
    for (int large = 0; large < (set->run[1] ? 2 : 1); large++)
        for (int form = 0; form < FORMS; form++)
            for (int how = 1; how < WRONGS; how++) {
                turn((wrong)how, form, large);
                turn(NOTHING, (form + how) % FORMS, large);
            }
}

static MPI_Comm make_ring(void)
{
    int sources[] = {rank, (rank + size - 1) % size}, destinations[] = {rank, (rank + 1) % size};
    int weights[] = {1, 1};
    MPI_Comm ring;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, weights,
                                   MPI_INFO_NULL, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    return ring;
}

static void others_are_served(void)
{
    MPI_Comm ring;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= MOST);
    ring = make_ring();
    for (int i = 0; i < call_set_count; i++) {
        const coll_shape *shape = &coll_shapes[call_sets[i].kind];
        set = &call_sets[i];
        if (!shape->send || shape->traits & COLL_REDUCES)
            continue;
        if (coll_is_v(set->kind) && !(shape->traits & COLL_ROOTED))
            continue;
        if (calls_are_general(set->kind) && !calls_serve(set, size, NULL))
            continue;
        comm = is_near() ? ring : MPI_COMM_WORLD;
        for (root = 0; root < (shape->traits & COLL_ROOTED ? 2 : 1) && root < size; root++)
            try_set();
    }
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(others_are_served),
    };

    return mpi_test_main(argc, argv, "own_block", tests, sizeof tests / sizeof *tests);
}
