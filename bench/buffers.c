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

bool buffers_open(buffers *b, collective c, int p, int64_t size, int64_t fold)
{
    size_t all = (size_t)(size ? size : 1) * (size_t)p;
    size_t sent = collective_sends_p_blocks(c) ? all : (size_t)(size ? size : 1);

    *b = (buffers){.counts = calloc((size_t)p, sizeof(int)),
                   .place = calloc((size_t)p, sizeof(int))};
#ifdef TUTTI_SIMULATED
    b->folded = fold > 0 && all > (size_t)fold;
#else
    (void)fold;
#endif
    fold_library(b->folded);
    b->send = allocate(sent, b->folded);
    b->recv = allocate(all, b->folded);
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

static void fill(char *block, int from, int to, int size, int seed)
{
    for (int64_t k = 0; k < size; k++)
        block[k] = byte_of(from, to, k, seed);
}

void buffers_fill(const run *r, int seed)
{
    bool each = collective_sends_p_blocks(r->what);

    for (int to = 0; to < (each ? r->p : 1); to++)
        fill(r->send + (size_t)to * (size_t)r->size, r->rank, each ? to : 0, r->size, seed);
    for (int from = 0; from < r->p; from++) { /* no byte is right by chance */
        char *block = r->recv + (size_t)from * (size_t)r->size;
        fill(block, from, each ? r->rank : 0, r->size, seed);
        for (int k = 0; k < r->size; k++)
            block[k] = (char)~block[k];
    }
}

int64_t buffers_wrong(const run *r, int seed)
{
    bool each = collective_sends_p_blocks(r->what);
    int64_t wrong = 0;

    for (int from = 0; from < r->p; from++) {
        const char *block = r->recv + (size_t)from * (size_t)r->size;
        for (int64_t k = 0; k < r->size; k++)
            wrong += block[k] != byte_of(from, each ? r->rank : 0, k, seed);
    }
    return wrong;
}
