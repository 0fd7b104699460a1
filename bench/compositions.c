/* SPDX-License-Identifier: BSD-3-Clause */
/* compositions.c - the rows of guidelines.def: which calls, with which buffers and local work.
 *
 *   bcast(n)   [root copies to scratch]  scatter(n / p)  allgather(n / p)  [others copy from it]
 *
 * In brackets: only where p does not divide n. Nothing is copied that MPI_IN_PLACE or a buffer of
 * the user can spare. */
#include "mocks_inside.h"

#include <stdlib.h>
#include <string.h>
#ifdef TUTTI_SIMULATED
#include <simgrid/host.h>
#endif

/* ---- local work; in SimGrid it takes time as the library's copies do ---- */

static void charge(int64_t bytes)
{
#ifdef TUTTI_SIMULATED
    const char *rate = sg_host_get_property_value(sg_host_self(), "copy");

    if (rate && atof(rate) > 0)
        smpi_execute_benched((double)bytes / atof(rate));
#else
    (void)bytes;
#endif
}

static void copy(char *to, const char *from, int64_t n)
{
    memcpy(to, from, (size_t)n);
    charge(n);
}

static char *own_block(const run *r, char *blocks)
{
    return blocks + (int64_t)r->rank * r->size;
}

static void copy_to_all(run *r)
{
    for (int i = 0; i < r->p; i++)
        memcpy(r->mock->vector + (int64_t)i * r->size, r->send, (size_t)r->size);
    charge((int64_t)r->p * r->size);
}

static void zero_but_own(run *r)
{
    int64_t all = (int64_t)r->p * r->size;

    memset(r->mock->vector, 0, (size_t)all);
    charge(all);
    copy(own_block(r, r->mock->vector), r->send, r->size);
}

static void take_own(run *r)
{
    copy(r->recv, own_block(r, r->mock->vector), r->size);
}

static void take_vector(run *r)
{
    copy(r->recv, r->mock->vector, r->size);
}

static void pad_sent(run *r)
{
    copy(r->mock->area[0], r->send, r->size);
}

static void pad_received(run *r)
{
    copy(r->mock->area[0], r->recv, r->size);
}

static void add_own(run *r)
{
    if (r->rank == 0)
        memcpy(r->recv, r->send, (size_t)r->size);
    else
        MPI_Reduce_local(r->send, r->recv, r->count, r->type, r->op);
    charge(r->size);
}

/* ---- rows ---- */

static char *in_place(void)
{
    return (char *)MPI_IN_PLACE;
}

static bool is_root(const run *r)
{
    return r->rank == r->root;
}

static int64_t all_blocks(const run *r)
{
    return (int64_t)r->p * r->size;
}

static void same(run *r)
{
    mock_part(r, 0, r->send, r->recv, r->size);
}

static void gather_bcast(run *r)
{
    mock_part(r, 0, r->send, r->recv, r->size);
    mock_part(r, 1, NULL, r->recv, all_blocks(r));
}

static void to_all(run *r)
{
    r->mock->vector = r->mock->area[0];
    r->mock->before = copy_to_all;
    mock_part(r, 0, r->mock->vector, r->recv, r->size);
}

static void among_zeros(run *r)
{
    r->mock->vector = r->recv;
    r->mock->before = zero_but_own;
    mock_part(r, 0, in_place(), r->recv, all_blocks(r));
}

/* Not in place: there MPICH 4.0.2 crashes where the root is not rank 0. */
static void among_zeros_at_root(run *r)
{
    r->mock->vector = r->mock->area[0];
    r->mock->before = zero_but_own;
    mock_part(r, 0, r->mock->vector, r->recv, all_blocks(r));
}

/* A call that gives all ranks what the root is to have. */
static void at_root(run *r)
{
    mock_part(r, 0, r->send, is_root(r) ? r->recv : r->mock->area[0], r->size);
}

static void all_to_each(run *r)
{
    r->mock->vector = is_root(r) ? r->send : r->mock->area[0];
    r->mock->after = take_own;
    mock_part(r, 0, NULL, r->mock->vector, all_blocks(r));
}

static void one_byte(run *r)
{
    mock_part(r, 0, r->mock->area[0], r->mock->area[1], 1);
}

static void scatter_allgather(run *r)
{
    mock *m = r->mock;
    bool padded = m->padded != r->size;
    int64_t block = m->padded / r->p;
    char *mine;

    m->vector = padded ? m->area[0] : r->recv;
    mine = m->vector + r->rank * block;
    if (padded && is_root(r))
        m->before = pad_received;
    else if (padded)
        m->after = take_vector;
    mock_part(r, 0, m->vector, is_root(r) ? in_place() : mine, block);
    mock_part(r, 1, in_place(), m->vector, block);
}

/* The root has the only block. */
static void from_root(run *r)
{
    buffers *b = &r->mock->lists;
    run *x = mock_part(r, 0, in_place(), r->recv, 0);

    memset(b->counts, 0, (size_t)r->p * sizeof *b->counts);
    memset(b->displs, 0, (size_t)r->p * sizeof *b->displs);
    b->counts[r->root] = r->count;
    x->counts = b->counts;
    x->displs = b->displs;
}

static void reduce_bcast(run *r)
{
    mock_part(r, 0, r->send, r->recv, r->size);
    mock_part(r, 1, NULL, r->recv, r->size);
}

/* A part of the vector is reduced on each rank, and all are gathered. */
static void parts_reduced(run *r)
{
    mock *m = r->mock;
    bool padded = m->padded != r->size;
    bool keeps = m->row->right[1] == COLL_allgather || is_root(r);
    int64_t block = m->padded / r->p;
    char *mine;

    m->vector = padded || !keeps ? m->area[1] : r->recv;
    mine = m->vector + r->rank * block;
    if (padded)
        m->before = pad_sent;
    if (padded && keeps)
        m->after = take_vector;
    mock_part(r, 0, padded ? m->area[0] : r->send, mine, block);
    mock_part(r, 1, keeps ? in_place() : mine, m->vector, block);
}

static void reduce_scatter(run *r)
{
    mock_part(r, 0, r->send, r->mock->area[0], all_blocks(r));
    mock_part(r, 1, r->mock->area[0], r->recv, r->size);
}

static void all_reduced(run *r)
{
    r->mock->vector = r->mock->area[0];
    r->mock->after = take_own;
    mock_part(r, 0, r->send, r->mock->vector, all_blocks(r));
}

static void exscan_own(run *r)
{
    r->mock->after = add_own;
    mock_part(r, 0, r->send, r->recv, r->size);
}

enum { COLL_nothing = COLL_KINDS };

static const composition table[] = {
#define RULE(...)
#define COMPOSITION(left, right, mock, scratch, first, second, source)                             \
    {COLL_##left, right, mock, scratch, {COLL_##first, (coll_kind)COLL_##second}, source},
#include "guidelines.def"
#undef COMPOSITION
#undef RULE
};

const composition *mocks_row(coll_kind left, int i)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].left == left && i-- == 0)
            return &table[k];
    return NULL;
}
