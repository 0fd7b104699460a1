/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - who sends how much to whom in a halo exchange, and how much of it leaves a node. */
#ifndef SPMV_CG_TRAFFIC_H
#define SPMV_CG_TRAFFIC_H

#include "matrix.h"

/* Collective. node[r]: the node of rank r, below nodes. A table on rank 0. 0, or -1 on all ranks:
 * out of memory. */
int traffic_print(const matrix *m, const int *node, int nodes);

#endif
