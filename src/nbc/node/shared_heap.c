/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_heap.c - see shared_heap.h. */
#define _GNU_SOURCE /* MADV_POPULATE_WRITE, munlock */
#include "nbc/node/shared_heap.h"

#include "nbc/node/arena.h"
#include "nbc/process/mutex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 65536, /* of any machine */ HUGE_PAGE = 1 << 21 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of `opened` */

static char *base; /* of the segment */
static size_t first, limit, size;

/* Shared heaps are opened in units of huge pages, when they are used: who reads all memory of a
 * process that can be read, as valgrind does in search of leaks, would fill all of them. */
enum { CLOSED, READABLE, WRITABLE };
static _Atomic unsigned char *opened; /* [units of the segment] */

static arena heap;
static pid_t owner; /* a child has a copy of what is said here, and none of what is meant */
static atomic_bool allowed;

bool shared_heap_begin(char *segment, size_t begin, size_t end, size_t mine, size_t bytes)
{
    opened = calloc(end / HUGE_PAGE + 1, sizeof *opened);
    if (!opened)
        return false;
    base = segment;
    first = begin;
    limit = end;
    size = bytes;
    owner = getpid();
    arena_begin(&heap, segment + mine, bytes);
    return true;
}

void shared_heap_allow(void)
{
    atomic_store(&allowed, heap.at != NULL);
}

void shared_heap_end(void)
{
    atomic_store(&allowed, false);
    free((void *)opened);
    opened = NULL;
    arena_end(&heap);
    base = NULL;
    size = 0;
}

bool shared_heap_is_used(void)
{
    return heap.at && heap.left < size;
}

bool shared_heap_is_readable(void)
{
    return atomic_load_explicit(&allowed, memory_order_acquire);
}

static size_t pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* If the process has too many mappings, all units are opened, which makes one mapping of them. */
static void open_unit(size_t unit, unsigned char how)
{
    int protection = how == WRITABLE ? PROT_READ | PROT_WRITE : PROT_READ;

    if (mprotect(base + unit * HUGE_PAGE, HUGE_PAGE, protection) == 0)
        atomic_store_explicit(&opened[unit], how, memory_order_relaxed);
    else if (mprotect(base + first, limit - first, PROT_READ | PROT_WRITE) == 0)
        for (size_t k = first / HUGE_PAGE; k < limit / HUGE_PAGE; k++)
            atomic_store_explicit(&opened[k], WRITABLE, memory_order_relaxed);
}

static void open_range(uint64_t where, size_t bytes, unsigned char how)
{
    for (size_t unit = where / HUGE_PAGE; unit * HUGE_PAGE < where + bytes; unit++) {
        if (atomic_load_explicit(&opened[unit], memory_order_relaxed) >= how)
            continue;
        mutex_lock(&mutex);
        if (atomic_load_explicit(&opened[unit], memory_order_relaxed) < how)
            open_unit(unit, how);
        mutex_unlock(&mutex);
    }
}

/* Pages come with this call, where they are dearest to be waited for later. More than the machine
 * has is not refused: as for malloc'ed memory that is written, the kernel looks for a victim. */
void *shared_heap_take(size_t bytes)
{
    size_t n = pages(bytes);
    void *memory =
        shared_heap_is_readable() && n && getpid() == owner ? arena_take(&heap, n) : NULL;

    if (memory)
        open_range((uint64_t)((char *)memory - base), n, WRITABLE);
    if (memory && madvise(memory, n, MADV_POPULATE_WRITE) != 0) {
        shared_heap_give(memory, bytes);
        memory = NULL;
    }
    return memory;
}

/* A child that gives back what its parent had taken leaves it to the parent. Memory that the
 * program has locked since (mlockall) is not taken away by the kernel. */
void shared_heap_give(void *memory, size_t bytes)
{
    size_t n = pages(bytes);

    if (!memory || !base || getpid() != owner)
        return;
    if (madvise(memory, n, MADV_REMOVE) != 0 && munlock(memory, n) == 0)
        madvise(memory, n, MADV_REMOVE);
    arena_give(&heap, memory, n);
}

uint64_t shared_heap_find(const void *memory, size_t bytes)
{
    const char *at = memory;

    if (!heap.at || at < heap.at || (size_t)(at - heap.at) + bytes > size)
        return 0;
    return (uint64_t)(at - base);
}

const void *shared_heap_reach(uint64_t where, size_t bytes)
{
    open_range(where, bytes, READABLE);
    return base + where;
}
