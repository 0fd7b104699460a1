/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - a struct and the arrays that it points to in one block of memory.
 *
 *   thing shape = {.n = n}, *t;
 *   const layout_array arrays[] = {LAYOUT(shape.list, n), LAYOUT(shape.at, n + 1)};
 *
 *   t = layout_make(sizeof *t, arrays, LAYOUT_LENGTH(arrays));
 *   if (t)
 *       *t = shape;
 */
#ifndef TUTTI_LAYOUT_H
#define TUTTI_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* n elements for the pointer at `pointer` to begin at. */
typedef struct layout_array {
    void *pointer;
    size_t n, size;
} layout_array;

#define LAYOUT(pointer, n)                                                                         \
    {                                                                                              \
        &(pointer), (size_t)(n), sizeof *(pointer)                                                 \
    }
#define LAYOUT_LENGTH(arrays) (sizeof(arrays) / sizeof *(arrays))

/* Bytes of a struct of `head` bytes followed by `count` arrays; SIZE_MAX: more than can
 * be. memory: NULL, or a block of so many, in which the arrays get their addresses. */
static inline size_t layout_assign(void *memory, size_t head, const layout_array *a, size_t count)
{
    enum { ALIGNED = _Alignof(max_align_t) };
    size_t at = (head + ALIGNED - 1) / ALIGNED * ALIGNED;

    for (size_t i = 0, bytes; i < count; i++) {
        if (memory)
            memcpy(a[i].pointer, &(char *){(char *)memory + at}, sizeof(char *));
        if (__builtin_mul_overflow(a[i].n, a[i].size, &bytes) ||
            __builtin_add_overflow(bytes, ALIGNED - 1, &bytes) ||
            __builtin_add_overflow(at, bytes / ALIGNED * ALIGNED, &at))
            return SIZE_MAX;
    }
    return at;
}

/* The same in a new block of zeros. NULL: there is no memory. */
static inline void *layout_make(size_t head, const layout_array *a, size_t count)
{
    size_t bytes = layout_assign(NULL, head, a, count);
    void *memory = bytes < SIZE_MAX ? calloc(1, bytes + 1) : NULL; /* never of nothing */

    if (memory)
        layout_assign(memory, head, a, count);
    return memory;
}

#endif
