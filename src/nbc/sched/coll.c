/* coll.c - the names of the collectives. */
#include "nbc/sched/coll.h"

#include <string.h>

static const char *const names[COLL_KINDS] = {
    [COLL_ALLGATHER] = "allgather",
    [COLL_ALLGATHERV] = "allgatherv",
    [COLL_ALLTOALL] = "alltoall",
    [COLL_ALLTOALLV] = "alltoallv",
};

const char *coll_kind_name(coll_kind kind)
{
    return names[kind];
}

bool coll_is_v(coll_kind kind)
{
    return kind == COLL_ALLGATHERV || kind == COLL_ALLTOALLV;
}

coll_kind coll_kind_find(const char *name)
{
    int kind = 0;

    while (kind < COLL_KINDS && strcmp(names[kind], name) != 0)
        kind++;
    return (coll_kind)kind;
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
