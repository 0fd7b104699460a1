/* algo.c - the registry, and the frame that every compiled schedule has. */
#include "algos/algo.h"

#include <string.h>

#define ALGO(collective, name, calls) extern const algo algo_##collective##_##name;
#include "algos/algos.def"
#undef ALGO

const algo *const algo_table[] = {
#define ALGO(collective, name, calls) &algo_##collective##_##name,
#include "algos/algos.def"
#undef ALGO
};

const int algo_count = sizeof algo_table / sizeof *algo_table;

coll_kind algo_family(coll_kind kind)
{
    return kind == COLL_ALLGATHERV ? COLL_ALLGATHER : kind == COLL_ALLTOALLV ? COLL_ALLTOALL : kind;
}

bool algo_serves(const algo *a, coll_kind kind)
{
    return a->kind == algo_family(kind) && !(a->regular && coll_is_v(kind));
}

int algo_parameter_for(const algo *a, int value, int p)
{
    int most = p > a->parameter.least ? p : a->parameter.least;

    if (!a->parameter.name)
        return 0;
    if (value == 0)
        value = a->parameter.usual;
    if (value < a->parameter.least)
        return -1;
    return value < most ? value : most;
}

int algo_find(coll_kind kind, const char *name)
{
    for (int i = 0; i < algo_count; i++)
        if (algo_serves(algo_table[i], kind) && strcmp(algo_table[i]->name, name) == 0)
            return i;
    return ALGO_NONE;
}

int algo_variant(const algo *a, const char *name)
{
    for (int i = 0; a->variants && a->variants[i]; i++)
        if (strcmp(a->variants[i], name) == 0)
            return i;
    return -1;
}

int ceil_log2(int n)
{
    int log = 0;

    while (n > 1 << log)
        log++;
    return log;
}

/* Allgather: the copy of the own block comes first in program order, so that whoever sends it from
 * its final place waits for it; what sends it from the send buffer does not. */
sched_error algo_compile(const algo *a, coll_form form, const coll *c, const topo *t,
                         sched **result)
{
    group everyone = {.size = c->p, .index = c->rank, .topo = t};
    blockmap blocks = blockmap_make(c);
    sched_builder *s = sched_begin(c->p, form);

    if (!s)
        return SCHED_NO_MEMORY;
    if (!c->in_place && algo_family(c->kind) == COLL_ALLGATHER && c->order == ORDER_PLACE)
        sched_copy(s, interval_make(SPACE_SEND, 0, c->sendcount), block(&blocks, c->rank));
    a->compile(c, &everyone, &blocks, s);
    return sched_commit(s, result);
}
