/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_blocks.h - what a rank lets others know of its blocks in a neighborhood collective
 * (algos/halo_list.h), from the arguments of the call.
 */
#ifndef TUTTI_HALO_BLOCKS_H
#define TUTTI_HALO_BLOCKS_H

#include "api/checked.h"

/* The list, for free(). The call's counts are in the key. persistent: it is for an init, and
 * worth some time: blocks with types of their own are looked into; else each is taken to have bytes
 * of its own. NULL: out of memory. */
int64_t *halo_blocks_list(const call *c, const plan_key *key, const coll_neighbors *n, int groups,
                          bool persistent);

#endif
