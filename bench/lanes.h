/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.h - the columns of lane_pattern and multi_collective. */
#ifndef BENCH_LANES_H
#define BENCH_LANES_H

#include "variant.h"

bool lanes_command(const char *name);

/* Blocks that a rank receives at most. Collective, on MPI_COMM_WORLD. */
int lanes_blocks(const char *command);

/* name: a number of lanes, of calls as o->call says. False: it is none. Collective, on
 * MPI_COMM_WORLD. */
bool lanes_variant(variant *v, const options *o, const char *name);

/* After all of these: give back what they share. */
void lanes_close(void);

#endif
