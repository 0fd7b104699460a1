/* SPDX-License-Identifier: BSD-3-Clause */
/* failing_malloc.c - see failing_malloc.h. */
#include "failing_malloc.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

_Thread_local long allocations_left = -1;
_Thread_local bool allocation_failed;

static bool fails(void)
{
    bool now = allocations_left >= 0 && allocations_left-- == 0;

    allocation_failed |= now;
    return now;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}
