/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h - has an estimate had all the memory that it asked for? Without it the estimate is
 * another one than that of the other ranks, and must not be used.
 */
#ifndef TUTTI_TUNE_MEMORY_H
#define TUTTI_TUNE_MEMORY_H

#include <stdbool.h>

/* An allocation has failed in this thread since planner_list was called. */
extern _Thread_local bool tune_out_of_memory;

/* Passes on what an allocation has returned; notes NULL. */
static inline void *tune_allocated(void *p)
{
    tune_out_of_memory |= !p;
    return p;
}

#endif
