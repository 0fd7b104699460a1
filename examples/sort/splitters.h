/* SPDX-License-Identifier: BSD-3-Clause */
/* splitters.h - where the buckets begin among my sorted keys. */
#ifndef SORT_SPLITTERS_H
#define SORT_SPLITTERS_H

#include "exchange.h"

/* My slice of the input, sorted. */
typedef struct slice {
    const key *keys;
    int n;
    uint64_t first, total; /* keys on lower ranks, and on all */
} slice;

/* cuts[b], cuts[b + 1]: where bucket b begins and ends; [buckets + 1]. Collective. */
typedef void splitters_find(exchange *e, const slice *s, int cuts[]);

/* From samples at equal distances: a bucket has at most (1 + ranks / samples of each rank) as many
 * keys as it should, however many of them are equal. Shi, Schaeffer, JPDC 14(4), 1992. */
splitters_find splitters_sampled;

/* All buckets have the same number of keys, or one more. Each rank looks for where its buckets
 * begin by halving the range of the keys, all ranks together: up to 64 times an allgather of keys,
 * and a reduce_scatter_block of how many there are up to them. */
splitters_find splitters_exact;

#endif
