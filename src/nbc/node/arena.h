/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.h - memory that is given away in parts, first fit; what it is made of is not touched. */
#ifndef TUTTI_ARENA_H
#define TUTTI_ARENA_H

#include <stddef.h>

struct extent;

typedef struct arena {
    char *at;
    size_t left;           /* bytes that are not given away */
    struct extent *unused; /* by their addresses */
} arena;

void arena_begin(arena *a, char *at, size_t bytes);

/* Bytes that are not given away. */
size_t arena_left(const arena *a);

/* NULL: nowhere are so many bytes side by side. */
void *arena_take(arena *a, size_t bytes);

/* Without memory to note it down, it is lost until the process ends. */
void arena_give(arena *a, void *memory, size_t bytes);

/* Forget all of it. */
void arena_end(arena *a);

#endif
