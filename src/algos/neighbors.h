/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbors.h - a message for each edge. */
#ifndef TUTTI_ALGOS_NEIGHBORS_H
#define TUTTI_ALGOS_NEIGHBORS_H

#include "algos/algo.h"

/* In neighbor_alltoall_linear.c. to, from: of each rank, whether it is served; NULL: all are. */
void neighbors_linear(const algo_options *o, const group *g, const blockmap *b, const bool *to,
                      const bool *from, sched_builder *s);

#endif
