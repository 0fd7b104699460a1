/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pack.c - how pack.c cuts what MPI packs: MPI's functions are replaced by ones that look at
 * the calls only. So blocks of many GiB are tested with addresses where there is no memory.
 */
#include "nbc/run/pack.h"

#include "nbc/process/native_mpi.h"
#include "nbc/process/test_knobs.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define GIB ((int64_t)1 << 30)

/* Of items in memory, and of packed data. */
static char *const items = (char *)((intptr_t)1 << 40), *const packed = (char *)((intptr_t)1 << 44);

static int64_t moved; /* items, so far */
static int calls, messages;
static const datatype *of; /* of the items */

static int look(const void *at, int n, const void *in, int64_t room)
{
    assert_ptr_equal(at, items + moved * of->extent);
    assert_ptr_equal(in, packed + moved * of->size);
    assert_true(n > 0 && n * of->size == room);
    moved += n;
    return MPI_SUCCESS;
}

int PMPI_Pack(const void *from, int n, MPI_Datatype type, void *to, int room, int *at, MPI_Comm c)
{
    (void)type, (void)at, (void)c;
    calls++;
    return look(from, n, to, room);
}

int PMPI_Unpack(const void *from, int room, int *at, void *to, int n, MPI_Datatype type, MPI_Comm c)
{
    (void)type, (void)at, (void)c;
    calls++;
    return look(to, n, from, room);
}

int PMPI_Sendrecv(const void *from, int nfrom, MPI_Datatype sent, int to_rank, int to_tag, void *to,
                  int nto, MPI_Datatype got, int from_rank, int from_tag, MPI_Comm c,
                  MPI_Status *status)
{
    bool packs = got == MPI_PACKED;

    (void)to_rank, (void)to_tag, (void)from_rank, (void)from_tag, (void)c, (void)status;
    assert_true(packs != (sent == MPI_PACKED));
    messages++;
    return packs ? look(from, nfrom, to, of->size) : look(to, nto, from, of->size);
}

int PMPI_Type_create_hindexed(int n, const int lengths[], const MPI_Aint at[], MPI_Datatype old,
                              MPI_Datatype *type)
{
    (void)n, (void)lengths, (void)at, (void)old, (void)type;
    fail();
    return MPI_SUCCESS;
}

/* ---- the rest of the library ---- */

native_mpi_calls native_mpi;

MPI_Comm process_self(void)
{
    return MPI_COMM_NULL;
}

int datatype_commit(MPI_Datatype *type)
{
    (void)type;
    return MPI_SUCCESS;
}

/* As if there were large types. */
int datatype_count(MPI_Datatype type, int64_t n, MPI_Datatype *result, int *count, bool *made)
{
    *result = type;
    *count = type == MPI_PACKED ? 1 : (int)n;
    *made = false;
    return MPI_SUCCESS;
}

const typed_block *typed_find(const typed_blocks *t, int64_t at)
{
    (void)at;
    return t->block;
}

/* ---- tests ---- */

/* A step of one interval of n items, and of what comes after it. */
typedef struct one_step {
    interval list[2];
    sched s;
    step st;
    bound b;
} one_step;

static void make(one_step *o, const datatype *type, int64_t n, int64_t after)
{
    *o = (one_step){.list = {{.offset = 0, .length = (uint64_t)n, .space = SPACE_RECV},
                             {.offset = n, .length = (uint64_t)after, .space = SPACE_RECV}},
                    .st = {.n = 2, .message = 0}};
    o->s.list = o->list;
    o->b.sched = &o->s;
    o->b.space[SPACE_RECV] = (space_binding){.type = *type, .count = 1, .parts = 1};
    o->b.base[SPACE_RECV] = items;
    of = type;
    moved = calls = messages = 0;
}

static void both_ways(const datatype *type, int64_t n, int least_calls, int least_messages)
{
    one_step o;

    for (int packs = 0; packs < 2; packs++) {
        make(&o, type, n, 3);
        assert_int_equal(packs ? pack_step(&o.b, &o.st, packed)
                               : unpack_step(&o.b, &o.st, packed, (n + 3) * type->size),
                         MPI_SUCCESS);
        assert_int_equal(moved, n + 3);
        assert_int_equal(calls, least_calls);
        assert_int_equal(messages, least_messages);
    }
}

/* 3 GiB of 24 bytes each take two calls, 9 GiB take five; and one is for what follows. */
static void blocks_of_more_than_2_gib_take_several_calls(void **state)
{
    (void)state;
    both_ways(&(datatype){.type = MPI_DOUBLE, .size = 24, .extent = 40}, 3 * GIB / 24, 3, 0);
    both_ways(&(datatype){.type = MPI_DOUBLE, .size = 24, .extent = 40}, 9 * GIB / 24, 6, 0);
    both_ways(&(datatype){.type = MPI_DOUBLE, .size = 1, .extent = 2}, 5 * GIB, 4, 0);
    both_ways(&(datatype){.type = MPI_DOUBLE, .size = INT_MAX, .extent = 3 * GIB}, 2, 5, 0);
}

static void items_of_more_than_2_gib_take_a_message_each(void **state)
{
    (void)state;
    both_ways(&(datatype){.type = MPI_DOUBLE, .size = 3 * GIB, .extent = 4 * GIB}, 2, 0, 5);
    both_ways(&(datatype){.type = MPI_DOUBLE, .size = (int64_t)INT_MAX + 1, .extent = 4 * GIB}, 1,
              0, 4);
}

/* Nor is there an address. */
static void empty_blocks_take_none(void **state)
{
    const datatype none = {.type = MPI_DOUBLE, .extent = 8},
                   some = {.type = MPI_DOUBLE, .size = 8, .extent = 8};
    one_step o;

    (void)state;
    make(&o, &none, 5, 5);
    o.b.base[SPACE_RECV] = NULL;
    assert_int_equal(pack_step(&o.b, &o.st, NULL), MPI_SUCCESS);
    assert_int_equal(unpack_step(&o.b, &o.st, NULL, 100), MPI_SUCCESS);
    make(&o, &some, 0, 0);
    o.b.base[SPACE_RECV] = NULL;
    assert_int_equal(pack_step(&o.b, &o.st, NULL), MPI_SUCCESS);
    assert_int_equal(unpack_step(&o.b, &o.st, NULL, 100), MPI_SUCCESS);
    make(&o, &some, 5, 5);
    assert_int_equal(unpack_step(&o.b, &o.st, packed, 0), MPI_SUCCESS);
    assert_int_equal(calls + messages, 0);
}

/* One empty interval before it changes nothing. */
static void items_behind_an_empty_block_come(void **state)
{
    const datatype some = {.type = MPI_DOUBLE, .size = 8, .extent = 16};
    one_step o;

    (void)state;
    make(&o, &some, 0, 7);
    assert_int_equal(unpack_step(&o.b, &o.st, packed, 56), MPI_SUCCESS);
    assert_int_equal(moved, 7);
}

static void only_whole_items_that_have_come_are_written(void **state)
{
    const datatype large = {.type = MPI_DOUBLE, .size = 24, .extent = 40};
    one_step o;

    (void)state;
    make(&o, &large, GIB, 3);
    assert_int_equal(unpack_step(&o.b, &o.st, packed, 5 * GIB), MPI_SUCCESS);
    assert_int_equal(moved, 5 * GIB / 24);
    make(&o, &large, 4, 3);
    o.list[1].space = SPACE_SEND; /* whose items are so small that one would fit in what is left */
    o.b.space[SPACE_SEND] = (space_binding){.type = {.size = 1}, .count = 1, .parts = 1};
    assert_int_equal(unpack_step(&o.b, &o.st, packed, 4 * 24 - 1), MPI_SUCCESS);
    assert_int_equal(moved, 3);
    make(&o, &large, 4, 3);
    assert_int_equal(unpack_step(&o.b, &o.st, packed, 5 * 24 + 23), MPI_SUCCESS);
    assert_int_equal(moved, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_more_than_2_gib_take_several_calls),
        cmocka_unit_test(items_of_more_than_2_gib_take_a_message_each),
        cmocka_unit_test(empty_blocks_take_none),
        cmocka_unit_test(items_behind_an_empty_block_come),
        cmocka_unit_test(only_whole_items_that_have_come_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
