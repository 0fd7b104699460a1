/* SPDX-License-Identifier: BSD-3-Clause */
/* edges.c - see edges.h.
 *
 * Every block has a slot of its own, in another order than the edges; displacements count from the
 * middle of the memory.
 */
#include "mpi/edges.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = 4, UNIT = 32, GAP = 64, MARGIN = 256, POISON = 0x55 };

/* ---- types ---- */

/* A unit is two ints. */
static int count_of(int which, int units)
{
    return which == 0 ? 2 * units : units;
}

static MPI_Datatype make_type(int which)
{
    int one[2] = {1, 1};
    MPI_Aint at[2] = {-4, 4};
    MPI_Datatype inner, type = MPI_INT;

    if (which == 0)
        return type;
    if (which == 1) { /* a gap */
        MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
        MPI_Type_create_resized(inner, 0, 16, &type);
    } else if (which == 2) { /* begins below its address */
        MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
        MPI_Type_create_struct(2, one, at, ints, &inner);
        MPI_Type_create_resized(inner, -4, 20, &type);
    } else {
        MPI_Type_contiguous(2, MPI_INT, &inner);
        MPI_Type_dup(inner, &type);
    }
    MPI_Type_free(&inner);
    MPI_Type_commit(&type);
    return type;
}

static int extent_of(int which)
{
    static const int extents[TYPES] = {4, 16, 20, 8};

    return extents[which];
}

/* One element with the data of all those units, at an address. */
static MPI_Datatype make_absolute(int which, int units, char *address)
{
    MPI_Datatype inner = make_type(which), type;
    MPI_Aint at;
    int count = count_of(which, units);

    MPI_Get_address(address, &at);
    MPI_Type_create_hindexed(1, &count, &at, inner, &type);
    MPI_Type_commit(&type);
    if (inner != MPI_INT)
        MPI_Type_free(&inner);
    return type;
}

/* ---- blocks ---- */

/* The same on both sides, in place in both directions too. k: how many edges from a to b are before
 * this one. */
static int units_of(const edges_form *f, int a, int b, int k)
{
    int differs = f->in_place ? (a + b) * 7 : a * 5 + b * 3 + k;

    return f->equal ? f->units : differs % 4 * f->units / 3;
}

/* Units of the i-th block of a side, to or from that rank. Of blocks that go to all neighbors the
 * sender decides. */
static int units_at(const edges_form *f, const graph *g, coll_kind kind, const int *list, int i,
                    bool sends)
{
    int other = list[i], k = 0;

    if (other == MPI_PROC_NULL)
        return f->units;
    for (int j = 0; j < i && !g->cartesian; j++)
        k += list[j] == other;
    if (coll_shapes[kind].send == COLL_ONE)
        return units_of(f, sends ? g->rank : other, 0, 0);
    return units_of(f, sends ? g->rank : other, sends ? other : g->rank, k);
}

static void *zeroed(size_t n, size_t size)
{
    return calloc(n + 1, size);
}

static void side_open(edges_side *s, coll_extent extent, int n, const edges_form *f)
{
    size_t blocks = (size_t)n;

    s->extent = extent;
    s->n = n;
    s->bytes = (blocks + 1) * (size_t)(f->units * UNIT + GAP) + 2 * MARGIN;
    s->memory = zeroed(s->bytes, 1);
    s->counts = zeroed(blocks, sizeof *s->counts);
    s->displs = zeroed(blocks, sizeof *s->displs);
    s->large_counts = zeroed(blocks, sizeof *s->large_counts);
    s->large_displs = zeroed(blocks, sizeof *s->large_displs);
    s->types = zeroed(blocks, sizeof *s->types);
    for (int i = 0; i <= n; i++)
        s->types[i] = MPI_DATATYPE_NULL;
}

static void set_block(edges_side *s, int i, int count, int64_t displ)
{
    s->counts[i] = count;
    s->large_counts[i] = count;
    s->displs[i] = (int)displ;
    s->large_displs[i] = (MPI_Aint)displ;
}

static void typed_block(edges_side *s, int i, const edges_form *f, int units, int64_t displ,
                        int which)
{
    char *middle = s->memory + s->bytes / 2;
    MPI_Aint address;

    if (f->displs == DISPLS_IN_TYPES) {
        set_block(s, i, units > 0, 0);
        s->types[i] = make_absolute(which, units, middle + displ);
        return;
    }
    if (f->displs == DISPLS_ABSOLUTE) {
        MPI_Get_address(middle, &address);
        displ += address;
    }
    set_block(s, i, count_of(which, units), displ);
    s->types[i] = make_type(which);
}

/* Slots in falling order, and moved by one. */
static int64_t slot_of(const edges_side *s, const edges_form *f, int i)
{
    int slot = s->n - 1 - (i + 1) % s->n;

    return (int64_t)(slot - s->n / 2) * (f->units * UNIT + GAP) / UNIT;
}

/* Of its type, where a side has one. */
static int which_of(const edges_form *f, bool sends)
{
    return f->types ? (f->types + sends) % TYPES : 0;
}

static void side_fill_lists(edges_side *s, const graph *g, coll_kind kind, const edges_form *f,
                            const int *list, bool sends)
{
    int which = which_of(f, sends), units;

    if (s->extent < COLL_TYPED)
        s->types[0] = make_type(which);
    for (int i = 0; i < s->n && s->extent >= COLL_LISTED; i++) {
        units = units_at(f, g, kind, list, i, sends);
        if (s->extent == COLL_LISTED)
            set_block(s, i, count_of(which, units), slot_of(s, f, i) * (UNIT / extent_of(which)));
        else
            typed_block(s, i, f, units, slot_of(s, f, i) * UNIT,
                        f->types ? (i + which) % TYPES : 0);
    }
}

/* Blocks one after the other begin at the start of the memory. */
static call_side side_in_call(const edges_side *s, const graph *g, const edges_form *f, bool sends)
{
    int units = s->extent == COLL_ONE ? units_of(f, g->rank, 0, 0) : f->units;
    char *buffer = s->memory + (s->extent >= COLL_LISTED ? s->bytes / 2 : MARGIN);

    if (s->extent == COLL_TYPED && f->displs != DISPLS_RELATIVE)
        buffer = MPI_BOTTOM;
    return (call_side){.buffer = buffer,
                       .type = s->types[0],
                       .count = count_of(which_of(f, sends), units),
                       .list = {.narrow_counts = s->counts,
                                .narrow_displs = s->displs,
                                .large_counts = s->large_counts,
                                .large_displs = s->large_displs,
                                .types = s->types}};
}

void edges_open(edges *e, const graph *g, coll_kind kind, edges_form form)
{
    const coll_shape *shape = &coll_shapes[kind];

    form.equal |= !coll_is_v(kind);
    side_open(&e->send, shape->send, g->out, &form);
    side_open(&e->recv, shape->recv, g->in, &form);
    side_fill_lists(&e->send, g, kind, &form, g->destinations, true);
    side_fill_lists(&e->recv, g, kind, &form, g->sources, false);
    e->a = (call_args){.send = side_in_call(&e->send, g, &form, true),
                       .recv = side_in_call(&e->recv, g, &form, false),
                       .comm = g->comm};
    e->in_place = form.in_place;
    if (form.in_place)
        e->a.send = (call_side){.buffer = MPI_IN_PLACE};
}

static void free_types(edges_side *s)
{
    for (int i = 0; i <= s->n; i++) {
        if (s->types[i] != MPI_DATATYPE_NULL && s->types[i] != MPI_INT)
            MPI_Type_free(&s->types[i]);
        s->types[i] = MPI_DATATYPE_NULL;
    }
}

static void side_spoil(edges_side *s)
{
    free_types(s);
    for (int i = 0; i < s->n; i++)
        set_block(s, i, -7, 1 << 30);
}

void edges_spoil(edges *e)
{
    side_spoil(&e->send);
    side_spoil(&e->recv);
}

static void side_close(edges_side *s)
{
    free_types(s);
    free(s->types);
    free(s->large_displs);
    free(s->large_counts);
    free(s->displs);
    free(s->counts);
    free(s->memory);
}

void edges_close(edges *e)
{
    side_close(&e->send);
    side_close(&e->recv);
}

void edges_fill(edges *e, const graph *g, int turn)
{
    edges_side *s = e->in_place ? &e->recv : &e->send;

    memset(e->recv.memory, POISON, e->recv.bytes);
    for (size_t i = 0; i + sizeof(int) <= s->bytes; i += sizeof(int)) {
        int value = g->rank * 1000003 + turn * 7919 + (int)i;
        memcpy(s->memory + i, &value, sizeof value);
    }
}

bool edges_right(const edges *e, const char *expected)
{
    return memcmp(e->recv.memory, expected, e->recv.bytes) == 0;
}

char *edges_copy(const edges *e)
{
    char *copy = zeroed(e->recv.bytes, 1);

    memcpy(copy, e->recv.memory, e->recv.bytes);
    return copy;
}
