/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - see layout.h. Extents are asked of the MPI (a struct may be padded), the offsets of
 * all pieces are computed here. */
#include "layout.h"

#include "mpi/mpi_test.h"

#include <limits.h>
#include <stdlib.h>

enum { BASE_TYPES = 6 };

static MPI_Datatype base_type(int base)
{
    switch (base) {
    case 0:
        return MPI_BYTE;
    case 1:
        return MPI_SHORT;
    case 2:
        return MPI_INT;
    case 3:
        return MPI_DOUBLE;
    case 4:
        return MPI_CHAR;
    default:
        return MPI_INT64_T;
    }
}

static const int base_size[BASE_TYPES] = {1, 2, 4, 8, 1, 8};

void signature_choose(rng *r, signature *s)
{
    s->members = rng_chance(r, 70) ? 1 : 2 + rng_below(r, 2);
    s->bytes = 0;
    for (int i = 0; i < s->members; i++) {
        s->base[i] = rng_below(r, BASE_TYPES);
        s->bytes += base_size[s->base[i]];
    }
}

/* Open MPI 5.0.7 gets messages of more than 16 KiB wrong, its own too, whose items are not aligned.
 */
static MPI_Aint align(MPI_Aint offset, int size)
{
    static int aligns = -1;

    if (aligns < 0)
        aligns = mpi_test_is(MPI_FAMILY_OPENMPI, MPI_VERSION_NUMBER(5, 0, 0)) &&
                 !mpi_test_is(MPI_FAMILY_OPENMPI, MPI_VERSION_NUMBER(6, 0, 0));
    return aligns ? (offset + size - 1) & -(MPI_Aint)size : offset;
}

/* One unit: a basic type, or a struct whose members lie in any order, with gaps, below 0 too. */
static void unit_make(rng *r, const signature *s, bool plain, MPI_Aint at[], MPI_Datatype *type)
{
    MPI_Datatype types[3];
    int ones[3] = {1, 1, 1}, order[3] = {0, 1, 2};

    at[0] = 0;
    *type = base_type(s->base[0]);
    if (s->members == 1)
        return;
    for (int i = s->members - 1; i > 0 && !plain; i--) {
        int j = rng_below(r, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    MPI_Aint offset = plain ? 0 : 8 * (rng_below(r, 5) - 2);
    for (int i = 0; i < s->members; i++) {
        offset = align(offset, base_size[s->base[order[i]]]);
        at[order[i]] = offset;
        offset += base_size[s->base[order[i]]] + (plain ? 0 : rng_below(r, 9));
        types[i] = base_type(s->base[i]);
    }
    MPI_Type_create_struct(s->members, ones, at, types, type);
}

/* The units of an element in extents of one unit, and the type. */
static void contiguous(int n, MPI_Datatype unit, int position[], MPI_Datatype *type)
{
    for (int i = 0; i < n; i++)
        position[i] = i;
    MPI_Type_contiguous(n, unit, type);
}

static void vector(rng *r, int n, MPI_Datatype unit, int position[], MPI_Datatype *type)
{
    int length = n % 2 == 0 && rng_chance(r, 50) ? 2 : 1, stride = length + rng_below(r, 4);

    for (int i = 0; i < n; i++)
        position[i] = i / length * stride + i % length;
    MPI_Type_vector(n / length, length, stride, unit, type);
}

static void indexed(rng *r, int n, MPI_Datatype unit, int position[], MPI_Datatype *type)
{
    int *ones = malloc((size_t)n * sizeof *ones), shift = rng_below(r, 2 * n);

    for (int i = 0; i < n; i++) {
        position[i] = 2 * i + rng_below(r, 2) - shift;
        ones[i] = 1;
    }
    for (int i = n - 1; i > 0; i--) {
        int j = rng_below(r, i + 1), swap = position[i];
        position[i] = position[j];
        position[j] = swap;
    }
    MPI_Type_indexed(n, ones, position, unit, type);
    free(ones);
}

/* A column of a matrix with `columns` columns: its neighbour lies between its own units. */
static void column(int n, int columns, MPI_Datatype unit, MPI_Aint extent, int position[],
                   MPI_Datatype *type)
{
    MPI_Datatype wide;
    MPI_Aint low, old;

    for (int i = 0; i < n; i++)
        position[i] = i * columns;
    MPI_Type_vector(n, 1, columns, unit, &wide);
    MPI_Type_get_extent(wide, &low, &old);
    MPI_Type_create_resized(wide, low, extent, type);
    MPI_Type_free(&wide);
}

static void resize(rng *r, MPI_Datatype *type)
{
    MPI_Datatype old = *type;
    MPI_Aint low, extent;
    int below = 8 * rng_below(r, 3);

    MPI_Type_get_extent(old, &low, &extent);
    MPI_Type_create_resized(old, low - below, extent + below + 8 * rng_below(r, 3), type);
    MPI_Type_free(&old);
}

static void set_pieces(layout *l, const signature *s, const MPI_Aint member[], const int position[],
                       MPI_Aint extent)
{
    l->pieces = l->units * s->members;
    l->at = malloc((size_t)l->pieces * sizeof *l->at);
    l->size = malloc((size_t)l->pieces * sizeof *l->size);
    for (int i = 0; i < l->pieces; i++) {
        int m = i % s->members;
        l->at[i] = position[i / s->members] * extent + member[m];
        l->size[i] = base_size[s->base[m]];
        l->low = i == 0 || l->at[i] < l->low ? l->at[i] : l->low;
        l->high = i == 0 || l->at[i] + l->size[i] > l->high ? l->at[i] + l->size[i] : l->high;
    }
}

void layout_make(rng *r, const signature *s, int units, bool plain, layout *l)
{
    MPI_Aint member[3], low, extent;
    MPI_Datatype unit;
    int *position = malloc((size_t)units * sizeof *position);
    int form = plain ? 0 : rng_below(r, 5);

    unit_make(r, s, plain, member, &unit);
    MPI_Type_get_extent(unit, &low, &extent);
    *l = (layout){.units = units, .derived = true};
    if (units == 1 && s->members == 1 && (plain || rng_chance(r, 60))) {
        position[0] = 0;
        l->type = unit;
        l->derived = false;
    } else if (form == 1) {
        vector(r, units, unit, position, &l->type);
    } else if (form == 2 && units <= 256) {
        indexed(r, units, unit, position, &l->type);
    } else if (form == 3) {
        column(units, 4 + rng_below(r, 60), unit, extent, position, &l->type);
    } else {
        contiguous(units, unit, position, &l->type);
    }
    if (l->derived && !plain && form != 3 && rng_chance(r, 40))
        resize(r, &l->type);
    if (l->derived)
        MPI_Type_commit(&l->type);
    if (s->members > 1)
        MPI_Type_free(&unit);
    set_pieces(l, s, member, position, extent);
    MPI_Type_get_extent(l->type, &low, &l->extent);
    free(position);
}

/* By what MPI_Unpack does with bytes that are all different. */
void layout_find(MPI_Datatype type, int size, layout *l)
{
    MPI_Aint low, extent;
    unsigned char packed[UCHAR_MAX];
    int at = 0;

    *l = (layout){.type = type, .units = 1, .pieces = size};
    l->at = malloc((size_t)size * sizeof *l->at);
    l->size = malloc((size_t)size * sizeof *l->size);
    MPI_Type_get_extent(type, &low, &l->extent);
    MPI_Type_get_true_extent(type, &l->low, &extent);
    l->high = l->low + extent;
    unsigned char *element = calloc((size_t)extent, 1);
    for (int i = 0; i < size; i++)
        packed[i] = (unsigned char)(i + 1);
    MPI_Unpack(packed, size, &at, element - l->low, 1, type, MPI_COMM_SELF);
    for (MPI_Aint i = 0; i < extent; i++)
        if (element[i])
            l->at[element[i] - 1] = l->low + i;
    for (int i = 0; i < size; i++)
        l->size[i] = 1;
    free(element);
}

void layout_free(layout *l)
{
    if (l->derived && l->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&l->type);
    free(l->at);
    free(l->size);
    *l = (layout){0};
}
