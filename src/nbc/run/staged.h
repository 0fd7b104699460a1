/* SPDX-License-Identifier: BSD-3-Clause */
/* staged.h - host copies of device buffers: a call works on these.
 *
 *   start   device memory -> host copy     what the call reads, and what it may leave as it is
 *   end     host copy -> device memory     the data that it has received, not the gaps in between
 *
 * No other rank notices it: messages and steps are those of a call with host memory.
 */
#ifndef TUTTI_STAGED_H
#define TUTTI_STAGED_H

#include "nbc/process/device.h"
#include "nbc/process/staging_buffer.h"

#include <stdatomic.h>

/* One buffer, if it is in device memory: n > 0 or in_bytes > 0. */
typedef struct staged_side {
    char *device;         /* its first byte */
    staging_buffer *host; /* ours */
    int64_t in_bytes;     /* from the start: copied before */
    device_range *result; /* [n]: copied afterwards; ours */
    int64_t n;
} staged_side;

typedef struct staged {
    atomic_int refs;
    bool failed; /* to copy before */
    staged_side send, recv;
} staged;

/* NULL: out of memory. NULL is legal for the others. */
staged *staged_make(void);
staged *staged_share(staged *s);
void staged_free(staged *s);

/* What stands for this address of the buffer in the copy. */
static inline void *staged_copy(const staged_side *side, const void *address)
{
    return (void *)((uintptr_t)side->host->memory + ((uintptr_t)address - (uintptr_t)side->device));
}

/* Before and after a call. staged_end returns its error, or MPI_ERR_OTHER if a copy has failed. */
void staged_begin(staged *s);
int staged_end(staged *s, int error);

#endif
