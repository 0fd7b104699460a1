/* SPDX-License-Identifier: BSD-3-Clause */
/* reductions.c - see reductions.h. */
#include "mpi/reductions.h"

#include "oracle.h"

#include <string.h>

reduction reductions[reduction_count];

/* ---- on elements without gaps ---- */

static void make_int(const uint64_t *items, void *element)
{
    int value = (int)(items[0] % 100000);

    memcpy(element, &value, sizeof value);
}

static void sum_int(const void *left, void *right, int n)
{
    const int *from = left;
    int *to = right;

    for (int i = 0; i < n; i++)
        to[i] += from[i];
}

/* Small whole numbers: their sums are exact in any order. */
static void make_double(const uint64_t *items, void *element)
{
    double value = (double)(items[0] % 100000);

    memcpy(element, &value, sizeof value);
}

static void sum_double(const void *left, void *right, int n)
{
    const double *from = left;
    double *to = right;

    for (int i = 0; i < n; i++)
        to[i] += from[i];
}

enum { LOC = 12 }; /* a double and an int */

/* Few values, so that many are equal and the index decides. */
static void make_loc(const uint64_t *items, void *element)
{
    double value = (double)(items[0] % 3);
    int at = (int)(items[0] >> 40);

    memcpy(element, &value, sizeof value);
    memcpy((char *)element + sizeof value, &at, sizeof at);
}

static void take_loc(const char *from, char *to, int sign)
{
    double a, b;
    int i, j;

    memcpy(&a, from, sizeof a);
    memcpy(&b, to, sizeof b);
    memcpy(&i, from + sizeof a, sizeof i);
    memcpy(&j, to + sizeof b, sizeof j);
    if (sign * a > sign * b || (a == b && i < j))
        memcpy(to, from, LOC);
}

static void max_loc(const void *left, void *right, int n)
{
    for (int i = 0; i < n; i++)
        take_loc((const char *)left + LOC * i, (char *)right + LOC * i, 1);
}

static void min_loc(const void *left, void *right, int n)
{
    for (int i = 0; i < n; i++)
        take_loc((const char *)left + LOC * i, (char *)right + LOC * i, -1);
}

static void make_one(const uint64_t *items, void *element)
{
    memcpy(element, items, sizeof *items);
}

static void make_two(const uint64_t *items, void *element)
{
    memcpy(element, items, 2 * sizeof *items);
}

static void add_one(const void *left, void *right, int n)
{
    oracle_add(left, right, n);
}

static void add_two(const void *left, void *right, int n)
{
    oracle_add(left, right, 2 * n);
}

static void compose_one(const void *left, void *right, int n)
{
    oracle_compose(left, right, n);
}

static void compose_two(const void *left, void *right, int n)
{
    oracle_compose(left, right, 2 * n);
}

static void multiply_matrices(const void *left, void *right, int n)
{
    const uint32_t *a = left;
    uint32_t *b = right;

    for (int i = 0; i < n; i++, a += 4, b += 4) {
        uint32_t product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                               a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
        memcpy(b, product, sizeof product);
    }
}

/* Odd determinants: no product of such matrices forgets its factors. */
static void make_matrix(const uint64_t *items, void *element)
{
    uint32_t m[4] = {(uint32_t)items[0] | 1, (uint32_t)(items[0] >> 32), (uint32_t)items[1],
                     (uint32_t)(items[1] >> 32) | 1};

    m[1] &= ~1u;
    memcpy(element, m, sizeof m);
}

/* ---- user-defined operations: one element may be anywhere in its extent ---- */

static void each_item(const char *in, char *inout, int n, MPI_Datatype type,
                      void (*combine)(const uint64_t *, uint64_t *, int64_t))
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size, items;

    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    items = size / 8;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < items; k++) {
            MPI_Aint at =
                i * extent + true_lb + (items > 1 ? k * (true_extent - 8) / (items - 1) : 0);
            combine((const uint64_t *)(in + at), (uint64_t *)(inout + at), 1);
        }
}

static void user_compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    each_item(in, inout, *n, *type, oracle_compose);
}

static void user_add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    each_item(in, inout, *n, *type, oracle_add);
}

static void user_multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    multiply_matrices(in, inout, *n);
}

/* ---- types of two numbers ---- */

static MPI_Datatype two_at(MPI_Aint first, MPI_Aint second, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype pair, type;
    MPI_Aint at[2] = {first, second};
    int lengths[2] = {1, 1};

    MPI_Type_create_hindexed(2, lengths, at, MPI_UINT64_T, &pair);
    MPI_Type_create_resized(pair, lb, extent, &type);
    MPI_Type_free(&pair);
    MPI_Type_commit(&type);
    return type;
}

enum { ORDERED = 1, PADDED = 2 };

static int made;

static void add(const char *name, MPI_Datatype type, MPI_Op op, int traits, int size,
                void (*make)(const uint64_t *, void *), void (*combine)(const void *, void *, int))
{
    reductions[made++] = (reduction){.name = name,
                                     .type = type,
                                     .op = op,
                                     .noncommutative = traits & ORDERED,
                                     .padded = traits & PADDED,
                                     .size = size,
                                     .make = make,
                                     .combine = combine};
}

static void add_user(const char *name, MPI_Datatype type, MPI_User_function *function, int traits,
                     void (*make)(const uint64_t *, void *),
                     void (*combine)(const void *, void *, int))
{
    MPI_Op op;
    int size;

    MPI_Op_create(function, !(traits & ORDERED), &op);
    MPI_Type_size(type, &size);
    add(name, type, op, traits, size, make, combine);
    reductions[made - 1].function = function;
}

void reductions_make(void)
{
    MPI_Datatype matrix, late = two_at(8, 16, 0, 32), early = two_at(-16, -8, -16, 24);
    MPI_Datatype apart = two_at(0, 16, 0, 24);

    made = 0;
    MPI_Type_contiguous(4, MPI_UINT32_T, &matrix);
    MPI_Type_commit(&matrix);
    add("sum of numbers", MPI_UINT64_T, MPI_SUM, 0, 8, make_one, add_one);
    add("sum of int", MPI_INT, MPI_SUM, 0, 4, make_int, sum_int);
    add("sum of double", MPI_DOUBLE, MPI_SUM, 0, 8, make_double, sum_double);
    add("maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, PADDED, LOC, make_loc, max_loc);
    add("minloc", MPI_DOUBLE_INT, MPI_MINLOC, PADDED, LOC, make_loc, min_loc);
    add_user("compose", MPI_UINT64_T, user_compose, ORDERED, make_one, compose_one);
    add_user("compose behind a gap", late, user_compose, ORDERED, make_two, compose_two);
    add_user("compose before 0", early, user_compose, ORDERED, make_two, compose_two);
    add_user("add around a gap", apart, user_add, 0, make_two, add_two);
    add_user("matrices", matrix, user_multiply, ORDERED, make_matrix, multiply_matrices);
}
