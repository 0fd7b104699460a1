/* SPDX-License-Identifier: BSD-3-Clause */
/* must.h - memory for the simulator: without any the program aborts, it is a test tool. */
#ifndef TUTTI_MUST_H
#define TUTTI_MUST_H

#include <stdlib.h>

static inline void *sim_must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* Also of n = 0. */
static inline void *sim_zeroed(size_t n, size_t size)
{
    return sim_must(calloc(n + 1, size));
}

#endif
