/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_state.c - what others ask of a segment, and its end: see segment.h. */
#include "nbc/node/segment_inside.h"
#include "nbc/node/shared_heap.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { UNIT = 64 };

segment segment_here = {.absent = "no communicator has been used yet"};

/* What other threads may ask for while one of them sets all this up: published when that is done.
 */
static _Atomic(const char *) published = "no communicator has been used yet";
static atomic_int published_sharing;

void segment_publish(void)
{
    atomic_store(&published, segment_here.base ? segment_here.no_heaps : segment_here.absent);
    atomic_store(&published_sharing, segment_here.sharing);
    shared_heap_allow();
}

const char *segment_absent(void)
{
    return atomic_load(&published);
}

int segment_processes(void)
{
    return atomic_load(&published_sharing);
}

size_t segment_slice(void)
{
    return segment_here.slice;
}

bool segment_shared_with(int channel_rank)
{
    return segment_here.base && channel_rank >= 0 && channel_rank < segment_here.channel_size &&
           segment_here.index_of[channel_rank] >= 0;
}

bool segment_reads(void)
{
    return segment_here.reads;
}

bool segment_exposes_all(void)
{
    return segment_here.exposes_all;
}

int64_t segment_pid(int channel_rank)
{
    return segment_here.pids[segment_here.index_of[channel_rank]];
}

uint32_t segment_where(const void *memory)
{
    return memory ? (uint32_t)((size_t)((const char *)memory - segment_here.base) / UNIT) : 0;
}

void *segment_at(uint32_t where)
{
    return segment_here.base + (size_t)where * UNIT;
}

uint64_t segment_offset(const void *memory)
{
    return (uint64_t)((const char *)memory - segment_here.base);
}

void *segment_at_offset(uint64_t offset)
{
    return segment_here.base + offset;
}

void segment_forget(const char *why)
{
    if (segment_here.base)
        munmap(segment_here.base, segment_here.mapped);
    free(segment_here.index_of);
    free(segment_here.pids);
    arena_end(&segment_here.mine);
    shared_heap_end();
    segment_here = (segment){.absent = why};
}

/* Buffers of the program's may be used, and freed, when MPI has gone: then all of it stays. */
void segment_end(void)
{
    if (shared_heap_is_used())
        return;
    segment_forget("MPI_Finalize has begun");
    segment_publish();
}
