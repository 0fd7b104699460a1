/* SPDX-License-Identifier: BSD-3-Clause */
/* failing_malloc.h - malloc, calloc and realloc of which one call fails. The linker puts
 * __wrap_malloc and so on instead of malloc (tests/CMakeLists.txt). */
#ifndef TUTTI_FAILING_MALLOC_H
#define TUTTI_FAILING_MALLOC_H

#include <stdbool.h>

/* Allocations of this thread until one fails; -1: none does, or it has failed. */
extern _Thread_local long allocations_left;

/* One has failed in this thread, since whoever asks has set it to false. */
extern _Thread_local bool allocation_failed;

#endif
