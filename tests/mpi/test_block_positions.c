/* SPDX-License-Identifier: BSD-3-Clause */
/* test_block_positions.c - data at special positions, and calls with hints: absolute addresses,
 * blocks that interleave, buffers that change from call to call, large blocks, forms and radices.
 */
#include "mpi/blocks.h"
#include "mpi/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void types_make(void)
{
    type_pairs_make();
    reductions_make();
}

/* The same for all ranks. False: not for so many ranks. */
static bool open_case(blocks *b, const call_set *s, MPI_Comm comm, int pair, int count)
{
    *b = (blocks){.kind = s->kind,
                  .comm = comm,
                  .types = &type_pairs[pair % type_pair_count],
                  .reduction = coll_has(s->kind, COLL_REDUCES) ? &reductions[0] : NULL,
                  .count = count};
    mpi_test_context("%s %s", coll_kind_name(s->kind), s->algorithm);
    if (!calls_serve(s, world_size, NULL))
        return false;
    blocks_open(b);
    return true;
}

static void run(const call_set *s, blocks *b, int turn)
{
    MPI_Request r;

    blocks_fill(b, turn);
    CHECK(calls_start(s, false, &b->args, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(blocks_are_right(b));
}

/* Above the piece in which copies are made, and no multiple of it. */
static void large_blocks_arrive_whole(void)
{
    blocks b;

    for (int i = 0; i < call_set_count; i++)
        if (strcmp(call_sets[i].algorithm, "auto") == 0 &&
            open_case(&b, &call_sets[i], MPI_COMM_WORLD, 0, 75003)) {
            run(&call_sets[i], &b, i);
            blocks_close(&b);
        }
}

/* The same call on other buffers, and back: what was resolved for the first ones must not be used.
 * Above what is packed: types hold distances between the buffers. */
static void buffers_may_change_from_call_to_call(void)
{
    enum { BUFFERS = 3 };
    blocks b[BUFFERS];

    for (int i = 0; i < call_set_count; i++) {
        bool serves = true;
        for (int k = 0; k < BUFFERS; k++)
            serves &= open_case(&b[k], &call_sets[i], MPI_COMM_WORLD, 0, 2250);
        for (int k = 0; k < 2 * BUFFERS && serves; k++)
            run(&call_sets[i], &b[k * 2 % BUFFERS], k);
        for (int k = 0; k < BUFFERS && serves; k++)
            blocks_close(&b[k]);
    }
}

/* Any radix, also above the number of ranks: `auto`, with a hint. */
static void every_radix_works(void)
{
    const call_set *s = &call_sets[0];
    MPI_Comm comm = fresh();
    char name[32];
    blocks b;

    while (s->kind != COLL_alltoall || strcmp(s->algorithm, "auto") != 0)
        s++;
    for (int radix = 2; radix <= world_size + 2; radix++) {
        snprintf(name, sizeof name, "bruck_radix:%d", radix);
        CHECK(hint(comm, "tutti_algorithm", name) == MPI_SUCCESS);
        open_case(&b, s, comm, radix, 3);
        run(s, &b, radix);
        blocks_close(&b);
    }
    MPI_Comm_free(&comm);
}

/* Columns of a matrix, resized to one element: the blocks of the receive buffer interleave, so that
 * more of them than its own cannot lie one after the other. */
static void interleaved_blocks_are_exchanged(void)
{
    enum { K = 3 };
    int n = K * world_size, *rows = malloc((size_t)(n * K) * sizeof *rows);
    int *columns = malloc((size_t)(n * K) * sizeof *columns), wrong;
    MPI_Datatype vector, column;

    MPI_Type_vector(K, 1, n, MPI_INT, &vector); /* K rows are mine */
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < call_set_count; i++)
        for (int in_place = 0; in_place < 2 && call_sets[i].kind == COLL_alltoall; in_place++) {
            call_args a = calls_ints(in_place ? MPI_IN_PLACE : rows, K, columns, MPI_COMM_WORLD);
            MPI_Request r;
            mpi_test_context("%s%s", call_sets[i].algorithm, in_place ? " in place" : "");
            a.send.type = a.recv.type = column;
            for (int k = 0; k < n * K; k++) { /* row k / n of mine, column k % n */
                rows[k] = world_rank * n * K + k;
                columns[k] = in_place ? rows[k] : -1;
            }
            CHECK(calls_start(&call_sets[i], false, &a, &r) == MPI_SUCCESS);
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            wrong = 0;
            for (int k = 0; k < n * K; k++) { /* from rank k % n / K its columns of me */
                int from = k % n / K, column_there = world_rank * K + k % K;
                wrong += columns[k] != from * n * K + k / n * n + column_there;
            }
            CHECK(wrong == 0);
        }
    MPI_Type_free(&vector);
    MPI_Type_free(&column);
    free(rows);
    free(columns);
}

/* Types whose addresses are absolute, on both sides. */
static void mpi_bottom_is_an_address_for_allgather(void)
{
    int mine[2] = {world_rank, world_rank + 1000}, two = 2, *all;
    MPI_Aint at_mine, at_all;
    MPI_Datatype sendtype, recvtype, where;
    MPI_Request r;

    all = calloc((size_t)world_size * 2, sizeof *all);
    MPI_Get_address(mine, &at_mine);
    MPI_Get_address(all, &at_all);
    MPI_Type_create_hindexed(1, &two, &at_mine, MPI_INT, &sendtype);
    MPI_Type_create_hindexed(1, &two, &at_all, MPI_INT, &where);
    MPI_Type_create_resized(where, at_all, 2 * sizeof(int), &recvtype);
    MPI_Type_commit(&sendtype);
    MPI_Type_commit(&recvtype);
    CHECK(MPIX_Iallgather_bruck(MPI_BOTTOM, 1, sendtype, MPI_BOTTOM, 1, recvtype, MPI_COMM_WORLD,
                                &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[2 * i] == i && all[2 * i + 1] == i + 1000);
    MPI_Type_free(&where);
    MPI_Type_free(&sendtype);
    MPI_Type_free(&recvtype);
    free(all);
}

/* Two ints at an absolute address; the next ones after them. */
static MPI_Datatype absolute_type(int *at)
{
    int two = 2;
    MPI_Aint address;
    MPI_Datatype pair, type;

    MPI_Get_address(at, &address);
    MPI_Type_create_hindexed(1, &two, &address, MPI_INT, &pair);
    MPI_Type_create_resized(pair, address, 2 * sizeof(int), &type);
    MPI_Type_free(&pair);
    MPI_Type_commit(&type);
    return type;
}

/* The number of the block that comes from rank k; -1: nothing comes. Rank 0 is the root. */
static int number_of(coll_kind kind, int k)
{
    if (kind == COLL_alltoall)
        return k * 100 + world_rank;
    if (kind == COLL_gather)
        return world_rank == 0 ? k * 100 : -1;
    return k == 0 ? world_rank : -1;
}

/* On both sides. */
static void mpi_bottom_is_an_address_for_each_block(void)
{
    int *out = calloc((size_t)world_size * 2, sizeof *out);
    int *in = calloc((size_t)world_size * 2, sizeof *in);
    MPI_Datatype sendtype = absolute_type(out), recvtype = absolute_type(in);

    for (int k = 0; k < world_size; k++) {
        out[2 * k] = world_rank * 100 + k;
        out[2 * k + 1] = -out[2 * k];
    }
    for (int i = 0; i < call_set_count; i++) {
        coll_kind kind = call_sets[i].kind;
        call_args a = calls_ints(MPI_BOTTOM, 1, MPI_BOTTOM, MPI_COMM_WORLD);
        MPI_Request r;
        if (kind != COLL_alltoall && kind != COLL_gather && kind != COLL_scatter)
            continue;
        mpi_test_context("%s %s", coll_kind_name(kind), call_sets[i].algorithm);
        a.send.type = sendtype;
        a.recv.type = recvtype;
        memset(in, 0x55, (size_t)world_size * 2 * sizeof *in);
        CHECK(calls_start(&call_sets[i], false, &a, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++) {
            int number = number_of(kind, k);
            CHECK(in[2 * k] == (number < 0 ? 0x55555555 : number));
            CHECK(in[2 * k + 1] == (number < 0 ? 0x55555555 : -number));
        }
    }
    MPI_Type_free(&sendtype);
    MPI_Type_free(&recvtype);
    free(out);
    free(in);
}

/* Both forms of the algorithms that have two. */
static void forms_are_chosen_by_info(void)
{
    static const char *const values[] = {"bruck:step",    "bruck:block", "sparbit:step",
                                         "sparbit:block", "linear",      "ring"};
    int *all = calloc((size_t)world_size, sizeof *all);
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "somebody_elses_key", "is ignored");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        MPIX_Request r = MPIX_REQUEST_NULL;
        MPI_Info_set(info, "tutti_algorithm", values[i]);
        mpi_test_context("%s", values[i]);
        CHECK(MPIX_Allgather_auto_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                       info, &r) == MPI_SUCCESS);
        memset(all, 0x55, (size_t)world_size * sizeof *all);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++)
            CHECK(all[k] == k);
        MPIX_Request_free(&r);
    }
    MPI_Info_free(&info);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(types_make), /* needs MPI: so it comes as the first test */
        MPI_TEST(large_blocks_arrive_whole),
        MPI_TEST(buffers_may_change_from_call_to_call),
        MPI_TEST(every_radix_works),
        MPI_TEST(interleaved_blocks_are_exchanged),
        MPI_TEST(mpi_bottom_is_an_address_for_allgather),
        MPI_TEST(mpi_bottom_is_an_address_for_each_block),
        MPI_TEST(forms_are_chosen_by_info),
    };

    return mpi_test_main(argc, argv, "block_positions", tests, sizeof tests / sizeof *tests);
}
