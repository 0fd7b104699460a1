/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - memory of this process that the others of its node read in place.
 *
 * A store is a range of addresses of the segment (segment.h), as long as the machine's memory
 * allows, for buffers (tutti_alloc, scratch, pool.h): memory comes and goes with them.
 */
#ifndef TUTTI_STORE_H
#define TUTTI_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All stores lie in the segment's addresses from `begin` to `end`, which are closed (PROT_NONE);
 * mine are `bytes` from `mine` on. False: out of memory. */
bool store_begin(char *segment, size_t begin, size_t end, size_t mine, size_t bytes);

/* Everybody may use it from now on; and no longer. */
void store_allow(void);
void store_end(void);

/* Has anybody taken memory of mine, and not given it back? */
bool store_is_used(void);

/* Can others read what this process has in its store, and this one what they have? */
bool store_lends(void);

/* Memory in my store, of pages. NULL: there is none. */
void *store_take(size_t bytes);
void store_give(void *memory, size_t bytes);

/* Where these bytes are in my store, as others know it; 0: they are not. And what another one has
 * lent, to be read. */
uint64_t store_find(const void *memory, size_t bytes);
const void *store_reach(uint64_t where, size_t bytes);

#endif
