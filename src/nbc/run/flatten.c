/* SPDX-License-Identifier: BSD-3-Clause */
/* flatten.c - see flatten.h. */
#include "nbc/run/flatten.h"

#include "nbc/process/process.h"
#include "nbc/run/datatype.h"

#include <stdlib.h>

enum { PLANES = sizeof(int64_t) };

/* Bytes of data, and of span: more than SPAN_SMALL only for data that fills a good part of it. A
 * rank takes the span, up to 4 bytes for each of data, and 16 for each range, at times twice. */
enum { DATA_MOST = 1 << 29, SPAN_SMALL = 1 << 26, SPAN_OF_DATA = 64 };
static const int64_t span_most = INT64_C(1) << 31;

typedef struct flattener {
    const flatten_block *b;
    int n;
    int64_t low, span;  /* of all blocks */
    int64_t bytes;      /* of all data */
    int64_t *packed_at; /* [n + 1]: of each block */
    unsigned char *memory, *plane[PLANES];
    int planes;
    byte_range *range;
    int64_t nranges, room;
} flattener;

/* What the blocks are in memory. False: too much. */
static bool measure(flattener *f)
{
    int64_t low = INT64_MAX, high = INT64_MIN;

    f->packed_at[0] = 0;
    for (int i = 0; i < f->n; i++) {
        const flatten_block *b = &f->b[i];
        datatype t = {0};
        bool is_empty = b->count <= 0 || datatype_describe(b->type, &t) || t.size == 0;
        int64_t last = is_empty ? 0 : (b->count - 1) * t.extent; /* may be negative */
        f->packed_at[i + 1] = f->packed_at[i] + (is_empty ? 0 : b->count * t.size);
        if (is_empty)
            continue;
        int64_t begin = b->offset + t.true_lb + (last < 0 ? last : 0);
        int64_t end = b->offset + t.true_lb + t.true_extent + (last > 0 ? last : 0);
        low = begin < low ? begin : low;
        high = end > high ? end : high;
    }
    f->low = low;
    f->span = high > low ? high - low : 0;
    f->bytes = f->packed_at[f->n];
    return f->bytes <= DATA_MOST && f->span <= span_most &&
           f->span <= SPAN_SMALL + SPAN_OF_DATA * f->bytes;
}

/* Of each offset the bits from 8 k on. */
static bool pack_plane(flattener *f, int k)
{
    unsigned char *to = f->plane[k] = malloc((size_t)f->bytes + 1);

    for (int64_t i = 0; to && i < f->span; i++)
        f->memory[i] = (unsigned char)((uint64_t)i >> 8 * k);
    for (int i = 0; to && i < f->n; i++) {
        int64_t bytes = f->packed_at[i + 1] - f->packed_at[i];
        void *buffer = (void *)((uintptr_t)f->memory + (uintptr_t)(f->b[i].offset - f->low));
        int at = 0;
        if (bytes > 0 && (PMPI_Pack(buffer, (int)f->b[i].count, f->b[i].type, to + f->packed_at[i],
                                    (int)bytes, &at, process_self()) ||
                          at != bytes))
            return false;
    }
    return to != NULL;
}

static bool append_range(flattener *f, int64_t at, int64_t length)
{
    if (f->nranges == f->room) {
        int64_t room = 2 * f->room + 64;
        byte_range *larger = realloc(f->range, (size_t)room * sizeof *larger);
        if (!larger)
            return false;
        f->range = larger;
        f->room = room;
    }
    f->range[f->nranges++] = (byte_range){at, length};
    return true;
}

static int64_t offset_of(const flattener *f, int64_t i)
{
    uint64_t offset = 0;

    for (int k = 0; k < f->planes; k++)
        offset |= (uint64_t)f->plane[k][i] << 8 * k;
    return (int64_t)offset;
}

static bool append_block(flattener *f, int64_t begin, int64_t end)
{
    for (int64_t i = begin, n; i < end; i += n) {
        int64_t at = offset_of(f, i);
        for (n = 1; i + n < end && offset_of(f, i + n) == at + n;)
            n++;
        if (!append_range(f, f->low + at, n))
            return false;
    }
    return true;
}

static bool find_ranges(flattener *f, int64_t *first)
{
    bool done = measure(f) && (f->memory = malloc((size_t)f->span + 1));

    for (; done && (f->planes == 0 || f->span >> 8 * f->planes > 0); f->planes++)
        done = pack_plane(f, f->planes);
    for (int i = 0; done && i < f->n; i++) {
        first[i] = f->nranges;
        done = append_block(f, f->packed_at[i], f->packed_at[i + 1]);
    }
    first[f->n] = f->nranges;
    return done;
}

bool flatten_blocks(const flatten_block *b, int n, int64_t *first, byte_range **range)
{
    flattener f = {.b = b, .n = n, .packed_at = malloc(((size_t)n + 1) * sizeof *f.packed_at)};
    bool done = f.packed_at && find_ranges(&f, first);

    if (done && !f.range)
        done = (f.range = malloc(sizeof *f.range));
    for (int k = 0; k < PLANES; k++)
        free(f.plane[k]);
    free(f.packed_at);
    free(f.memory);
    if (!done)
        free(f.range);
    *range = done ? f.range : NULL;
    return done;
}
