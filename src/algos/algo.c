/* SPDX-License-Identifier: BSD-3-Clause */
/* algo.c - the registry, and the frame that every compiled schedule has. */
#include "algos/algo.h"

#include <limits.h>
#include <string.h>

const algo *const algo_table[] = {
#define ALGO(collective, name, calls) &algo_##collective##_##name,
#include "algos/algos.def"
#undef ALGO
};

const int algo_count = sizeof algo_table / sizeof *algo_table;

bool algo_serves(const algo *a, coll_kind kind)
{
    return a->kind == coll_shapes[kind].family && !(a->regular && coll_is_v(kind));
}

const char *algo_refuses(const algo *a, const coll *c)
{
    if (a->commutes && c->noncommutative)
        return "it needs an operation that commutes";
    if (a->parts && c->user_op && !a->serves_user_op)
        return "it cuts vectors into parts, and a user-defined operation may need the whole vector";
    return a->inapplicable ? a->inapplicable(c->p) : NULL;
}

int algo_parameter_for(const algo *a, int value, int p)
{
    int most = a->parameter.most ? a->parameter.most : p;

    if (!a->parameter.name)
        return 0;
    if (most < a->parameter.least)
        most = a->parameter.least;
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
        if (strcmp(a->variants[i]->name, name) == 0)
            return i;
    return -1;
}

int algo_parts(const algo *a, const algo_options *o, const group *g, sched_builder *s)
{
    return a->parts ? a->parts(o, g, s) : 1;
}

int algo_parts_of_ranks(const algo_options *o, const group *g, sched_builder *s)
{
    return g->size;
}

int algo_parts_of_pieces(const algo_options *o, const group *g, sched_builder *s)
{
    return o->parameter;
}

int algo_parts_of_blocks(const algo_options *o, const group *g, sched_builder *s)
{
    return sched_form(s) == FORM_BLOCK && !o->user_op && !o->uneven ? o->parameter : 1;
}

int parts_times(int a, int b)
{
    int product;

    return __builtin_mul_overflow(a, b, &product) ? INT_MAX : product;
}

int ceil_log2(int n)
{
    int log = 0;

    while (n > 1 << log)
        log++;
    return log;
}

algo_cost cost_doubling(int p, int parameter)
{
    return (algo_cost){.messages = ceil_log2(p), .blocks = p - 1, .copies = 1};
}

algo_cost cost_at_once(int p, int parameter)
{
    return (algo_cost){.messages = p > 1, .blocks = p - 1, .copies = 1};
}

algo_cost cost_in_turn(int p, int parameter)
{
    return (algo_cost){.messages = p - 1, .blocks = p - 1, .copies = 1};
}

algo_cost cost_tree(int p, int parameter)
{
    return (algo_cost){.messages = ceil_log2(p), .blocks = ceil_log2(p)};
}

/* What is packed at once, because its parts and those of the packed bytes end at different bytes:
 * the vector, or a rank's block. */
static int units_of(const coll *c, const blockmap *b)
{
    return coll_is_vector(c->kind) ? 1 : b->n;
}

static interval unit_at(const coll *c, const blockmap *b, const blockrow *row, int i)
{
    if (coll_is_vector(c->kind))
        return part_of(row_at(row, 0), 0, b->n, row->count);
    return whole_at(b, row, i);
}

static bool gives(const coll *c, const blockmap *b, int unit)
{
    if (coll_is_vector(c->kind))
        return c->rank == c->root;
    return b->mine < 0 || b->mine == unit;
}

/* What of mine is where it belongs when the algorithm ends, without its help. */
static bool keeps(const coll *c, const blockmap *b, int unit)
{
    return (coll_is_vector(c->kind) || b->mine >= 0) && gives(c, b, unit);
}

/* Data that is cut into bytes, but whose bytes do not lie side by side: who has some packs it into
 * scratch, and everybody takes out what comes in the end. */
static void pack_blocks(const coll *c, blockmap *b, sched_builder *s)
{
    bool vector = coll_is_vector(c->kind), apart = !vector && b->mine < 0 && !in_place(b);
    blockrow in = scratch_row(s, b), out = apart ? scratch_row(s, b) : in;
    const blockrow *from = vector ? &b->in : &b->out;

    for (int i = 0; i < units_of(c, b); i++)
        if (gives(c, b, i))
            sched_copy(s, unit_at(c, b, from, i), unit_at(c, b, &out, i));
    b->in = in;
    b->out = out;
    if (b->mine >= 0)
        b->own = unit_at(c, b, &in, b->mine);
}

static void unpack_blocks(const coll *c, const blockmap *packed, const blockmap *b,
                          sched_builder *s)
{
    for (int i = 0; i < units_of(c, b); i++)
        if (!keeps(c, b, i))
            sched_copy(s, unit_at(c, b, &packed->in, i), unit_at(c, b, &b->in, i));
}

/* What I send to myself, where one side is a single block. */
static void copy_own_block(const coll *c, const blockmap *b, sched_builder *s)
{
    const coll_shape *shape = &coll_shapes[c->kind];
    coll_sides has = coll_sides_of(c->kind, c->rank, c->root, c->in_place);
    bool single = (shape->send == COLL_ONE) != (shape->recv == COLL_ONE);

    if (single && has.send && has.recv && !(shape->traits & (COLL_REDUCES | COLL_NEIGHBORS)))
        sched_copy(s, whole_at(b, &b->out, c->rank), whole_at(b, &b->in, c->rank));
}

/* The copy of the own block comes first in program order, so that whoever sends it from where it
 * belongs waits for it; what sends it from the send buffer does not. */
static void emit(const algo *a, const algo_options *o, const coll *c, const group *g,
                 sched_builder *s)
{
    blockmap blocks = blockmap_make(c, sched_parts(s)), used = blocks;
    bool packs = c->packs && sched_parts(s) > 1;

    if (c->order == ORDER_PLACE)
        copy_own_block(c, &blocks, s);
    if (packs)
        pack_blocks(c, &used, s);
    a->compile(o, g, &used, s);
    if (packs)
        unpack_blocks(c, &used, &blocks, s);
}

static void cut_into(sched_builder *s, const coll *c, int parts)
{
    int blocks = parts_times(parts, coll_is_vector(c->kind) ? 1 : c->p);

    sched_cut(s, blocks < INT_MAX ? parts : 1);
    if (blocks == INT_MAX)
        sched_fail(s, SCHED_TOO_LARGE);
}

sched_error algo_compile(const algo *a, coll_form form, const coll *c, const topo *t,
                         sched **result)
{
    sched_builder *s = sched_begin(c->p, form);
    group everyone = {.size = c->p, .index = c->rank, .topo = t};
    algo_options o = {.root = c->root,
                      .noncommutative = c->noncommutative,
                      .symmetric = c->symmetric,
                      .user_op = c->user_op,
                      .uneven = coll_is_v(c->kind) && !coll_has(c->kind, COLL_REDUCES),
                      .parameter = c->parameter,
                      .variant = c->variant,
                      .order = c->order,
                      .phases = a->variants,
                      .neighbors = c->neighbors,
                      .exchanged_sizes = c->exchanged_sizes,
                      .round = c->exchanged_rounds};

    if (!s)
        return SCHED_NO_MEMORY;
    cut_into(s, c, algo_parts(a, &o, &everyone, s));
    if (c->exchanged_sizes)
        sched_pack_scratch(s);
    emit(a, &o, c, &everyone, s);
    return sched_commit(s, result);
}

sched_error algo_compile_size_exchange(const algo *a, const coll *c, int round, const topo *t,
                                       sched **result)
{
    sched_builder *s = sched_begin(c->p, FORM_STEP);
    group everyone = {.size = c->p, .index = c->rank, .topo = t};
    algo_options o = {.parameter = c->parameter,
                      .variant = c->variant,
                      .neighbors = c->neighbors,
                      .exchanged_sizes = c->exchanged_sizes,
                      .round = round};

    if (!s)
        return SCHED_NO_MEMORY;
    a->size_exchange(&o, &everyone, s);
    return sched_commit(s, result);
}
