/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbors.h - a message for each edge. */
#ifndef TUTTI_ALGOS_NEIGHBORS_H
#define TUTTI_ALGOS_NEIGHBORS_H

#include "algos/algo.h"

/* In neighbor_alltoall_linear.c. node: the node of each rank; then only edges inside my node. */
void neighbors_linear(const algo_options *o, const group *g, const blockmap *b, const int *node,
                      sched_builder *s);

#endif
