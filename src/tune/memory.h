/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h - has an estimate had all the memory that it asked for? Without it the estimate is
 * another one than that of the other ranks, and must not be used.
 */
#ifndef TUTTI_TUNE_MEMORY_H
#define TUTTI_TUNE_MEMORY_H

#include <stdbool.h>

/* Some of it has failed in this thread since planner_list has begun. */
extern _Thread_local bool memory_failed;

/* What an allocation has returned: NULL is noted. */
static inline void *memory_got(void *p)
{
    memory_failed |= !p;
    return p;
}

#endif
