/* SPDX-License-Identifier: BSD-3-Clause */
/* failing_malloc.h - malloc, calloc and realloc of which one call fails. The linker puts
 * __wrap_malloc and so on in the place of malloc (tests/CMakeLists.txt). */
#ifndef TUTTI_FAILING_MALLOC_H
#define TUTTI_FAILING_MALLOC_H

/* Allocations until one fails; -1: none does, or it has failed. */
extern long allocations_left;

#endif
