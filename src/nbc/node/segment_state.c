/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_state.c - what others ask of a segment, and its end: see segment.h. */
#include "nbc/node/segment_inside.h"
#include "nbc/node/store.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { UNIT = 64 };

segment segment_here = {.absent = "no communicator has been used yet"};

/* What other threads may ask for while one of them sets all this up: told when that is done. */
static _Atomic(const char *) told = "no communicator has been used yet";
static atomic_int told_sharing;

void segment_tell(void)
{
    atomic_store(&told, segment_here.base ? segment_here.storeless : segment_here.absent);
    atomic_store(&told_sharing, segment_here.sharing);
    store_allow();
}

const char *segment_absent(void)
{
    return atomic_load(&told);
}

int segment_processes(void)
{
    return atomic_load(&told_sharing);
}

size_t segment_slice(void)
{
    return segment_here.slice;
}

bool segment_shared_with(int place)
{
    return segment_here.base && place >= 0 && place < segment_here.places &&
           segment_here.index_of[place] >= 0;
}

bool segment_reads(void)
{
    return segment_here.reads;
}

bool segment_lends_all(void)
{
    return segment_here.lends_all;
}

int64_t segment_pid(int place)
{
    return segment_here.pids[segment_here.index_of[place]];
}

uint32_t segment_where(const void *memory)
{
    return memory ? (uint32_t)((size_t)((const char *)memory - segment_here.base) / UNIT) : 0;
}

void *segment_at(uint32_t where)
{
    return segment_here.base + (size_t)where * UNIT;
}

uint64_t segment_place(const void *memory)
{
    return (uint64_t)((const char *)memory - segment_here.base);
}

void *segment_at_place(uint64_t place)
{
    return segment_here.base + place;
}

void segment_forget(const char *why)
{
    if (segment_here.base)
        munmap(segment_here.base, segment_here.mapped);
    free(segment_here.index_of);
    free(segment_here.pids);
    arena_end(&segment_here.mine);
    store_end();
    segment_here = (segment){.absent = why};
}

/* Buffers of the program's may be used, and freed, when MPI has gone: then all of it stays. */
void segment_end(void)
{
    if (store_is_used())
        return;
    segment_forget("MPI_Finalize has begun");
    segment_tell();
}
