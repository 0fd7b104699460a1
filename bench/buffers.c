/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c - see buffers.h. */
#include "buffers.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>
#ifdef TUTTI_SIMULATED
#include <tutti_simulated.h>
#endif

static char *allocate(size_t n, const buffers *b)
{
    void *memory = NULL;

#ifdef TUTTI_SIMULATED
    if (b->folded)
        return SMPI_SHARED_MALLOC(n);
#endif
    if (!b->shared)
        return calloc(n, 1);
    if (tutti_alloc((MPI_Aint)n, &memory) == MPI_SUCCESS)
        memset(memory, 0, n);
    return memory;
}

static void release(char *buffer, const buffers *b)
{
#ifdef TUTTI_SIMULATED
    if (b->folded) {
        SMPI_SHARED_FREE(buffer);
        return;
    }
#endif
    if (b->shared)
        tutti_free(buffer);
    else
        free(buffer);
}

static void fold_library(bool folded)
{
#ifdef TUTTI_SIMULATED
    tutti_simulated_fold(folded);
#else
    (void)folded;
#endif
}

MPI_Datatype buffers_type(coll_kind c)
{
    return coll_has(c, COLL_REDUCES) ? MPI_DOUBLE : MPI_BYTE;
}

int buffers_unit(coll_kind c)
{
    return coll_has(c, COLL_REDUCES) ? (int)sizeof(double) : 1;
}

/* Bytes of so many blocks; a byte where there are none. */
static size_t bytes_of(int blocks, int64_t size)
{
    return blocks ? (size_t)blocks * (size_t)size : 1;
}

/* Blocks of the receive buffer. Where a rank receives nothing there is one, which must stay as it
 * is. */
static int received_blocks(coll_kind c, coll_sides has, int n)
{
    return has.recv == COLL_NONE && coll_shapes[c].recv ? 1 : extent_blocks(has.recv, n);
}

int64_t buffers_need(coll_kind c, int n, int64_t size)
{
    const coll_shape *shape = &coll_shapes[c];

    return size * (extent_blocks(shape->send, n) + extent_blocks(shape->recv, n));
}

bool buffers_fold(coll_kind c, int n, int64_t size, int64_t fold)
{
#ifdef TUTTI_SIMULATED
    const coll_shape *shape = &coll_shapes[c];
    int send = extent_blocks(shape->send, n), recv = extent_blocks(shape->recv, n);

    return fold > 0 && size * (send > recv ? send : recv) > fold;
#else
    (void)c, (void)n, (void)size, (void)fold;
    return false;
#endif
}

/* Numbers that are no special case for the processor, whatever is added to their last byte. */
static void make_ones(char *buffer, size_t n)
{
    double one = 1;

    for (size_t at = 0; at + sizeof one <= n; at += sizeof one)
        memcpy(buffer + at, &one, sizeof one);
}

bool buffers_lists(buffers *b, coll_kind c, int n)
{
    *b = (buffers){.type = buffers_type(c),
                   .unit = buffers_unit(c),
                   .counts = calloc((size_t)n, sizeof(int)),
                   .displs = calloc((size_t)n, sizeof(int)),
                   .byte_displs = calloc((size_t)n, sizeof(MPI_Aint)),
                   .types = calloc((size_t)n, sizeof(MPI_Datatype))};
    return b->counts && b->displs && b->byte_displs && b->types;
}

void buffers_lists_free(buffers *b)
{
    free(b->counts);
    free(b->displs);
    free(b->byte_displs);
    free(b->types);
}

bool buffers_open(buffers *b, coll_kind c, coll_sides has, int n, int64_t size,
                  buffers_memory memory)
{
    size_t sent = bytes_of(extent_blocks(has.send, n), size);
    size_t received = bytes_of(received_blocks(c, has, n), size);

    bool listed = buffers_lists(b, c, n);

    b->folded = buffers_fold(c, n, size, memory.fold);
    b->shared = memory.shared;
    fold_library(b->folded);
    b->send = allocate(sent, b);
    b->recv = allocate(received, b);
    if (b->send && coll_has(c, COLL_REDUCES) && !b->folded)
        make_ones(b->send, sent);
    return listed && b->send && b->recv;
}

void buffers_close(buffers *b)
{
    release(b->send, b);
    release(b->recv, b);
    buffers_lists_free(b);
}

void buffers_size(buffers *b, int n, int size)
{
    for (int i = 0; i < n; i++) {
        b->counts[i] = size / b->unit;
        b->byte_displs[i] = (MPI_Aint)size * i;
        b->displs[i] = (int)(b->byte_displs[i] / b->unit);
        b->types[i] = b->type;
    }
}

/* Byte k of the block that `from` sends to `to` (0 where it sends the same to all). */
static char byte_of(int from, int to, int64_t k, int seed)
{
    uint32_t x = (uint32_t)from * 2654435761u + (uint32_t)to * 40503u + (uint32_t)seed * 69069u;

    x += (uint32_t)k * 97u + (uint32_t)(k >> 8) * 13u;
    return (char)(x ^ x >> 15);
}

/* Element k of what the `to`-th blocks of the first n ranks add up to: whole numbers, so in any
 * order. */
static double sum_of(int n, int to, int64_t k, int seed)
{
    double sum = 0;

    for (int from = 0; from < n; from++)
        sum += byte_of(from, to, k, seed);
    return sum;
}

static bool sends_each(const run *r)
{
    return coll_shapes[r->what].send >= COLL_EACH;
}

/* Two edges to one neighbor carry the same: which of them is which differs from MPI to MPI where a
 * dimension has one or two ranks. */
static int neighbor_or_rank(const run *r, int index)
{
    return coll_has(r->what, COLL_NEIGHBORS) ? r->neighbors[index] : index;
}

static int source_of(const run *r, int index)
{
    unsigned traits = coll_shapes[r->what].traits;

    if (traits & COLL_ROOTED && !(traits & COLL_ROOT_RECEIVES))
        return r->root;
    return neighbor_or_rank(r, index);
}

/* The first ones, of whose vectors this rank gets the sum. */
static int ranks_summed(const run *r)
{
    if (r->what == COLL_scan)
        return r->rank + 1;
    return r->what == COLL_exscan ? r->rank : r->p;
}

/* A block as rank `from` sends it. */
static void write_block(const run *r, int from, int to, int seed, char *block)
{
    if (coll_has(r->what, COLL_REDUCES))
        for (int64_t k = 0; k < r->count; k++)
            ((double *)(void *)block)[k] = byte_of(from, to, k, seed);
    else
        for (int64_t k = 0; k < r->size; k++)
            block[k] = byte_of(from, to, k, seed);
}

/* The index-th block that this rank must have in its receive buffer. */
static void expect_block(const run *r, int index, int seed, char *block)
{
    int to = sends_each(r) ? r->rank : 0;

    if (run_sides(r).recv == COLL_NONE)
        write_block(r, r->rank, r->p, seed, block);
    else if (coll_has(r->what, COLL_REDUCES))
        for (int64_t k = 0; k < r->count; k++)
            ((double *)(void *)block)[k] = sum_of(ranks_summed(r), to, k, seed);
    else
        write_block(r, source_of(r, index), to, seed, block);
}

/* Is what must be in the receive buffer there from the start? */
static bool stays(const run *r)
{
    return run_sides(r).recv == COLL_NONE ||
           (coll_shapes[r->what].send == COLL_NONE && r->rank == r->root);
}

void buffers_fill(const run *r, int seed)
{
    coll_sides has = run_sides(r);

    for (int i = 0; i < extent_blocks(has.send, r->blocks); i++)
        write_block(r, r->rank, sends_each(r) ? neighbor_or_rank(r, i) : 0, seed,
                    r->send + (size_t)i * (size_t)r->size);
    for (int i = 0; i < received_blocks(r->what, has, r->blocks); i++) {
        char *block = r->recv + (size_t)i * (size_t)r->size;
        expect_block(r, i, seed, block);
        for (int k = 0; k < r->size && !stays(r); k++) /* no byte is right by chance */
            block[k] = (char)~block[k];
    }
}

int64_t buffers_wrong(const run *r, int seed)
{
    char *expected = malloc(r->size ? (size_t)r->size : 1);
    int64_t wrong = 0;

    for (int i = 0; i < received_blocks(r->what, run_sides(r), r->blocks); i++) {
        const char *block = r->recv + (size_t)i * (size_t)r->size;
        expect_block(r, i, seed, expected);
        for (int64_t k = 0; k < r->size; k++)
            wrong += block[k] != expected[k];
    }
    free(expected);
    return wrong;
}
