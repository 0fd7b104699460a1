/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.c - what reductions give, bit by bit, for check_reproducible.
 *
 * usage: bits [env|hint|info|lane]    names of Tutti; the setting by the environment, or here
 *        plain_bits                   names of the MPI, to be run under libtutti_mpi.so
 *
 * One line for each collective, operation, count and form, "allreduce sum 7 blocking HASH": of the
 * bytes that all ranks have received. Operands are such that the order shows: sums of numbers of
 * very different magnitudes; greatest ones of -0, 0 and several NaN; functions of the program that
 * are not associative, one of which does not commute either.
 */
#include "mpi/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef PLAIN
#include "mpi/hints.h"
#endif

enum { LONG = 40001, FORMS = 5 };

typedef struct operation {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    int size;
} operation;

static operation operations[5];
static MPI_Comm comm;
static MPI_Info info = MPI_INFO_NULL;
static bool by_info;

/* ---- operations ---- */

static void mean(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] = (((double *)in)[i] + ((double *)inout)[i]) / 3;
}

static void left_more(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] += ((double *)in)[i] * 1.7;
}

static void make_operations(void)
{
    MPI_Op own, ordered;

    MPI_Op_create(mean, 1, &own);
    MPI_Op_create(left_more, 0, &ordered);
    operations[0] = (operation){"sum", MPI_DOUBLE, MPI_SUM, 8};
    operations[1] = (operation){"sum_float", MPI_FLOAT, MPI_SUM, 4};
    operations[2] = (operation){"max", MPI_DOUBLE, MPI_MAX, 8};
    operations[3] = (operation){"own", MPI_DOUBLE, own, 8};
    operations[4] = (operation){"ordered", MPI_DOUBLE, ordered, 8};
}

/* ---- operands ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double scaled(uint64_t random)
{
    double x = (double)(int64_t)(random >> 8) / 1e15;

    for (uint64_t k = random % 40; k > 0; k--)
        x *= random & 64 ? 0.5 : 2;
    return random & 128 ? -x : x;
}

static double special(uint64_t random)
{
    uint64_t nan = 0x7ff8000000000000 | (random & 0xffff);
    double x;

    memcpy(&x, &nan, sizeof x);
    return random % 4 == 0 ? x : random % 4 == 1 ? -0.0 : 0.0;
}

static void fill_operands(void *buffer, const operation *o, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t random = mix((uint64_t)world_rank << 32 | (uint32_t)i * 2654435761u);
        double x = o->op == MPI_MAX ? special(random) : scaled(random);
        if (o->size == 4)
            ((float *)buffer)[i] = (float)x;
        else
            ((double *)buffer)[i] = x;
    }
}

/* ---- a call ---- */

typedef struct reduce {
    const call_set *set;
    const operation *op;
    int n, total, received, root; /* items: given, of all blocks, received */
    int *counts;
    void *from, *to;
} reduce;

/* Blocks of reduce_scatter are unequal, some of them empty. */
static void find_lengths(reduce *r)
{
    bool one_each = r->set->kind == COLL_reduce_scatter_block;

    r->total = 0;
    for (int i = 0; i < world_size; i++) {
        r->counts[i] = one_each ? r->n / 4 : (5 * i + 1) % 3 * (r->n / 4);
        r->total += r->counts[i];
    }
    r->received = r->counts[world_rank];
    if (coll_shapes[r->set->kind].send > COLL_ONE)
        return;
    r->total = r->received = r->n;
    if ((r->set->kind == COLL_reduce && world_rank != r->root) ||
        (r->set->kind == COLL_exscan && world_rank == 0))
        r->received = 0;
}

static call_args arguments(const reduce *r, bool in_place)
{
    call_args a = {.root = r->root, .op = r->op->op, .comm = comm};
    bool here = in_place && (r->set->kind != COLL_reduce || world_rank == r->root);

    memset(r->to, 0x5a, (size_t)r->total * 8 + 8);
    fill_operands(here ? r->to : r->from, r->op, r->total);
    a.send = (call_side){.buffer = here ? MPI_IN_PLACE : r->from, .type = r->op->type};
    a.recv = (call_side){.buffer = r->to, .type = r->op->type, .count = r->n};
    a.recv.list.narrow_counts = r->counts;
    if (r->set->kind == COLL_reduce_scatter_block)
        a.recv.count = r->counts[0];
    return a;
}

static int start_twice(const reduce *r, const call_args *a)
{
    persistent p = PERSISTENT_NULL;
    int error = calls_init(r->set, false, a, info, &p);

    for (int k = 0; k < 2 && !error; k++) {
        error = persistent_start(&p);
        if (!error)
            error = persistent_wait(&p, MPI_STATUS_IGNORE);
    }
    if (!error)
        error = persistent_free(&p);
    return error;
}

static const char *const forms[FORMS] = {"blocking", "nonblocking", "persistent", "in_place",
                                         "new"};

static int make_call(const reduce *r, int form)
{
    call_args a = arguments(r, form == 3);
    MPI_Comm kept = comm;
    MPI_Request request;
    int error;

    switch (form) {
    case 1:
        error = calls_start(r->set, false, &a, &request);
        return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
    case 2:
        return start_twice(r, &a);
    case 4:
        MPI_Comm_dup(kept, &a.comm);
        error = calls_run(r->set, false, &a);
        MPI_Comm_free(&a.comm);
        return error;
    default:
        return calls_run(r->set, false, &a);
    }
}

/* ---- lines ---- */

static uint64_t hash_all(const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    uint64_t mine = 0xcbf29ce484222325, hash = 0, *all;

    for (size_t i = 0; i < n; i++)
        mine = (mine ^ b[i]) * 0x100000001b3;
    all = malloc((size_t)world_size * sizeof *all);
    PMPI_Gather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int r = 0; r < world_size && world_rank == 0; r++)
        hash = mix(hash ^ all[r]);
    free(all);
    return hash;
}

/* Of hints a duplicate knows nothing, and only a persistent init has an info. */
static bool is_made(const reduce *r, int form)
{
    if (by_info)
        return form == 2;
    return form != 4 || (comm == MPI_COMM_WORLD && r->n == 300);
}

static void line(const reduce *r, int form)
{
    int error = make_call(r, form);
    uint64_t hash = hash_all(r->to, (size_t)r->received * (size_t)r->op->size);

    if (error)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (world_rank == 0)
        printf("%s %s %d %s %016llx\n", coll_kind_name(r->set->kind), r->op->name, r->n,
               forms[form], (unsigned long long)hash);
}

static void lines_of(const call_set *set)
{
    static const int counts[] = {0, 1, 7, 300, 2100, 9000, LONG};
    size_t most = (size_t)LONG * (size_t)(world_size + 1) * 8;
    reduce r = {.set = set,
                .counts = calloc((size_t)world_size, sizeof *r.counts),
                .from = malloc(most),
                .to = malloc(most)};

    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            r.op = &operations[o];
            r.n = counts[i];
            r.root = counts[i] % world_size;
            find_lengths(&r);
            for (int form = 0; form < FORMS; form++)
                if (is_made(&r, form))
                    line(&r, form);
        }
    free(r.to);
    free(r.from);
    free(r.counts);
}

/* ---- where the setting comes from ---- */

#ifndef PLAIN

static void expect(int error, int expected, const char *what)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(error, &class);
    if (class == expected)
        return;
    fprintf(stderr, "rank %d: %s: class %d, not %d\n", world_rank, what, class, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int init_with(const char *key, const char *value, const char *key2, const char *value2)
{
    double x = 1, y;
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Info asked = info_of(key, value);
    int error;

    if (key2)
        MPI_Info_set(asked, key2, value2);
    error = MPIX_Allreduce_auto_init(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm, asked, &r);
    MPI_Info_free(&asked);
    if (!error)
        MPIX_Request_free(&r);
    return error;
}

/* What is wrong, or named and has another order, is refused. */
static void refusals(void)
{
    double x = 1, y;

    comm = fresh();
    expect(hint(comm, "tutti_reproducible", "yes"), MPI_ERR_INFO_VALUE, "hint yes");
    expect(init_with("tutti_reproducible", "always", NULL, NULL), MPI_ERR_INFO_VALUE, "always");
    expect(init_with("tutti_reproducible", "topology", "tutti_algorithm", "lane"),
           MPI_ERR_UNSUPPORTED_OPERATION, "lane by info");
    expect(init_with("tutti_reproducible", "topology", "tutti_algorithm", "^recursive_doubling"),
           MPI_ERR_ARG, "what it takes is forbidden");
    expect(init_with("tutti_reproducible", "off", "tutti_algorithm", "lane"), MPI_SUCCESS, "off");
    expect(hint(comm, "tutti_reproducible", "topology"), MPI_SUCCESS, "hint");
    expect(init_with("tutti_algorithm", "ring", NULL, NULL), MPI_ERR_UNSUPPORTED_OPERATION,
           "ring by info");
    expect(init_with("tutti_reproducible", "off", "tutti_algorithm", "ring"), MPI_SUCCESS,
           "info goes before hints");
    expect(MPIX_Allreduce_hierarchical(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm),
           MPI_ERR_UNSUPPORTED_OPERATION, "hierarchical by name");
    expect(MPIX_Allreduce_recursive_doubling(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm), MPI_SUCCESS,
           "the same by name");
    MPI_Comm_free(&comm);
}

static void explain(void)
{
    char text[400];

    tutti_comm_explain(comm, "allreduce 8", text, sizeof text);
    if (world_rank == 0)
        fprintf(stderr, "explained: %s\n", text);
}

static void take_setting(const char *from)
{
    by_info = strcmp(from, "info") == 0;
    if (strcmp(from, "hint") == 0) {
        comm = fresh();
        expect(hint(comm, "tutti_reproducible", "topology"), MPI_SUCCESS, "hint");
        explain();
    } else if (by_info) {
        info = info_of("tutti_reproducible", "topology");
    } else if (strcmp(from, "refusals") == 0) {
        refusals();
        MPI_Finalize();
        exit(0);
    }
}

#else

static void take_setting(const char *from)
{
    (void)from;
}

#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    comm = MPI_COMM_WORLD;
    take_setting(argc > 1 ? argv[1] : "env");
    make_operations();
    for (int i = 0; i < call_set_count; i++)
        if (coll_has(call_sets[i].kind, COLL_REDUCES) &&
            strcmp(call_sets[i].algorithm, "auto") == 0)
            lines_of(&call_sets[i]);
    MPI_Op_free(&operations[3].op);
    MPI_Op_free(&operations[4].op);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
