/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - the shapes of the collectives, from collectives.def, and names. */
#include "nbc/sched/coll.h"

#include <string.h>

#define ROOTED        COLL_ROOTED
#define REDUCES       COLL_REDUCES
#define ROOT_SENDS    COLL_ROOT_SENDS
#define ROOT_RECEIVES COLL_ROOT_RECEIVES
#define EXCLUSIVE     COLL_EXCLUSIVE
#define NEIGHBORS     COLL_NEIGHBORS
const coll_shape coll_shapes[COLL_KINDS] = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    [COLL_##name] = {#name, COLL_##family, COLL_##send, COLL_##recv, traits},
#include "nbc/sched/collectives.def"
};

coll_kind coll_kind_find(const char *name)
{
    int kind = 0;

    while (kind < COLL_KINDS && strcmp(coll_shapes[kind].name, name) != 0)
        kind++;
    return (coll_kind)kind;
}

coll_sides coll_sides_of(coll_kind kind, int rank, int root, bool in_place)
{
    const coll_shape *shape = &coll_shapes[kind];
    unsigned traits = shape->traits;
    coll_sides s = {shape->send, shape->recv};

    if (traits & COLL_ROOT_SENDS) {
        s.send = rank == root ? s.send : COLL_NONE;
        s.recv = in_place ? COLL_NONE : s.recv;
        return s;
    }
    if (in_place)
        s.send = COLL_NONE;
    if (((traits & COLL_ROOT_RECEIVES) && rank != root) ||
        ((traits & COLL_EXCLUSIVE) && rank == 0 && !in_place))
        s.recv = COLL_NONE;
    return s;
}

int coll_own_source(const coll_neighbors *n, int rank, int k)
{
    for (int i = 0; i < n->nsources; i++)
        if (n->sources[n->order[i]] == rank && k-- == 0)
            return n->order[i];
    return -1;
}

static const char *const orders[ORDERS] = {"place", "initcomm", "endshuffle"};

const char *coll_order_name(coll_order order)
{
    return orders[order];
}

coll_order coll_order_find(const char *name)
{
    int order = 0;

    while (order < ORDERS && strcmp(orders[order], name) != 0)
        order++;
    return (coll_order)order;
}
