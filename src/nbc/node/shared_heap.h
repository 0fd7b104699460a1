/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_heap.h - memory of this process that the others of its node read in place.
 *
 * A shared heap is a range of addresses of the segment (segment.h), as long as the machine's memory
 * allows, for buffers (tutti_alloc, scratch, pool.h): memory comes and goes with them.
 */
#ifndef TUTTI_SHARED_HEAP_H
#define TUTTI_SHARED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All shared heaps lie in the segment's addresses from `begin` to `end`, which are closed
 * (PROT_NONE); mine are `bytes` from `mine` on. False: out of memory. */
bool shared_heap_begin(char *segment, size_t begin, size_t end, size_t mine, size_t bytes);

/* Everybody may use it from now on, or no longer. */
void shared_heap_allow(void);
void shared_heap_end(void);

/* Has anybody taken memory of mine, and not given it back? */
bool shared_heap_is_used(void);

/* Can others read what this process has in its shared heap, and this one what they have? */
bool shared_heap_is_readable(void);

/* Memory in my shared heap, of pages. NULL: there is none. */
void *shared_heap_take(size_t bytes);
void shared_heap_give(void *memory, size_t bytes);

/* Where these bytes are in my shared heap, as others know it. 0: they are not in it. */
uint64_t shared_heap_find(const void *memory, size_t bytes);

/* Bytes that another process has exposed, to be read. */
const void *shared_heap_reach(uint64_t where, size_t bytes);

#endif
