/* SPDX-License-Identifier: BSD-3-Clause */
/* mocks.c - see mocks.h: mock-ups as variants, and those of the same collective. The others are in
 * compositions.c. */
#include "mocks_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- the same collective, with other sizes ---- */

static void blocks_of(run *x)
{
    const buffers *b = &x->mock->lists;

    x->counts = b->counts;
    x->displs = b->displs;
    x->byte_displs = b->byte_displs;
    x->types = b->types;
}

static void larger(run *r)
{
    int64_t size = (int64_t)r->size * r->mock->factor;

    if (size > r->mock->limit)
        return;
    buffers_size(&r->mock->lists, r->blocks, (int)size);
    blocks_of(mock_part(r, 0, r->send, r->recv, size));
}

/* Each piece lies after the one before: as data are that a program has cut itself. */
static void pieces(run *r)
{
    mock *m = r->mock;
    coll_sides has = run_sides(r);
    int size = r->size / m->factor;
    int64_t sent = (int64_t)extent_blocks(has.send, r->blocks) * size;
    int64_t received = (int64_t)extent_blocks(has.recv, r->blocks) * size;

    if (size < m->limit || size % buffers_unit(r->what))
        return;
    buffers_size(&m->lists, r->blocks, size);
    for (int i = 0; i < m->factor; i++)
        blocks_of(mock_part(r, i, r->send + i * sent, r->recv + i * received, size));
}

static void fill_parts(const run *r, int seed)
{
    for (int i = 0; i < r->mock->n; i++)
        buffers_fill(&r->mock->parts[i], seed);
}

static int64_t wrong_parts(const run *r, int seed)
{
    int64_t wrong = 0;

    for (int i = 0; i < r->mock->n; i++)
        wrong += buffers_wrong(&r->mock->parts[i], seed);
    return wrong;
}

/* ---- as a way ---- */

static int64_t padded_size(coll_kind left, int p, int64_t size)
{
    int64_t unit = (int64_t)p * buffers_unit(left);

    return (size + unit - 1) / unit * unit;
}

static int64_t area_need(const composition *row, int p, int64_t size)
{
    return row->scratch == NONE     ? 0
           : row->scratch == BLOCKS ? p * size
                                    : padded_size(row->left, p, size);
}

int64_t mocks_need(coll_kind left, int p, int64_t size)
{
    const composition *row;
    int64_t need = 0;

    for (int i = 0; (row = mocks_row(left, i)); i++)
        need += (row->scratch == VECTOR ? 2 : 1) * area_need(row, p, size);
    return need;
}

static void close_mock(run *r)
{
    mock *m = r->mock;

    free(m->area[0]);
    free(m->area[1]);
    m->area[0] = m->area[1] = NULL;
}

/* What is not possible with this size is refused. */
static int open_mock(run *r)
{
    mock *m = r->mock;
    int64_t need = 1 + (m->row ? area_need(m->row, r->p, r->size) : 0);

    m->n = 0;
    m->before = m->after = NULL;
    m->padded = padded_size(r->what, r->p, r->size);
    m->area[0] = calloc((size_t)need, 1);
    m->area[1] = calloc(m->row && m->row->scratch == VECTOR ? (size_t)need : 1, 1);
    if (!m->area[0] || !m->area[1])
        return MPI_ERR_NO_MEM;
    m->set(r);
    if (m->n == 0)
        return MPI_ERR_COUNT;
    return m->calls[0].open ? m->calls[0].open(r) : MPI_SUCCESS;
}

static int start_composition(run *r)
{
    mock *m = r->mock;
    int error = MPI_SUCCESS;

    if (m->before)
        m->before(r);
    for (int i = 0; i < m->n && !error; i++)
        error = m->calls[i].start(&m->parts[i]);
    if (m->after && !error)
        m->after(r);
    return error;
}

static int start_parts(run *r)
{
    mock *m = r->mock;
    int error = MPI_SUCCESS;

    for (int i = 0; i < m->n && !error; i++)
        error = m->calls[0].start(&m->parts[i]);
    return error;
}

/* A variant that v->r.mock, made here, is to describe. */
static bool make(variant *v, const options *o, const char *calls, int parts)
{
    if (!variant_parse(v, o, calls) || v->form != BLOCKING)
        return false;
    v->how.own_comm = true;
    variant_open(v, o);
    mock *m = v->r.mock = calloc(1, sizeof *m);
    m->calls[0] = v->how;
    m->factor = (int)o->factor;
    m->parts = calloc((size_t)parts, sizeof *m->parts);
    buffers_lists(&m->lists, o->what, v->r.blocks);
    v->how = (way){.open = open_mock, .start = start_parts, .close = close_mock, .own_comm = true};
    return true;
}

bool mock_composition(variant *v, const options *o, const composition *row, const char *calls)
{
    way parts[2] = {{0}};

    for (int i = 0; i < 2; i++)
        if (row->right[i] != COLL_KINDS && !calls_find(row->right[i], calls, BLOCKING, &parts[i]))
            return false;
    if (!make(v, o, calls, 2))
        return false;
    memcpy(v->r.mock->calls, parts, sizeof parts);
    v->r.mock->row = row;
    v->r.mock->set = row->set;
    v->how.start = start_composition;
    return true;
}

static bool other_size(variant *v, const options *o, const char *calls, int parts,
                       void (*set)(run *r), int64_t limit)
{
    if (coll_shapes[o->what].recv == COLL_NONE || !make(v, o, calls, parts))
        return false;
    v->r.mock->set = set;
    v->r.mock->limit = limit;
    v->fill = fill_parts;
    v->wrong = wrong_parts;
    return true;
}

bool mock_larger(variant *v, const options *o, const char *calls)
{
    return other_size(v, o, calls, 1, larger, o->max);
}

bool mock_pieces(variant *v, const options *o, const char *calls)
{
    return other_size(v, o, calls, (int)o->factor, pieces, o->min);
}

void mock_free(variant *v)
{
    if (!v->r.mock)
        return;
    buffers_lists_free(&v->r.mock->lists);
    free(v->r.mock->parts);
    free(v->r.mock);
    v->r.mock = NULL;
}
