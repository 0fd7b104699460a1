/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_model.h - a machine for which collectives are estimated: the real one, or a smaller one
 * of the same kind. Pure.
 */
#ifndef TUTTI_MACHINE_MODEL_H
#define TUTTI_MACHINE_MODEL_H

#include "topo/topo.h"
#include "tune/fold.h"

enum { MACHINE_MODEL_SAMPLES = 3 };

typedef struct machine_model {
    int p;                             /* ranks; 0: there is none */
    const topo *t;                     /* NULL: all ranks on one node */
    fold fold;                         /* ranks that stand for others; of n = 0: none does */
    int first_node_ranks;              /* how many ranks the first node has */
    int sample[MACHINE_MODEL_SAMPLES]; /* some of them: evenly, the last one among them */
    topo *made;                        /* its own, or NULL */
} machine_model;

/* may_fold: may some ranks stand for all? */
void machine_model_make(machine_model *m, int p, const topo *t, bool may_fold);

/* A model of the first nodes, with so many ranks of each, evenly, or all that a node has. False: no
 * memory. */
bool machine_model_make_smaller(machine_model *part, const machine_model *whole, int nodes,
                                int ranks, bool may_fold);

int machine_model_nodes(const machine_model *m);

/* How many ranks the node has that has most. */
int machine_model_largest_node(const machine_model *m);

void machine_model_free(machine_model *m);

#endif
