/* SPDX-License-Identifier: BSD-3-Clause */
/* test_arguments.c - every wrong argument of every collective: refused by all its calls with the
 * error class of the standard, through the communicator's error handler, with nothing sent: only
 * every other rank makes the wrong calls, and a right one of all ranks works afterwards. And right
 * arguments that look wrong are taken.
 */
#include "mpi/blocks.h"

#include <stdlib.h>
#include <string.h>

static const call_set *set;     /* tested now */
static const blocks *right;     /* its right arguments */
static int refused, last_class; /* what the error handler has seen */

static void note_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    refused++;
    last_class = mpi_test_class(*code);
}

static bool refuses_class(int error, int expected, bool handled)
{
    bool seen = !handled || (refused == 1 && last_class == expected);

    refused = 0;
    return mpi_test_class(error) == expected && seen;
}

/* All calls refuse, and leave the request alone. */
static void refuse(const call_args *a, int expected, const char *what)
{
    bool handled = a->comm == right->comm;

    mpi_test_context("%s %s: %s", coll_kind_name(set->kind), set->algorithm, what);
    for (int large = 0; large < (set->run[1] ? 2 : 1); large++) {
        MPI_Request r = MPI_REQUEST_NULL;
        persistent p = PERSISTENT_NULL;
        int error = calls_start(set, large, a, &r);
        CHECK(refuses_class(error, expected, handled));
        if (error == MPI_SUCCESS) /* the other ranks know nothing of it: nobody would end */
            MPI_Abort(MPI_COMM_WORLD, 1);
        CHECK(refuses_class(calls_run(set, large, a), expected, handled));
        CHECK(refuses_class(calls_init(set, large, a, MPI_INFO_NULL, &p), expected, handled));
        CHECK(r == MPI_REQUEST_NULL && p == PERSISTENT_NULL);
    }
}

/* ---- one wrong argument ---- */

static void refuse_requests(void)
{
    mpi_test_context("%s %s: no request", coll_kind_name(set->kind), set->algorithm);
    CHECK(refuses_class(calls_start(set, false, &right->args, NULL), MPI_ERR_ARG, true));
    CHECK(refuses_class(calls_init(set, false, &right->args, MPI_INFO_NULL, NULL), MPI_ERR_ARG,
                        true));
}

/* Of this rank's sides, what the call has lists for. */
static bool has_counts(coll_extent extent)
{
    return extent == COLL_LISTED || coll_shapes[set->kind].send == COLL_SIZED;
}

static void refuse_list(bool send, coll_extent extent)
{
    static int counts[64];
    static MPI_Count counts_c[64];
    call_args a = right->args;
    call_list *list = send ? &a.send.list : &a.recv.list;
    const call_list good = *list;
    int p = right->p;

    list->narrow_counts = NULL;
    list->large_counts = NULL;
    refuse(&a, MPI_ERR_ARG, "no counts");
    *list = good;
    list->narrow_displs = NULL;
    list->large_displs = NULL;
    if (extent == COLL_LISTED)
        refuse(&a, MPI_ERR_ARG, "no displacements");
    *list = good;
    memcpy(counts, good.narrow_counts, (size_t)p * sizeof *counts);
    memcpy(counts_c, good.large_counts, (size_t)p * sizeof *counts_c);
    counts[p - 1] = -1;
    counts_c[p - 1] = -1;
    list->narrow_counts = counts;
    list->large_counts = counts_c;
    refuse(&a, MPI_ERR_COUNT, "a negative count among others");
}

static void refuse_side(bool send, coll_extent extent, MPI_Datatype uncommitted)
{
    const char *side = send ? "send side" : "receive side";
    call_args a = right->args;
    call_side *s = send ? &a.send : &a.recv;
    const call_side good = *s;

    s->type = MPI_DATATYPE_NULL;
    refuse(&a, MPI_ERR_TYPE, side);
    s->type = uncommitted;
    refuse(&a, MPI_ERR_TYPE, side);
    *s = good;
    s->buffer = NULL;
    if (send ? right->send.there : right->recv.there)
        refuse(&a, MPI_ERR_BUFFER, side);
    *s = good;
    s->count = -1;
    if (has_counts(extent))
        refuse_list(send, extent);
    else
        refuse(&a, MPI_ERR_COUNT, side);
}

/* One count and one type for both sides, whichever the rank has: those of the receive side. */
static bool has_one_type(const coll_shape *shape)
{
    return shape->traits & COLL_REDUCES;
}

static void refuse_types_and_counts(const coll_shape *shape)
{
    MPI_Datatype raw;
    call_args a = right->args;

    MPI_Type_contiguous(1, MPI_INT, &raw);
    if (right->recv.there || has_one_type(shape))
        refuse_side(false, shape->recv, raw);
    if (right->send.there && !has_one_type(shape))
        refuse_side(true, shape->send, raw);
    MPI_Type_free(&raw);
    a.send.buffer = NULL;
    if (has_one_type(shape))
        refuse(&a, MPI_ERR_BUFFER, "send buffer");
}

/* At a rank that has a block to send, and one to receive. */
static void refuse_in_place(const coll_shape *shape)
{
    bool at_root = right->rank == right->o.root;
    bool scatters = shape->traits & COLL_ROOT_SENDS;
    call_args a = right->args;

    a.recv.buffer = MPI_IN_PLACE;
    if (right->recv.there && !(scatters && at_root))
        refuse(&a, MPI_ERR_BUFFER, "in place on the receive side");
    a = right->args;
    a.send.buffer = MPI_IN_PLACE;
    if (right->send.there && (scatters || ((shape->traits & COLL_ROOTED) && !at_root)))
        refuse(&a, MPI_ERR_BUFFER, "in place on the send side");
}

/* Elements from the start of the receive buffer to where sending from is an error. */
static int forbidden(const coll_shape *shape)
{
    int first = right->recv.at[0];

    if (shape->send == COLL_ONE && shape->recv > COLL_ONE)
        return right->recv.at[right->rank];
    if (shape->traits & COLL_ROOT_SENDS)
        return -right->send.at[right->rank];
    for (int k = 0; k < right->recv.n && shape->send == COLL_LISTED; k++)
        first = right->recv.length[k] && right->recv.at[k] < first ? right->recv.at[k] : first;
    return first;
}

static void refuse_buffers(const coll_shape *shape)
{
    call_args a = right->args;

    refuse_in_place(shape);
    if (!right->send.there || !right->recv.there)
        return;
    a.send.buffer = (int *)a.recv.buffer + forbidden(shape);
    refuse(&a, MPI_ERR_BUFFER, "both buffers are one");
    a = right->args;
    a.send.type = MPI_DOUBLE; /* twice as long */
    if (coll_is_v(set->kind) && !(shape->traits & (COLL_ROOTED | COLL_REDUCES)))
        refuse(&a, MPI_ERR_TRUNCATE, "sent more than received");
}

static void refuse_huge_counts(const coll_shape *shape)
{
    call_args a = right->args;
    MPI_Request r = MPI_REQUEST_NULL;
    persistent p = PERSISTENT_NULL;

    a.recv.count = a.send.count = (MPI_Count)1 << 62; /* 2^64 bytes: none, to 64 bits */
    if (shape->recv == COLL_NONE || coll_is_v(set->kind))
        return;
    mpi_test_context("%s %s: huge", coll_kind_name(set->kind), set->algorithm);
    CHECK(refuses_class(calls_run(set, true, &a), MPI_ERR_COUNT, true));
    CHECK(refuses_class(calls_start(set, true, &a, &r), MPI_ERR_COUNT, true));
    CHECK(refuses_class(calls_init(set, true, &a, MPI_INFO_NULL, &p), MPI_ERR_COUNT, true));
    CHECK(r == MPI_REQUEST_NULL && p == PERSISTENT_NULL);
}

static void refuse_roots(void)
{
    const int bad[] = {-1, right->p, MPI_PROC_NULL, MPI_ROOT, 1000000};
    call_args a = right->args;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a.root = bad[i];
        refuse(&a, MPI_ERR_ROOT, "root");
    }
}

static void refuse_operations(void)
{
    MPI_Datatype two;
    call_args a = right->args;

    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    const struct {
        MPI_Op op;
        MPI_Datatype type;
        const char *what;
    } bad[] = {{MPI_OP_NULL, MPI_INT, "no operation"},
               {MPI_REPLACE, MPI_INT, "MPI_REPLACE"},
               {MPI_NO_OP, MPI_INT, "MPI_NO_OP"},
               {MPI_BAND, MPI_DOUBLE, "MPI_BAND of double"},
               {MPI_MINLOC, MPI_INT, "MPI_MINLOC of int"},
               {MPI_SUM, MPI_DOUBLE_INT, "MPI_SUM of MPI_DOUBLE_INT"},
               {MPI_SUM, two, "MPI_SUM of a derived type"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a.op = bad[i].op;
        a.recv.type = bad[i].type;
        a.recv.count = 1;
        refuse(&a, MPI_ERR_OP, bad[i].what);
    }
    MPI_Type_free(&two);
}

/* Ring and circulant on an operation that does not commute, for one. */
static void refuse_what_it_does_not_serve(void)
{
    call_args a = right->args;

    for (int i = 0; i < reduction_count; i++)
        if (!calls_serve(set, right->p, &reductions[i])) {
            a.op = reductions[i].op;
            a.recv.type = reductions[i].type;
            a.recv.count = 1;
            refuse(&a, MPI_ERR_UNSUPPORTED_OPERATION, reductions[i].name);
        }
}

static void refuse_all(MPI_Comm inter)
{
    const coll_shape *shape = &coll_shapes[set->kind];
    call_args a = right->args;

    a.comm = MPI_COMM_NULL;
    refuse(&a, MPI_ERR_COMM, "no communicator");
    a.comm = inter;
    if (inter != MPI_COMM_NULL)
        refuse(&a, MPI_ERR_COMM, "an intercommunicator");
    refuse_requests();
    refuse_types_and_counts(shape);
    refuse_buffers(shape);
    refuse_huge_counts(shape);
    if (shape->traits & COLL_ROOTED)
        refuse_roots();
    if (shape->traits & COLL_REDUCES) {
        refuse_operations();
        refuse_what_it_does_not_serve();
    }
}

/* ---- all of them ---- */

static void still_works(blocks *b)
{
    mpi_test_context("%s %s afterwards", coll_kind_name(set->kind), set->algorithm);
    for (int turn = 0; turn < 2; turn++) {
        blocks_fill(b, turn);
        CHECK(calls_run(set, turn && set->run[1], &b->args) == MPI_SUCCESS);
        CHECK(blocks_are_right(b));
    }
}

/* No buffers where nothing is sent or received. */
static void nothing_needs_no_buffer(MPI_Comm comm, const reduction *sum)
{
    blocks b = {.kind = set->kind, .comm = comm, .types = &type_pairs[0], .reduction = sum};

    mpi_test_context("%s %s of nothing", coll_kind_name(set->kind), set->algorithm);
    blocks_open(&b);
    b.args.send.buffer = b.args.recv.buffer = NULL;
    for (int large = 0; large < (set->run[1] ? 2 : 1); large++)
        CHECK(calls_run(set, large, &b.args) == MPI_SUCCESS);
    blocks_close(&b);
}

/* A buffer that does not count may be the other one. */
static void one_buffer_is_enough(blocks *b)
{
    const call_args good = b->args;

    mpi_test_context("%s %s with one buffer", coll_kind_name(set->kind), set->algorithm);
    if (!b->send.there)
        b->args.send.buffer = good.recv.buffer;
    if (!b->recv.there)
        b->args.recv.buffer = good.send.buffer;
    blocks_fill(b, 2);
    CHECK(calls_run(set, false, &b->args) == MPI_SUCCESS);
    CHECK(blocks_are_right(b));
    b->args = good;
}

/* The right arguments of one set: two ints in a block; a sum. */
static void test_set(const call_set *s, int root, MPI_Comm comm, MPI_Comm inter)
{
    bool reduces = coll_has(s->kind, COLL_REDUCES);
    blocks b = {.kind = s->kind,
                .comm = comm,
                .types = &type_pairs[0],
                .reduction = reduces ? &reductions[1] : NULL,
                .count = 2,
                .full = true,
                .o = {.root = coll_has(s->kind, COLL_ROOTED) ? root : 0}};

    blocks_open(&b);
    set = s;
    right = &b;
    refused = 0;
    if (calls_serve(s, b.p, NULL)) {
        if (b.rank % 2 == 0)
            refuse_all(inter);
        still_works(&b);
        nothing_needs_no_buffer(comm, b.reduction);
        one_buffer_is_enough(&b);
    } else if (calls_are_general(s->kind)) {
        refuse(&b.args, MPI_ERR_UNSUPPORTED_OPERATION, "so many ranks");
    }
    blocks_close(&b);
}

/* Both halves of the ranks, or MPI_COMM_NULL. */
static MPI_Comm make_intercommunicator(void)
{
    MPI_Comm half, inter = MPI_COMM_NULL;
    int low = world_rank < world_size / 2;

    if (world_size < 2)
        return inter;
    MPI_Comm_split(MPI_COMM_WORLD, low, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? world_size / 2 : 0, 5, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_free(&half);
    return inter;
}

static void wrong_arguments_are_refused(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm, inter = make_intercommunicator();

    type_pairs_make();
    reductions_make();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    for (int i = 0; i < call_set_count; i++)
        for (int root = 0; root < (coll_has(call_sets[i].kind, COLL_ROOTED) ? 2 : 1); root++)
            test_set(&call_sets[i], root % world_size, comm, inter);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    if (inter != MPI_COMM_NULL)
        MPI_Comm_free(&inter);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(wrong_arguments_are_refused),
    };

    return mpi_test_main(argc, argv, "arguments", tests, sizeof tests / sizeof *tests);
}
