/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h - copies of messages that others read: buffers in this process's shared heap, for data
 * whose receivers may read the shared heap but no other memory.
 *
 * There is a bound for all of them together, because they last until they have been read: who gets
 * none sends another way. Some are kept for the next message. Engine lock held.
 */
#ifndef TUTTI_POOL_H
#define TUTTI_POOL_H

#include <stddef.h>

/* NULL: too much is on its way, or the shared heap is full. */
void *pool_take(size_t bytes);
void pool_give(void *memory, size_t bytes);

/* Before the shared heap goes: those that are kept. */
void pool_end(void);

/* For tests: the bound, in bytes. */
extern size_t pool_most;

#endif
