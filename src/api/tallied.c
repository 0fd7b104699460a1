/* SPDX-License-Identifier: BSD-3-Clause */
/* tallied.c - the bytes that a call gives away. Its arguments have been checked. */
#include "api/tallied.h"

#include "algos/algo.h"
#include "api/args_side.h"
#include "nbc/process/mpi_calls.h"

static int64_t size_of(MPI_Datatype type)
{
    MPI_Count size = 0;

    mpi_type_size(type, &size);
    return size;
}

/* Of n blocks that are listed. */
static int64_t bytes_listed(const args_side *s, int n)
{
    int64_t sum = 0, bytes = 0;

    for (int i = 0; i < n; i++) {
        if (s->lists->types)
            side_block_bytes(s, i, &bytes);
        sum += s->lists->types ? bytes : side_count(s, i);
    }
    return s->lists->types ? sum : sum * size_of(s->type);
}

/* What lies in RECV before the call: my block, or all of them. */
static int64_t bytes_in_place(const args *a, const comm *c)
{
    const args_side *s = &a->recv;

    if (coll_shapes[a->kind].send > COLL_EACH)
        return bytes_listed(s, c->p);
    if (coll_shapes[a->kind].send == COLL_EACH)
        return c->p * s->count * size_of(s->type);
    return (s->lists ? side_count(s, c->rank) : s->count) * size_of(s->type);
}

static int64_t bytes_sent(const args *a, const comm *c)
{
    const coll_neighbors *near = comm_neighbors(c, a->kind);
    int n = near ? near->ndestinations : c->p;

    if (coll_shapes[a->kind].send > COLL_EACH)
        return bytes_listed(&a->send, n);
    return (coll_shapes[a->kind].send == COLL_EACH ? n : 1) * a->send.count * size_of(a->send.type);
}

/* Of the vector that the root has: the others have the same. */
static int64_t bytes_of_vector(const args *a)
{
    return a->recv.count * size_of(a->recv.type);
}

static int64_t bytes_given(const args *a, const comm *c)
{
    bool root_sends = coll_has(a->kind, COLL_ROOT_SENDS);

    if (coll_shapes[a->kind].send == COLL_NONE)
        return coll_shapes[a->kind].recv != COLL_NONE && c->rank == a->root ? bytes_of_vector(a)
                                                                            : 0;
    if (root_sends)
        return c->rank == a->root ? bytes_sent(a, c) : 0;
    return args_in_place(a) ? bytes_in_place(a, c) : bytes_sent(a, c);
}

/* The class of what is the same on all ranks: a vector, a block, or all blocks that a rank has; of
 * allgatherv all blocks. */
static int size_class(const args *a, const comm *c, int64_t given)
{
    if (!coll_has_common_size(a->kind))
        return -1;
    if (a->kind == COLL_bcast)
        return tally_size_class(bytes_of_vector(a));
    if (a->kind == COLL_scatter)
        return tally_size_class(c->rank == a->root ? given / c->p : bytes_of_vector(a));
    return tally_size_class(coll_shapes[a->kind].recv == COLL_LISTED ? bytes_listed(&a->recv, c->p)
                                                                     : given);
}

void tallied_choice(exec *e)
{
    plan_tally(e->plan, &e->stats.tally);
}

void tallied(const args *a, const comm *c, exec *e, tally_form form, bool repeats)
{
    int64_t given = bytes_given(a, c);
    tally_call call = {.form = form,
                       .key = {.comm = c->tally,
                               .kind = (int32_t)a->kind,
                               .algo = ALGO_NONE,
                               .size_class = size_class(a, c, given)},
                       .bytes = given,
                       .repeats = repeats};

    if (!e) {
        tally_left(&call);
        return;
    }
    e->stats.tally = call;
    if (e->plan)
        tallied_choice(e);
}
