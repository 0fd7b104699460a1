/* buffers.c - see buffers.h. */
#include "buffers.h"

#include <stdlib.h>
#include <string.h>
#ifdef TUTTI_SIMULATED
#include <tutti_simulated.h>
#endif

static char *allocate(size_t n, bool folded)
{
#ifdef TUTTI_SIMULATED
    if (folded)
        return SMPI_SHARED_MALLOC(n);
#endif
    (void)folded;
    return calloc(n, 1);
}

static void release(char *buffer, bool folded)
{
#ifdef TUTTI_SIMULATED
    if (folded) {
        SMPI_SHARED_FREE(buffer);
        return;
    }
#endif
    (void)folded;
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

/* Bytes of one side; a byte where there is nothing. */
static size_t side_bytes(coll_extent e, int p, int64_t size)
{
    size_t n = (size_t)extent_blocks(e, p) * (size_t)size;

    return n ? n : 1;
}

int64_t buffers_need(coll_kind c, int p, int64_t size)
{
    const coll_shape *shape = &coll_shapes[c];

    return size * (extent_blocks(shape->send, p) + extent_blocks(shape->recv, p));
}

bool buffers_fold(coll_kind c, int p, int64_t size, int64_t fold)
{
#ifdef TUTTI_SIMULATED
    const coll_shape *shape = &coll_shapes[c];
    int send = extent_blocks(shape->send, p), recv = extent_blocks(shape->recv, p);

    return fold > 0 && size * (send > recv ? send : recv) > fold;
#else
    (void)c, (void)p, (void)size, (void)fold;
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

bool buffers_open(buffers *b, coll_kind c, int p, int64_t size, int64_t fold)
{
    size_t sent = side_bytes(coll_shapes[c].send, p, size);
    size_t received = side_bytes(coll_shapes[c].recv, p, size);

    *b = (buffers){.counts = calloc((size_t)p, sizeof(int)),
                   .place = calloc((size_t)p, sizeof(int))};
    b->folded = buffers_fold(c, p, size, fold);
    fold_library(b->folded);
    b->send = allocate(sent, b->folded);
    b->recv = allocate(received, b->folded);
    if (b->send && coll_has(c, COLL_REDUCES) && !b->folded)
        make_ones(b->send, sent);
    return b->counts && b->place && b->send && b->recv;
}

void buffers_close(buffers *b)
{
    release(b->send, b->folded);
    release(b->recv, b->folded);
    free(b->counts);
    free(b->place);
}

void buffers_size(buffers *b, int p, int size)
{
    for (int i = 0; i < p; i++) {
        b->counts[i] = size;
        b->place[i] = (int)((int64_t)size * i);
    }
}

/* Byte k of the block that `from` sends to `to` (0 where it sends the same to all). */
static char byte_of(int from, int to, int64_t k, int seed)
{
    uint32_t x = (uint32_t)from * 2654435761u + (uint32_t)to * 40503u + (uint32_t)seed * 69069u;

    x += (uint32_t)k * 97u + (uint32_t)(k >> 8) * 13u;
    return (char)(x ^ x >> 15);
}

/* Element k of what the `to`-th blocks of all ranks add up to: whole numbers, so in any order. */
static double sum_of(int p, int to, int64_t k, int seed)
{
    double sum = 0;

    for (int from = 0; from < p; from++)
        sum += byte_of(from, to, k, seed);
    return sum;
}

static bool sends_each(const coll_shape *shape)
{
    return shape->send == COLL_EACH || shape->send == COLL_LISTED;
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
    const coll_shape *shape = &coll_shapes[r->what];
    int to = sends_each(shape) ? r->rank : 0;

    if (shape->traits & COLL_REDUCES)
        for (int64_t k = 0; k < r->count; k++)
            ((double *)(void *)block)[k] = sum_of(r->p, to, k, seed);
    else
        write_block(r, shape->traits & COLL_ROOTED ? r->root : index, to, seed, block);
}

void buffers_fill(const run *r, int seed)
{
    const coll_shape *shape = &coll_shapes[r->what];

    for (int to = 0; to < extent_blocks(shape->send, r->p); to++)
        write_block(r, r->rank, to, seed, r->send + (size_t)to * (size_t)r->size);
    for (int from = 0; from < extent_blocks(shape->recv, r->p); from++) {
        char *block = r->recv + (size_t)from * (size_t)r->size;
        expect_block(r, from, seed, block);
        if (shape->send == COLL_NONE && r->rank == r->root)
            continue;                     /* the root has it there */
        for (int k = 0; k < r->size; k++) /* no byte is right by chance */
            block[k] = (char)~block[k];
    }
}

int64_t buffers_wrong(const run *r, int seed)
{
    char *expected = malloc(r->size ? (size_t)r->size : 1);
    int64_t wrong = 0;

    for (int from = 0; from < extent_blocks(coll_shapes[r->what].recv, r->p); from++) {
        const char *block = r->recv + (size_t)from * (size_t)r->size;
        expect_block(r, from, seed, expected);
        for (int64_t k = 0; k < r->size; k++)
            wrong += block[k] != expected[k];
    }
    free(expected);
    return wrong;
}
