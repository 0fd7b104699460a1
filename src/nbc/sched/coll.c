/* coll.c - the shapes of the collectives, from collectives.def, and names. */
#include "nbc/sched/coll.h"

#include <string.h>

#define ROOTED  COLL_ROOTED
#define REDUCES COLL_REDUCES
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
