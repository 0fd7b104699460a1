/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - see layout.h. */
#include "call.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

void data_bytes(uint64_t data, unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = mix(data, i);
        memcpy(bytes + i, &word, n - i < sizeof word ? n - i : sizeof word);
    }
}

static MPI_Aint element_at(const blocks *b, int block, int element)
{
    return ((MPI_Aint)b->displ[block] + element) * b->type.extent;
}

/* In order of the ranks without gaps, or in any order with gaps, begun anywhere. */
static void place_blocks(blocks *b, bool regular, rng *r)
{
    int next = 0, order[MAX_RANKS];
    MPI_Aint extent = b->type.extent;
    int beyond = (int)((b->type.high - b->type.low + extent - 1) / extent);

    for (int i = 0; i < b->p; i++)
        order[i] = i;
    for (int i = b->p - 1; i > 0 && !regular; i--) {
        int j = rng_below(r, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    if (!regular)
        next = rng_below(r, 40) - 20;
    for (int i = 0; i < b->p; i++) {
        int block = order[i];
        b->displ[block] = next;
        next += b->count[block];
        if (!regular && b->count[block] > 0)
            next += beyond + rng_below(r, 3);
    }
}

/* The bytes that any block touches, and displacement 0. */
static void bounds(const blocks *b, MPI_Aint *low, MPI_Aint *high)
{
    *low = *high = 0;
    for (int i = 0; i < b->p; i++) {
        if (b->count[i] == 0)
            continue;
        MPI_Aint first = element_at(b, i, 0) + b->type.low;
        MPI_Aint last = element_at(b, i, b->count[i] - 1) + b->type.high;
        *low = first < *low ? first : *low;
        *high = last > *high ? last : *high;
    }
}

static bool overlaps(const blocks *b)
{
    if (b->type.high - b->type.low <= b->type.extent)
        return false;
    unsigned char *seen = calloc(b->bytes, 1);
    bool found = false;
    for (int i = 0; i < b->p; i++) {
        for (int e = 0; e < b->count[i]; e++) {
            for (int k = 0; k < b->type.pieces; k++) {
                unsigned char *at = seen + b->zero + element_at(b, i, e) + b->type.at[k];
                for (int j = 0; j < b->type.size[k]; j++)
                    found |= at[j]++ != 0;
            }
        }
    }
    free(seen);
    return found;
}

bool blocks_make(blocks *b, const layout *type, int p, const int units[], bool regular, rng *r)
{
    MPI_Aint low, high;

    *b = (blocks){.type = *type, .p = p};
    b->count = calloc((size_t)p + 1, sizeof *b->count);
    b->displ = calloc((size_t)p + 1, sizeof *b->displ);
    b->large_count = calloc((size_t)p + 1, sizeof *b->large_count);
    b->large_displ = calloc((size_t)p + 1, sizeof *b->large_displ);
    for (int i = 0; i < p; i++)
        b->count[i] = units[i] / type->units;
    place_blocks(b, regular, r);
    for (int i = 0; i < p; i++) {
        b->large_count[i] = b->count[i];
        b->large_displ[i] = b->displ[i];
    }
    bounds(b, &low, &high);
    b->bytes = (size_t)(high - low) + 2 * GUARD;
    b->zero = GUARD - low;
    if (overlaps(b)) {
        blocks_free(b);
        return false;
    }
    b->memory = own_memory(b->bytes, &b->shared);
    b->image = malloc(b->bytes);
    return true;
}

void blocks_free(blocks *b)
{
    layout_free(&b->type);
    free(b->count);
    free(b->displ);
    free(b->large_count);
    free(b->large_displ);
    own_memory_free(b->memory, b->shared);
    free(b->image);
    *b = (blocks){0};
}

void *blocks_buffer(const blocks *b)
{
    return b->memory + b->zero;
}

void blocks_poison(blocks *b)
{
    for (size_t i = 0; i < b->bytes; i++)
        b->image[i] = (unsigned char)(0xa5 + i * 29);
}

void blocks_put(blocks *b, int block, uint64_t data)
{
    uint64_t word = 0, index = 0;

    for (int e = 0; e < b->count[block]; e++) {
        unsigned char *element = b->image + b->zero + element_at(b, block, e);
        for (int k = 0; k < b->type.pieces; k++) {
            for (int j = 0; j < b->type.size[k]; j++, index++) {
                word = index % 8 == 0 ? mix(data, index) : word >> 8;
                element[b->type.at[k] + j] = (unsigned char)word;
            }
        }
    }
}

void blocks_put_element(blocks *b, int element, const void *bytes)
{
    unsigned char *to = b->image + b->zero + element * b->type.extent;
    const unsigned char *from = bytes;

    for (int k = 0; k < b->type.pieces; k++)
        for (int j = 0; j < b->type.size[k]; j++)
            to[b->type.at[k] + j] = *from++;
}

void blocks_forgive(blocks *b, int n)
{
    MPI_Aint first = b->zero + b->type.low;
    bool *is_data = calloc((size_t)(b->type.high - b->type.low), sizeof *is_data);

    for (int k = 0; k < b->type.pieces; k++)
        for (int j = 0; j < b->type.size[k]; j++)
            is_data[b->type.at[k] - b->type.low + j] = true;
    for (int e = 0; e < n; e++)
        for (MPI_Aint i = 0; i < b->type.extent; i++)
            if (i >= b->type.high - b->type.low || !is_data[i]) {
                MPI_Aint at = first + e * b->type.extent + i;
                b->image[at] = b->memory[at];
            }
    free(is_data);
}

void blocks_load(blocks *b)
{
    memcpy(b->memory, b->image, b->bytes);
}

long blocks_differ(const blocks *b)
{
    if (memcmp(b->memory, b->image, b->bytes) == 0)
        return -1;
    long i = 0;
    while (b->memory[i] == b->image[i])
        i++;
    return i;
}
