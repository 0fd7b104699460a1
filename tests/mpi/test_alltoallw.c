/* SPDX-License-Identifier: BSD-3-Clause */
/* test_alltoallw.c - alltoallw with another type for every pair, by all algorithms, in all forms,
 * against the blocking one of the MPI. With PLAIN: under libtutti_mpi.so; else it looks inside the
 * library.
 */
#include "mpi/edges.h"

#ifndef PLAIN
#include "nbc/process/test_knobs.h"
#endif

#include <stdlib.h>
#include <string.h>

static int native(const graph *g, coll_kind kind, const call_args *a)
{
    (void)g;
    return calls_native(kind, a);
}

static void check(edges_form form)
{
    static int cases;
    graph g;

    if (cases++ % mpi_test_stride() != 0)
        return;
    graph_complete(&g);
    edges_check(&g, COLL_alltoallw, form, native);
    graph_free(&g);
}

static void every_pair_has_its_type(void)
{
    for (int types = 0; types < 4; types++)
        for (int units = 0; units <= 6; units += 3)
            check((edges_form){.units = units, .types = types});
}

static void long_blocks(void)
{
    for (int types = 0; types < 4; types++)
        check((edges_form){.units = 6000, .types = types});
}

static void absolute_addresses(void)
{
    for (int displs = DISPLS_ABSOLUTE; displs <= DISPLS_IN_TYPES; displs++)
        for (int types = 0; types < 4; types++)
            check((edges_form){.units = 6, .types = types, .displs = displs});
}

static void in_place(void)
{
    for (int types = 0; types < 4; types++) {
        check((edges_form){.in_place = true, .units = 6, .types = types});
        check((edges_form){.in_place = true, .units = 6000, .types = types});
        check(
            (edges_form){.in_place = true, .units = 6, .types = types, .displs = DISPLS_IN_TYPES});
    }
}

/* ---- what the form of edges.h does not have ---- */

typedef struct mixed {
    int number, more;
    double value;
} mixed;

/* With a gap, or without one but in another order than in memory. */
static MPI_Datatype make_mixed(bool turned)
{
    int gap[] = {1, 1}, twice[] = {1, 2};
    MPI_Aint in_order[] = {offsetof(mixed, number), offsetof(mixed, value)};
    MPI_Aint value_first[] = {offsetof(mixed, value), offsetof(mixed, number)};
    MPI_Datatype basic[] = {MPI_INT, MPI_DOUBLE}, turned_basic[] = {MPI_DOUBLE, MPI_INT}, type;

    if (turned)
        MPI_Type_create_struct(2, twice, value_first, turned_basic, &type);
    else
        MPI_Type_create_struct(2, gap, in_order, basic, &type);
    MPI_Type_commit(&type);
    return type;
}

/* n records for each rank; displacements are in bytes, or MPI_BOTTOM's and in the types. */
typedef struct mixed_side {
    mixed *all;
    int *counts, *displs;
    MPI_Datatype *types;
    call_side side;
} mixed_side;

static void open_mixed(mixed_side *m, MPI_Datatype type, int n, bool bottom)
{
    size_t p = (size_t)world_size;

    m->all = calloc(p * (size_t)n, sizeof *m->all);
    m->counts = calloc(2 * p, sizeof *m->counts);
    m->displs = m->counts + p;
    m->types = calloc(p, sizeof *m->types);
    for (int r = 0; r < world_size; r++) {
        MPI_Aint at;
        MPI_Get_address(m->all + (ptrdiff_t)r * n, &at);
        m->counts[r] = bottom ? 1 : n;
        m->displs[r] = bottom ? 0 : r * n * (int)sizeof(mixed);
        if (bottom)
            MPI_Type_create_hindexed(1, &n, &at, type, &m->types[r]);
        else
            MPI_Type_dup(type, &m->types[r]);
        MPI_Type_commit(&m->types[r]);
    }
    m->side = (call_side){.buffer = bottom ? MPI_BOTTOM : m->all,
                          .list = {m->counts, m->displs, NULL, NULL, m->types}};
}

static void close_mixed(mixed_side *m)
{
    for (int r = 0; r < world_size; r++)
        MPI_Type_free(&m->types[r]);
    free(m->types);
    free(m->counts);
    free(m->all);
}

static void check_mixed(const call_set *s, const call_args *a, mixed *from, const mixed *to, int n)
{
    for (int i = 0; i < world_size * n; i++)
        from[i] = (mixed){world_rank * 1000 + i, 5, world_rank + i / 10.0};
    CHECK(calls_run(s, false, a) == MPI_SUCCESS);
    for (int r = 0, wrong = 0; r < world_size; r++) {
        for (int k = 0; k < n; k++) {
            int i = world_rank * n + k;
            const mixed *m = &to[r * n + k];
            wrong += m->number != r * 1000 + i || m->value != r + i / 10.0;
        }
        CHECK(wrong == 0);
    }
}

static void exchange_mixed(bool turned, bool in_place, bool bottom, int n)
{
    MPI_Datatype type = make_mixed(turned);
    mixed_side from, to;
    call_args a = {.comm = MPI_COMM_WORLD};

    open_mixed(&from, type, n, bottom);
    open_mixed(&to, type, n, bottom);
    a.send = from.side;
    a.recv = to.side;
    if (in_place)
        a.send.buffer = MPI_IN_PLACE;
    for (int i = 0; i < call_set_count; i++)
        if (call_sets[i].kind == COLL_alltoallw) {
            mpi_test_context("%s, %d structs%s%s%s", call_sets[i].algorithm, n,
                             turned ? " turned" : "", in_place ? " in displ" : "",
                             bottom ? " of MPI_BOTTOM" : "");
            check_mixed(&call_sets[i], &a, in_place ? to.all : from.all, to.all, n);
        }
    close_mixed(&to);
    close_mixed(&from);
    MPI_Type_free(&type);
}

/* Of more than 8 KiB MPICH 4.0 loses such structs, if they have been sent packed. */
static void structs_of_different_types_are_exchanged(void)
{
    for (int form = 0; form < 8; form++)
        for (int n = 1; n <= 40000; n *= 200)
            exchange_mixed(form & 1, form & 2, form & 4, n);
}

/* Columns of a matrix, whose extents overlap, become rows of another one. */
static void columns_become_rows(void)
{
    int p = world_size, *from = calloc((size_t)(p * p), sizeof *from);
    int *to = calloc((size_t)(p * p), sizeof *to), *one = calloc((size_t)p, sizeof *one);
    int *sdispls = calloc((size_t)p, sizeof *sdispls),
        *rdispls = calloc((size_t)p, sizeof *rdispls);
    MPI_Datatype *columns = calloc((size_t)p, sizeof *columns);
    MPI_Datatype *rows = calloc((size_t)p, sizeof *rows), column, row;

    MPI_Type_vector(p, 1, p, MPI_INT, &column);
    MPI_Type_contiguous(p, MPI_INT, &row);
    MPI_Type_commit(&column);
    MPI_Type_commit(&row);
    for (int r = 0; r < p; r++) {
        one[r] = 1;
        sdispls[r] = r * (int)sizeof(int);
        rdispls[r] = r * p * (int)sizeof(int);
        columns[r] = column;
        rows[r] = row;
    }
    for (int i = 0; i < call_set_count; i++) {
        call_args a = {.send = {.buffer = from, .list = {one, sdispls, NULL, NULL, columns}},
                       .recv = {.buffer = to, .list = {one, rdispls, NULL, NULL, rows}},
                       .comm = MPI_COMM_WORLD};
        if (call_sets[i].kind != COLL_alltoallw)
            continue;
        for (int k = 0; k < p * p; k++)
            from[k] = world_rank * 10000 + k;
        memset(to, -1, (size_t)(p * p) * sizeof *to);
        CHECK(calls_run(&call_sets[i], false, &a) == MPI_SUCCESS);
        for (int r = 0; r < p; r++)
            for (int k = 0; k < p; k++)
                CHECK(to[r * p + k] == r * 10000 + k * p + world_rank);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&row);
    free(rows);
    free(columns);
    free(rdispls);
    free(sdispls);
    free(one);
    free(to);
    free(from);
}

#ifndef PLAIN
/* Only the first and the last rank send: of what a rank receives in one round of bruck_radix:2 two
 * blocks are neighbors if all between them are empty. */
static void between_two_blocks_all_are_empty(void)
{
    enum { N = 2 };
    size_t p = (size_t)world_size;
    bool sends = world_rank == 0 || world_rank == world_size - 1;
    int from[N] = {world_rank, -world_rank}, *to = calloc(N * p, sizeof *to);
    int *displs = calloc(2 * p, sizeof *displs), *zero = displs + p;
    int *sent = calloc(p, sizeof *sent), *received = calloc(p, sizeof *received);
    MPI_Datatype *types = calloc(p, sizeof *types);
    MPI_Info info;
    MPIX_Request request;

    for (int i = 0; i < world_size; i++) {
        displs[i] = (world_size - 1 - i) * N * (int)sizeof(int);
        sent[i] = sends ? N : 0;
        received[i] = i == 0 || i == world_size - 1 ? N : 0;
        types[i] = MPI_INT;
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", "bruck_radix:2");
    CHECK(MPIX_Alltoallw_auto_init(from, sent, zero, types, to, received, displs, types,
                                   MPI_COMM_WORLD, info, &request) == MPI_SUCCESS);
    CHECK(MPIX_Start(&request) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(to[(p - 1) * N] == 0 && to[(p - 1) * N + 1] == 0);
    CHECK(to[0] == world_size - 1 && to[1] == 1 - world_size);
    MPIX_Request_free(&request);
    MPI_Info_free(&info);
    free(types);
    free(received);
    free(sent);
    free(displs);
    free(to);
}

/* What an int cannot count: here from 8 elements on. */
static void counts_too_large_for_an_int(void)
{
    datatype_max_count = 7;
    for (int types = 0; types < 4; types++) {
        check((edges_form){.units = 60, .types = types});
        check((edges_form){.in_place = true, .units = 60, .types = types});
    }
    datatype_max_count = 1 << 30;
}

static int call(const void *s, const int *n, const MPI_Datatype *t, void *r, const int *m,
                const MPI_Datatype *u)
{
    int *displs = calloc((size_t)world_size, sizeof *displs), error;

    for (int i = 0; i < world_size; i++)
        displs[i] = i * (int)sizeof(int);
    error = MPIX_Alltoallw_pairwise(s, n, displs, t, r, m, displs, u, MPI_COMM_WORLD);
    free(displs);
    return error;
}

/* All ranks alike, so that nobody waits for one that has been refused. */
static void wrong_arguments_are_refused(void)
{
    size_t p = (size_t)world_size;
    int *s = calloc(p, sizeof *s), *r = calloc(p, sizeof *r), *one = calloc(p, sizeof *one);
    int *none = calloc(p, sizeof *none), *bad = calloc(p, sizeof *bad);
    MPI_Datatype *t = calloc(p, sizeof *t), *null = calloc(p, sizeof *null), raw;
    MPI_Datatype *raws = calloc(p, sizeof *raws);

    MPI_Type_contiguous(1, MPI_INT, &raw);
    for (size_t i = 0; i < p; i++) {
        one[i] = bad[i] = 1;
        t[i] = MPI_INT;
        null[i] = MPI_DATATYPE_NULL;
        raws[i] = raw;
    }
    bad[p - 1] = -1;
    CHECK_CLASS(call(s, NULL, t, r, one, t), MPI_ERR_ARG);
    CHECK_CLASS(call(s, one, NULL, r, one, t), MPI_ERR_ARG);
    CHECK_CLASS(call(s, one, t, r, one, NULL), MPI_ERR_ARG);
    CHECK_CLASS(call(s, bad, t, r, one, t), MPI_ERR_COUNT);
    CHECK_CLASS(call(s, one, t, r, bad, t), MPI_ERR_COUNT);
    CHECK_CLASS(call(s, one, null, r, one, t), MPI_ERR_TYPE);
    CHECK_CLASS(call(s, one, t, r, one, raws), MPI_ERR_TYPE);
    CHECK_CLASS(call(s, one, t, MPI_IN_PLACE, one, t), MPI_ERR_BUFFER);
    CHECK_CLASS(call(r, one, t, r, one, t), MPI_ERR_BUFFER); /* one is the other */
    CHECK_CLASS(call(s, one, t, r, none, null), MPI_ERR_TRUNCATE);
    CHECK(call(s, none, null, r, none, raws) == MPI_SUCCESS);
    CHECK(call(NULL, none, null, NULL, none, null) == MPI_SUCCESS);
    CHECK(call(MPI_IN_PLACE, NULL, NULL, r, one, t) == MPI_SUCCESS);
    for (size_t i = 0; i < p; i++)
        s[i] = world_rank * 100 + (int)i;
    CHECK(call(s, one, t, r, one, t) == MPI_SUCCESS);
    for (size_t i = 0; i < p; i++)
        CHECK(r[i] == (int)i * 100 + world_rank);
    MPI_Type_free(&raw);
    free(raws);
    free(null);
    free(t);
    free(bad);
    free(none);
    free(one);
    free(r);
    free(s);
}
#endif

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(every_pair_has_its_type),
        MPI_TEST(long_blocks),
        MPI_TEST(absolute_addresses),
        MPI_TEST(in_place),
        MPI_TEST(structs_of_different_types_are_exchanged),
        MPI_TEST(columns_become_rows),
#ifndef PLAIN
        MPI_TEST(between_two_blocks_all_are_empty),
        MPI_TEST(counts_too_large_for_an_int),
        MPI_TEST(wrong_arguments_are_refused),
#endif
    };

    return mpi_test_main(argc, argv, "alltoallw", tests, sizeof tests / sizeof *tests);
}
