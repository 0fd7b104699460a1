/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - tutti_alloc and tutti_free: buffers that the other ranks of this node can read. */
#include "nbc/comm/comm.h"
#include "nbc/library.h"
#include "nbc/node/shared_heap.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { LINES = 128 };

/* What has been given to the program, by its address. Library lock. */
typedef struct buffer {
    UT_hash_handle hh;
    void *memory;
    size_t bytes;
    bool shared;
} buffer;

static buffer *buffers;

static bool remember_buffer(buffer *b)
{
    process_lock();
    HASH_ADD_PTR(buffers, memory, b);
    bool added = b->hh.tbl != NULL;
    process_unlock();
    return added;
}

static buffer *forget_buffer(void *memory)
{
    buffer *b;

    process_lock();
    HASH_FIND_PTR(buffers, &memory, b);
    if (b)
        HASH_DEL(buffers, b);
    process_unlock();
    return b;
}

static void release_buffer(buffer *b)
{
    if (b->shared)
        shared_heap_give(b->memory, b->bytes);
    else
        free(b->memory);
    free(b);
}

/* Ordinary memory where none is shared. */
static buffer *make_buffer(size_t bytes)
{
    buffer *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->bytes = bytes;
    b->memory = shared_heap_take(bytes);
    b->shared = b->memory != NULL;
    if (!b->memory)
        b->memory = aligned_alloc(LINES, (bytes + LINES - 1) / LINES * LINES);
    if (b->memory && remember_buffer(b))
        return b;
    if (b->memory)
        release_buffer(b);
    else
        free(b);
    return NULL;
}

int tutti_alloc(MPI_Aint bytes, void *memory)
{
    buffer *b;
    int error = library_enter();

    if (error)
        return error;
    if (bytes < 0)
        error = reason_set(MPI_ERR_SIZE, "bytes is %lld", (long long)bytes);
    else if (!memory)
        error = reason_set(MPI_ERR_ARG, "memory is NULL");
    if (error)
        return comm_raise("tutti_alloc", NULL, error);
    b = (uintmax_t)bytes < SIZE_MAX / 2 ? make_buffer(bytes ? (size_t)bytes : 1) : NULL;
    if (!b)
        return comm_raise("tutti_alloc", NULL, MPI_ERR_NO_MEM);
    memcpy(memory, &b->memory, sizeof b->memory);
    return MPI_SUCCESS;
}

/* Also when MPI has been finalized. */
int tutti_free(void *memory)
{
    buffer *b = memory ? forget_buffer(memory) : NULL;

    if (memory && !b)
        reason_set(MPI_ERR_BASE, "tutti_alloc has not given this address, or it has been freed");
    if (memory && !b)
        return library_enter() ? MPI_ERR_BASE : comm_raise("tutti_free", NULL, MPI_ERR_BASE);
    if (b)
        release_buffer(b);
    return MPI_SUCCESS;
}
