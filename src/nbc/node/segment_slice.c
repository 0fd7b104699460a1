/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_slice.c - memory of my slice that is taken and given back: see segment.h. */
#define _GNU_SOURCE /* MADV_REMOVE, mincore */
#include "nbc/node/segment_inside.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 128 };

void *segment_take(size_t bytes)
{
    return arena_take(&segment_here.mine, segment_rounded(bytes, ALIGN));
}

void segment_give(void *memory, size_t bytes)
{
    if (memory && segment_here.base)
        arena_give(&segment_here.mine, memory, segment_rounded(bytes, ALIGN));
}

/* Whole pages go, and are zero when they come again. */
static void return_pages(char *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (size_t)(memory - segment_here.base);
    size_t begin = segment_rounded(at, page), end = (at + bytes) / page * page;

    if (begin < end && madvise(segment_here.base + begin, end - begin, MADV_REMOVE) == 0) {
        memset(memory, 0, begin - at);
        memset(segment_here.base + end, 0, at + bytes - end);
    } else {
        memset(memory, 0, bytes);
    }
}

bool segment_touched(const void *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           at = (size_t)((const char *)memory - segment_here.base);
    unsigned char there = 1;

    return mincore(segment_here.base + at / page * page, page, &there) != 0 || there & 1;
}

bool segment_is_mine(void)
{
    return segment_here.base && getpid() == segment_here.owner;
}

void segment_retire(void *memory, size_t bytes)
{
    if (memory && segment_is_mine())
        return_pages(memory, bytes);
}

void segment_return(void *memory, size_t bytes)
{
    segment_retire(memory, bytes);
    segment_give(memory, bytes);
}

size_t segment_left(void)
{
    return arena_left(&segment_here.mine);
}
