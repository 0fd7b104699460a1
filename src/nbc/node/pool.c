/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c - see pool.h. */
#include "nbc/node/pool.h"

#include "nbc/node/shared_heap.h"

/* Tuning: buffers that are kept, each of at most so many bytes. */
enum { KEPT = 4, KEPT_MOST = 1 << 20, LEAST = 1 << 16 };

typedef struct buffer {
    void *memory;
    size_t bytes;
} buffer;

size_t pool_most = (size_t)1 << 23;

static buffer kept[KEPT];
static int nkept;
static size_t under_way;

/* Powers of two, so that one that is kept fits the next message. */
static size_t pooled_size(size_t bytes)
{
    size_t n = LEAST;

    while (n < bytes)
        n *= 2;
    return n;
}

static void *take_kept(size_t bytes)
{
    for (int i = 0; i < nkept; i++) {
        void *memory = kept[i].memory;

        if (kept[i].bytes != bytes)
            continue;
        kept[i] = kept[--nkept];
        return memory;
    }
    return NULL;
}

void *pool_take(size_t bytes)
{
    size_t n = bytes <= pool_most ? pooled_size(bytes) : 0;
    void *memory;

    if (n == 0 || under_way + n > pool_most)
        return NULL;
    memory = take_kept(n);
    if (!memory)
        memory = shared_heap_take(n);
    if (memory)
        under_way += n;
    return memory;
}

void pool_give(void *memory, size_t bytes)
{
    size_t n = pooled_size(bytes);

    under_way -= n;
    if (nkept < KEPT && n <= KEPT_MOST)
        kept[nkept++] = (buffer){memory, n};
    else
        shared_heap_give(memory, n);
}

void pool_end(void)
{
    while (nkept > 0) {
        nkept--;
        shared_heap_give(kept[nkept].memory, kept[nkept].bytes);
    }
}
