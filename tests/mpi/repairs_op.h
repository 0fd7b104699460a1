/* SPDX-License-Identifier: BSD-3-Clause */
/* repairs_op.h - one collective operation whose result is known, for plain_repairs.c. */
#ifndef TUTTI_TEST_REPAIRS_OP_H
#define TUTTI_TEST_REPAIRS_OP_H

#include "mpi/blocks.h"
#include "mpi/edges.h"

/* What distinguishes operations of one collective. */
typedef struct repairs_what {
    int count; /* elements in a block; of edges units */
    bool in_place;
    int types;      /* index in type_pairs; of edges as in edges_form */
    int reduction;  /* index in reductions */
    int root;       /* of rooted ones */
    const graph *g; /* of neighbors; alltoallw: graph_complete's */
} repairs_what;

typedef struct repairs_op {
    coll_kind kind;
    const graph *g;
    blocks blocks;        /* where g is NULL */
    edges edges;          /* else */
    char *expected;       /* of edges */
    double entered, left; /* barrier: seconds */
    call_args args;       /* of the call */
} repairs_op;

void repairs_op_open(repairs_op *o, coll_kind kind, const repairs_what *w);
void repairs_op_close(repairs_op *o);

/* New data, the same turn on all ranks. Collective, by messages. */
void repairs_op_fill(repairs_op *o, int turn);

/* The operation is complete. */
void repairs_op_leave(repairs_op *o);

/* After that: is all where it must be? Collective, by messages. */
bool repairs_op_is_right(repairs_op *o);

/* The greatest of all ranks', by messages. */
double repairs_greatest(double mine);

#endif
