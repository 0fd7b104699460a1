/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - made-up machines for tests of regional algorithms, and what crosses their nodes. */
#ifndef TUTTI_MACHINE_H
#define TUTTI_MACHINE_H

#include "sim/coll_run.h"

enum { MACHINE_MOST = 1024 }; /* ranks */

/* By rank, in messages and in blocks; by node, in blocks. */
typedef struct traffic {
    const topo *t;
    int count; /* items of a block */
    int far_messages[MACHINE_MOST];
    int64_t far_blocks[MACHINE_MOST], out[MACHINE_MOST], in[MACHINE_MOST];
    int64_t weighted; /* sum of blocks * distance */
} traffic;

/* A sim_traffic; context is a traffic. */
void count_message(void *context, int from, int to, int64_t size);

/* Of the rank that has most between nodes. */
int most_messages(const traffic *f);
int64_t most_blocks(const traffic *f);

/* Of a shape (topo/shape.h); and ranks thrown on nodes, packages and caches, nodes on switches. */
topo *machine(const char *shape, int p);
topo *random_machine(int p, uint64_t *random);

/* NULL, or which promise of topo/topo.h does not hold. */
const char *topo_check(const topo *t);

/* From 0 to n - 1. */
int draw(uint64_t *random, int n);

/* The algorithm, which must exist. */
const algo *find(coll_kind kind, const char *name);

/* An allgather of blocks of 3 items; its traffic is in *f. */
sim_result gather(const char *name, coll_form form, int variant, const topo *t, const char *shape,
                  traffic *f);

#endif
