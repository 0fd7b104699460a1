/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - see split.h. */
#include "sim/split.h"

#include <stdlib.h>

/* What the row's functions are about: they get no context. */
static split now;
static algo row;

int split_size(const split *how, int rank)
{
    int n = 0;

    for (int r = 0; r < how->p; r++)
        n += how->part[r] == how->part[rank];
    return n;
}

int split_index(const split *how, int rank)
{
    int n = 0;

    for (int r = 0; r < rank; r++)
        n += how->part[r] == how->part[rank];
    return n;
}

/* The blocks of the members, one item each; or the parts of a vector, `finer` to an item. */
static blockmap items_of(const algo_options *o, const group *members, const blockmap *b,
                         sched_builder *s)
{
    itemlist t;

    if (coll_shapes[now.a->kind].recv == COLL_NONE)
        return *b;
    if (coll_is_vector(now.a->kind))
        return cut(b, algo_parts(now.a, o, members, s), s);
    t = items_begin(b, members->size, s);
    for (int i = 0; i < members->size; i++) {
        items_add(&t, b, peer(members, i));
        items_next(&t);
    }
    return t.map;
}

static group members_of(const group *g, sched_builder *s)
{
    int *ranks = sched_borrow(s, (size_t)g->size * sizeof *ranks);
    group members = {
        .size = 0, .index = split_index(&now, g->index), .ranks = ranks, .topo = g->topo};

    for (int r = 0; ranks && r < g->size; r++)
        if (now.part[r] == now.part[g->index])
            ranks[members.size++] = r;
    return members;
}

static algo_options options_of(const algo_options *o)
{
    algo_options mine = *o;

    mine.root = split_index(&now, o->root);
    return mine;
}

static int parts(const algo_options *o, const group *g, sched_builder *s)
{
    group members = members_of(g, s);
    algo_options mine = options_of(o);

    return members.ranks ? now.finer * algo_parts(now.a, &mine, &members, s) : 1;
}

static void size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    group members = members_of(g, s);

    if (members.ranks)
        now.a->size_exchange(o, &members, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    group members = members_of(g, s);
    algo_options mine = options_of(o);
    blockmap items = items_of(&mine, &members, b, s);

    if (members.ranks)
        now.a->compile(&mine, &members, &items, s);
}

const algo *split_row(const split *how)
{
    now = *how;
    row = *how->a;
    row.parts = parts;
    row.compile = compile;
    row.size_exchange = how->a->size_exchange ? size_exchange : NULL;
    return &row;
}
