/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_blocks.c - see halo_blocks.h.
 *
 * The offset of a byte of a block is, of one block that goes to all, in it; of blocks of one type,
 * where it would be if the elements lay packed one after the other; of blocks with types of their
 * own, in memory.
 */
#include "api/halo_blocks.h"

#include "algos/halo_list.h"
#include "nbc/process/env.h"
#include "nbc/run/flatten.h"

#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const call *call;
    const coll_neighbors *n;
    const topo *t;         /* NULL: one node */
    const int64_t *counts; /* of what is sent, as in the key; then displacements */
    int64_t *received;     /* as in halo_blocks */
    int64_t *first;        /* the same */
    byte_range *range;     /* the same */
} maker;

/* Bytes of the block from the i-th source, or to the i-th destination. */
static int64_t bytes_of_edge(const call_side *s, const int64_t *counts, int i)
{
    if (s->extent == COLL_TYPED)
        return counts[i];
    return (s->extent == COLL_LISTED ? counts[i] : s->count) * s->type.size;
}

static byte_range whole_block(const maker *m, int i)
{
    const call_side *s = &m->call->send;
    int64_t bytes = bytes_of_edge(s, m->counts, i), at = 0;

    if (s->extent == COLL_LISTED)
        at = m->counts[s->n + i] * s->type.size;
    else if (s->extent == COLL_TYPED)
        at = m->counts[s->n + i];
    else if (s->extent == COLL_EACH)
        at = i * bytes;
    return (byte_range){at, bytes};
}

static bool list_whole_blocks(maker *m)
{
    int n = m->n->ndestinations;

    m->range = malloc(((size_t)n + 1) * sizeof *m->range);
    for (int i = 0; m->range && i < n; i++) {
        m->first[i] = i;
        m->range[i] = whole_block(m, i);
    }
    m->first[n] = n;
    return m->range != NULL;
}

/* The blocks that may have bytes in common with others, into b: those for another node, if there is
 * more than one for it. count: 0 for each node. False: there are none. */
static bool list_typed_blocks(const maker *m, int *count, flatten_block *b)
{
    const args_lists *l = m->call->send.lists;
    const int *to = m->n->destinations, *node = m->t->node;
    int mine = node[m->call->coll.rank];
    bool any = false;

    for (int i = 0; i < m->n->ndestinations; i++)
        if (to[i] >= 0)
            count[node[to[i]]]++;
    for (int i = 0; i < m->n->ndestinations; i++)
        if (to[i] >= 0 && node[to[i]] != mine && count[node[to[i]]] > 1 && lists_count(l, i) > 0) {
            b[i] = (flatten_block){l->types[i], lists_count(l, i), lists_displ(l, i)};
            any = true;
        }
    return any;
}

/* By their types, where it matters. false: not done. */
static bool look_into_types(maker *m)
{
    int n = m->n->ndestinations;
    flatten_block *b = calloc((size_t)n + 1, sizeof *b);
    int *count = m->t ? calloc((size_t)m->t->nodes, sizeof *count) : NULL;
    bool any = b && count && list_typed_blocks(m, count, b);
    bool done = any && flatten_blocks(b, n, m->first, &m->range);

    if (any && !done && m->call->coll.rank == 0 && env_verbose())
        env_say_here("%s: data that several blocks of rank 0 for a node have in common is sent "
                     "more than once: their types span too much to be compared, or there is no "
                     "memory",
                     coll_kind_name(m->call->coll.kind));
    free(count);
    free(b);
    return done;
}

/* Those that were not looked into are compared with none: each is alone for its node, or for mine,
 * or empty. */
static bool add_the_others(maker *m)
{
    int n = m->n->ndestinations;
    int64_t *first = malloc(((size_t)n + 1) * sizeof *first), at = 0;
    byte_range *all = malloc(((size_t)m->first[n] + (size_t)n + 1) * sizeof *all);

    for (int i = 0; first && all && i < n; i++) {
        int64_t ranges = m->first[i + 1] - m->first[i];
        first[i] = at;
        memcpy(all + at, m->range + m->first[i], (size_t)ranges * sizeof *all);
        at += ranges;
        if (ranges == 0)
            all[at++] = whole_block(m, i);
    }
    free(m->range);
    m->range = all;
    if (first && all) {
        memcpy(m->first, first, (size_t)n * sizeof *first);
        m->first[n] = at;
    }
    free(first);
    return first && all;
}

static bool list_blocks(maker *m, bool persistent)
{
    const call_side *s = &m->call->send;

    if (s->extent == COLL_TYPED && persistent && s->lists && look_into_types(m)) {
        if (add_the_others(m))
            return true;
        free(m->range);
    }
    return list_whole_blocks(m);
}

int64_t *halo_blocks_list(const call *c, const plan_key *key, const coll_neighbors *n, int groups,
                          bool persistent)
{
    const int64_t *in = key->v;
    maker m = {.call = c,
               .n = n,
               .t = c->comm->ready ? c->comm->topo : NULL,
               .counts = in + (c->recv.extent >= COLL_LISTED ? 2 * c->recv.n : 0)};
    int64_t *list = NULL;

    m.received = malloc(((size_t)n->nsources + 1) * sizeof *m.received);
    m.first = malloc(((size_t)n->ndestinations + 1) * sizeof *m.first);
    for (int i = 0; m.received && i < n->nsources; i++)
        m.received[i] = bytes_of_edge(&c->recv, in, i);
    if (m.received && m.first && list_blocks(&m, persistent))
        list =
            halo_list(n, m.t, groups, c->coll.rank, &(halo_blocks){m.received, m.first, m.range});
    free(m.received);
    free(m.first);
    free(m.range);
    return list;
}
