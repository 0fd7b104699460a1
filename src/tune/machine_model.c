/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_model.c - see machine_model.h. */
#include "tune/machine_model.h"

#include "tune/memory.h"

#include <stdlib.h>

/* Does this rank share its node with rank 0? */
static bool is_on_first_node(const machine_model *m, int rank)
{
    return !m->t || m->t->nodes == 1 || m->t->node[rank] == m->t->node[0];
}

/* Some ranks of the first node, evenly, the last one among them. Returns how many ranks it has. */
static int sample(const machine_model *m, int who[MACHINE_MODEL_SAMPLES])
{
    int n = 0, i = 0;

    for (int r = 0; r < m->p; r++)
        n += is_on_first_node(m, r);
    for (int r = 0, k = 0; k < MACHINE_MODEL_SAMPLES && r < m->p; r++)
        if (is_on_first_node(m, r) &&
            i++ == (int)((int64_t)(n - 1) * k / (MACHINE_MODEL_SAMPLES - 1)))
            for (; k < MACHINE_MODEL_SAMPLES &&
                   i - 1 == (int)((int64_t)(n - 1) * k / (MACHINE_MODEL_SAMPLES - 1));
                 k++)
                who[k] = r;
    return n;
}

void machine_model_make(machine_model *m, int p, const topo *t, bool may_fold)
{
    *m = (machine_model){.p = p, .t = t};
    if (may_fold)
        fold_make(&m->fold, t, p);
    m->first_node_ranks = sample(m, m->sample);
}

void machine_model_free(machine_model *m)
{
    fold_free(&m->fold);
    topo_free(m->made);
    *m = (machine_model){0};
}

int machine_model_nodes(const machine_model *m)
{
    return m->t ? m->t->nodes : 1;
}

/* Ranks of each node, in [nodes]. NULL: no memory. */
static int *count_ranks(const topo *t)
{
    int *ranks = tune_allocated(calloc((size_t)t->nodes, sizeof *ranks));

    for (int r = 0; ranks && r < t->p; r++)
        ranks[t->node[r]]++;
    return ranks;
}

int machine_model_largest_node(const machine_model *m)
{
    int *ranks, most = 1; /* without memory, too: it is divided by */

    if (machine_model_nodes(m) == 1)
        return m->p;
    ranks = count_ranks(m->t);
    for (int i = 0; ranks && i < m->t->nodes; i++)
        most = ranks[i] > most ? ranks[i] : most;
    free(ranks);
    return most;
}

/* Is the k-th of the `all` ranks of a node one of as many as there are to be, evenly? */
static bool is_taken(int k, int ranks, int all)
{
    int64_t before = (int64_t)(k - 1) * ranks, here = (int64_t)k * ranks;

    return ranks >= all || k == 0 || here / all > before / all;
}

static location location_of(const topo *t, int rank)
{
    const topo_level *inner = topo_inner(t);
    location at = {.node = 1 + (uint64_t)t->node[rank]};

    for (int i = 0; i < TOPO_KINDS; i++)
        at.inside[i] = -1;
    if (inner)
        at.inside[inner->kind] = inner->region[rank];
    return at;
}

/* *p: how many ranks it has. */
static topo *first_nodes(const topo *t, int nodes, int ranks, int *p)
{
    location *at = tune_allocated(calloc((size_t)t->p, sizeof *at));
    int *seen = tune_allocated(calloc((size_t)t->nodes, sizeof *seen)), *all = count_ranks(t);
    topo *result = NULL;
    int n = 0;

    for (int r = 0; at && seen && all && r < t->p; r++) {
        int node = t->node[r];
        if (node < nodes && is_taken(seen[node]++, ranks, all[node]))
            at[n++] = location_of(t, r);
    }
    if (n > 0)
        result = tune_allocated(topo_make(at, n));
    free(all);
    free(seen);
    free(at);
    *p = n;
    return result;
}

bool machine_model_make_smaller(machine_model *part, const machine_model *whole, int nodes,
                                int ranks, bool may_fold)
{
    int p = ranks;
    topo *made = NULL;

    *part = (machine_model){0};
    if (whole->t && !(made = first_nodes(whole->t, nodes, ranks, &p)))
        return false;
    machine_model_make(part, p, made, may_fold);
    part->made = made;
    return true;
}
