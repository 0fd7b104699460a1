/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flatten.c - the ranges that flatten.h finds, inside the library, are what MPI_Pack takes, of
 * random datatypes.
 */
#include "mpi/mpi_test.h"
#include "nbc/run/flatten.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { BLOCKS = 3, TYPES = 300, DEPTH = 3, MARGIN = 1 << 16, MOST_ROOM = 1 << 20 };

static unsigned seed = 7;

static int below(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 8) % n;
}

static MPI_Datatype basic_type(void)
{
    const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT};

    return types[below(5)];
}

static MPI_Datatype random_type(int depth);

static MPI_Datatype struct_of(int depth)
{
    int lengths[] = {1 + below(2), below(3)};
    MPI_Aint at[] = {8 * below(20) - 40, 8 * below(20)};
    MPI_Datatype parts[] = {random_type(depth - 1), random_type(depth - 1)}, made;

    MPI_Type_create_struct(2, lengths, at, parts, &made);
    MPI_Type_free(&parts[0]);
    MPI_Type_free(&parts[1]);
    return made;
}

static MPI_Datatype subarray_of(MPI_Datatype part)
{
    int sizes[] = {3, 4}, parts[] = {1 + below(2), 1 + below(3)}, starts[] = {below(2), below(2)};
    MPI_Datatype made;

    MPI_Type_create_subarray(2, sizes, parts, starts, below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                             part, &made);
    return made;
}

/* Not committed. */
static MPI_Datatype random_type(int depth)
{
    int lengths[] = {below(3), 1 + below(2), below(2)}, places[] = {below(6), -below(6), 9};
    MPI_Datatype part, made;

    if (depth == 0) {
        MPI_Type_contiguous(1 + below(3), basic_type(), &made);
        return made;
    }
    if (below(4) == 0)
        return struct_of(depth);
    part = random_type(depth - 1);
    switch (below(4)) {
    case 0:
        MPI_Type_vector(1 + below(3), 1 + below(2), 4 - below(8), part, &made);
        break;
    case 1:
        MPI_Type_indexed(3, lengths, places, part, &made);
        break;
    case 2:
        MPI_Type_create_resized(part, -8, 8 * (1 + below(30)), &made);
        break;
    default:
        made = subarray_of(part);
    }
    MPI_Type_free(&part);
    return made;
}

/* The bytes of these ranges are the packed ones. */
static void check_block(const char *base, const flatten_block *b, const byte_range *range,
                        int64_t n)
{
    static char packed[MOST_ROOM], gathered[MOST_ROOM];
    int size, at = 0, end = 0;

    MPI_Type_size(b->type, &size);
    CHECK(size * b->count <= MOST_ROOM);
    MPI_Pack(base + b->offset, (int)b->count, b->type, packed, MOST_ROOM, &at, MPI_COMM_SELF);
    for (int64_t i = 0; i < n; i++) {
        memcpy(gathered + end, base + range[i].at, (size_t)range[i].length);
        end += (int)range[i].length;
    }
    CHECK(end == at && end == size * (int)b->count);
    CHECK(memcmp(packed, gathered, (size_t)end) == 0);
}

static void ranges_are_what_is_packed(void)
{
    static char memory[2 * MARGIN];

    CHECK(tutti_init() == MPI_SUCCESS);
    for (int i = 0; i < 2 * MARGIN; i++)
        memory[i] = (char)below(256);
    for (int k = 0; k < TYPES; k++) {
        flatten_block block[BLOCKS];
        int64_t first[BLOCKS + 1];
        byte_range *range;
        for (int i = 0; i < BLOCKS; i++) {
            block[i] = (flatten_block){random_type(below(DEPTH + 1)), below(4), below(500)};
            MPI_Type_commit(&block[i].type);
        }
        mpi_test_context("types %d", k);
        CHECK(flatten_blocks(block, BLOCKS, first, &range));
        for (int i = 0; i < BLOCKS; i++)
            check_block(memory + MARGIN, &block[i], range + first[i], first[i + 1] - first[i]);
        free(range);
        for (int i = 0; i < BLOCKS; i++)
            MPI_Type_free(&block[i].type);
    }
}

/* Ranges that touch are one. */
static void what_lies_together_is_one_range(void)
{
    flatten_block block = {MPI_DOUBLE, 1000, -16};
    int64_t first[2];
    byte_range *range;

    CHECK(flatten_blocks(&block, 1, first, &range));
    CHECK(first[1] == 1 && range[0].at == -16 && range[0].length == 8000);
    free(range);
}

static void more_than_an_int_of_bytes_is_refused(void)
{
    flatten_block block = {MPI_DOUBLE, 1 << 28, 0};
    int64_t first[2];
    byte_range *range;

    CHECK(!flatten_blocks(&block, 1, first, &range) && !range);
}

int main(int argc, char **argv)
{
    const mpi_test tests[] = {MPI_TEST(ranges_are_what_is_packed),
                              MPI_TEST(what_lies_together_is_one_range),
                              MPI_TEST(more_than_an_int_of_bytes_is_refused)};

    return mpi_test_main(argc, argv, "flatten", tests, sizeof tests / sizeof *tests);
}
