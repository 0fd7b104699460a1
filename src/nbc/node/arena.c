/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.c - see arena.h. */
#include "nbc/node/arena.h"

#include "nbc/process/mutex.h"

#include <stdlib.h>
#include <utlist.h>

/* One lock for all arenas. Not the library's lock: memory is freed while that is held. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

typedef struct extent {
    struct extent *prev, *next;
    size_t at, size;
} extent;

static void add_extent(arena *a, size_t at, size_t bytes)
{
    extent *e = malloc(sizeof *e), *after = a->unused, *before;

    if (!e) /* lost to this process, until it ends */
        return;
    *e = (extent){.at = at, .size = bytes};
    while (after && after->at < at)
        after = after->next;
    if (after)
        DL_PREPEND_ELEM(a->unused, after, e);
    else
        DL_APPEND(a->unused, e);
    a->left += bytes;
    before = e == a->unused ? NULL : e->prev;
    if (e->next && e->at + e->size == e->next->at) {
        after = e->next;
        e->size += after->size;
        DL_DELETE(a->unused, after);
        free(after);
    }
    if (before && before->at + before->size == e->at) {
        before->size += e->size;
        DL_DELETE(a->unused, e);
        free(e);
    }
}

void arena_begin(arena *a, char *at, size_t bytes)
{
    a->at = at;
    add_extent(a, 0, bytes);
}

void *arena_take(arena *a, size_t bytes)
{
    char *memory = NULL;
    extent *e;

    mutex_lock(&mutex);
    DL_FOREACH (a->unused, e)
        if (e->size >= bytes)
            break;
    if (e) {
        memory = a->at + e->at;
        e->at += bytes;
        e->size -= bytes;
        a->left -= bytes;
    }
    if (e && e->size == 0) {
        DL_DELETE(a->unused, e);
        free(e);
    }
    mutex_unlock(&mutex);
    return memory;
}

void arena_give(arena *a, void *memory, size_t bytes)
{
    mutex_lock(&mutex);
    add_extent(a, (size_t)((char *)memory - a->at), bytes);
    mutex_unlock(&mutex);
}

size_t arena_left(const arena *a)
{
    size_t bytes;

    mutex_lock(&mutex);
    bytes = a->left;
    mutex_unlock(&mutex);
    return bytes;
}

void arena_end(arena *a)
{
    extent *e, *next;

    DL_FOREACH_SAFE (a->unused, e, next)
        free(e);
    *a = (arena){0};
}
