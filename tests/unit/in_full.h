/* SPDX-License-Identifier: BSD-3-Clause */
/* in_full.h - how long a choice takes when all ranks are executed, for which `auto` has no time:
 * the tests compare its estimates with that.
 *
 * `bytes` is the length of the vector, or of one block.
 */
#ifndef TUTTI_IN_FULL_H
#define TUTTI_IN_FULL_H

#include "tune/forecaster.h"

/* A machine of this shape (topo/shape.h). NULL: all ranks on one node. */
topo *ranks_on(const char *shape, int p);

/* Bytes of the vector, or of all blocks. */
int64_t all_of(coll_kind kind, int p, int64_t bytes);

/* A call on the constants "fast". */
forecast_call call_on(coll_kind kind, int p, const topo *t, int64_t bytes);

/* Picoseconds on the constants "fast", with all ranks executed, 512 at most. */
int64_t in_full(const choice *c, coll_kind kind, int p, const topo *t, int64_t bytes);

/* The same with only those ranks executed that stand for all. -1: they cannot. */
int64_t executed(const choice *c, coll_kind kind, int p, const topo *t, const fold *f,
                 int64_t bytes);

#endif
