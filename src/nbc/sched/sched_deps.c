/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_deps.c - derive the dependencies of a schedule from what its steps read and write.
 *
 *   space   0        8        16       24          segments: cut wherever an interval begins or
 *   step 0  |--write-----------|                   ends, so that no interval covers a part of one
 *   step 1           |--read------------|
 *   segment |   0    |    1    |   2    |          step 1 depends on step 0 through segment 1
 *
 * The steps are replayed in program order over the segments. A segment remembers who wrote it last
 * and who has read it since: a read waits for the writer; a write waits for those readers, or for
 * the writer if there are none (the readers wait for the writer themselves). Then come the orders
 * that sched_throttle asks for.
 *
 * O(s + t) for s steps that touch t segments in all, plus one sort of the interval ends where the
 * elements are too many to serve as segments themselves.
 */
#include "nbc/sched/sched_builder.h"

#include <stdlib.h>
#include <string.h>

typedef struct segment {
    int32_t writer;  /* step + 1, or 0 */
    int32_t readers; /* index in the reader pool + 1, or 0 */
} segment;

typedef struct reader {
    int32_t step, next;
} reader;

typedef struct space_map {
    int64_t *cut; /* sorted segment starts and the end of the last; NULL: segment i is element i */
    int ncuts;
    segment *segments;
} space_map;

typedef struct deps {
    const sched_builder *b;
    space_map map[SPACES];
    reader *readers;
    int nreaders, readers_cap;
    edges edges;
    int32_t *seen; /* [step]: the last step that got an edge from it, plus 1 */
    int32_t fence; /* last fence + 1, or 0 */
    sched_error error;
} deps;

bool edges_add(edges *e, edge new, int first_cap)
{
    if (!array_grow((void **)&e->at, &e->cap, e->n, sizeof new, first_cap))
        return false;
    e->at[e->n++] = new;
    return true;
}

static void add_edge(deps *d, int from, int to)
{
    if (d->error || from < d->fence - 1 || d->seen[from] == to + 1)
        return; /* `to` waits for the fence, and the fence for all before it */
    if (!edges_add(&d->edges, (edge){from, to}, 2 * d->b->nsteps)) {
        d->error = SCHED_NO_MEMORY;
        return;
    }
    d->seen[from] = to + 1;
}

/* ---- segments ---- */

static int compare_offsets(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The n offsets, each once, by a bit for each that may be: faster where they are dense. Returns how
 * many there are; 0: no memory. */
static int sort_by_bits(int64_t *cut, int n, int64_t words)
{
    uint64_t *bits = calloc((size_t)words, sizeof *bits);
    int sorted = 0;

    if (!bits)
        return 0;
    for (int i = 0; i < n; i++)
        bits[cut[i] / 64] |= UINT64_C(1) << cut[i] % 64;
    for (int64_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1)
            cut[sorted++] = 64 * w + __builtin_ctzll(left);
    free(bits);
    return sorted;
}

static int sort_by_comparing(int64_t *cut, int n)
{
    int sorted = 0;

    qsort(cut, (size_t)n, sizeof *cut, compare_offsets);
    for (int i = 0; i < n; i++)
        if (i == 0 || cut[i] != cut[i - 1])
            cut[sorted++] = cut[i];
    return sorted;
}

static bool map_cut(space_map *m, const sched_builder *b, int space, size_t nends)
{
    int64_t words = b->extent[space] / 64 + 1;
    int n = 0;

    m->cut = malloc(nends * sizeof *m->cut);
    if (!m->cut)
        return false;
    for (int i = 0; i < b->nintervals; i++)
        if (b->list[i].space == (unsigned)space) {
            m->cut[n++] = b->list[i].offset;
            m->cut[n++] = interval_end(b->list[i]);
        }
    m->ncuts =
        words < 4 * (int64_t)n ? sort_by_bits(m->cut, n, words) : sort_by_comparing(m->cut, n);
    return m->ncuts > 0;
}

/* Elements serve as segments where both they and the touches of them are few, compared with the
 * intervals; else the space is cut at the interval ends. */
static bool map_init(space_map *m, const sched_builder *b, int space)
{
    int64_t size = b->extent[space], touches = 0, nends = 0;

    for (int i = 0; i < b->nintervals; i++)
        if (b->list[i].space == (unsigned)space) {
            nends += 2;
            touches += (int64_t)b->list[i].length;
        }
    if (nends == 0)
        return true;
    if (size > 4 * nends || touches > 4 * nends) {
        if (!map_cut(m, b, space, (size_t)nends))
            return false;
        size = m->ncuts;
    }
    m->segments = calloc((size_t)size, sizeof *m->segments);
    return m->segments != NULL;
}

static int64_t map_find(const space_map *m, int64_t offset)
{
    int low = 0, high = m->ncuts - 1;

    if (!m->cut)
        return offset;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->cut[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- replay ---- */

static void note_reader(deps *d, segment *s, int step)
{
    if (!array_grow((void **)&d->readers, &d->readers_cap, d->nreaders, sizeof *d->readers,
                    2 * d->b->nintervals)) {
        d->error = SCHED_NO_MEMORY;
        return;
    }
    d->readers[d->nreaders++] = (reader){step, s->readers};
    s->readers = d->nreaders;
}

static void touch_read(deps *d, segment *s, int step)
{
    if (s->writer)
        add_edge(d, s->writer - 1, step);
    note_reader(d, s, step);
}

static void touch_write(deps *d, segment *s, int step)
{
    bool others = false;

    for (int r = s->readers; r; r = d->readers[r - 1].next) {
        int by = d->readers[r - 1].step;
        if (by != step) { /* a REDUCE reads what it writes */
            add_edge(d, by, step);
            others = true;
        }
    }
    if (!others && s->writer && s->writer - 1 != step)
        add_edge(d, s->writer - 1, step);
    s->readers = 0;
    s->writer = step + 1;
}

static void replay_interval(deps *d, int step, interval i, bool writes)
{
    const space_map *m = &d->map[i.space];
    int64_t end = interval_end(i);

    if (i.space == SPACE_SEND)
        return; /* never written */
    for (int64_t s = map_find(m, i.offset); (m->cut ? m->cut[s] : s) < end && !d->error; s++)
        if (writes)
            touch_write(d, &m->segments[s], step);
        else
            touch_read(d, &m->segments[s], step);
}

static void replay_step(deps *d, int index)
{
    const step *s = &d->b->steps[index];

    if (s->kind == STEP_FENCE) {
        for (int i = d->fence ? d->fence - 1 : 0; i < index; i++)
            add_edge(d, i, index);
        d->fence = index + 1;
        return;
    }
    if (d->fence)
        add_edge(d, d->fence - 1, index);
    if (s->kind == STEP_REDUCE)
        replay_interval(d, index, d->b->list[s->first + 1], false);
    for (int i = 0; i < s->n; i++)
        replay_interval(d, index, d->b->list[s->first + i], step_writes(s, i));
}

/* ---- the window: message k of a (peer, direction) waits for message k - SCHED_WINDOW ---- */

/* The message that message i must wait for, or -1; ring[queue] remembers the last ones. */
static int window_step(const deps *d, int32_t *ring, int index)
{
    const step *s = &d->b->steps[index];
    int32_t *slot;
    int before;

    if (!step_is_message(s) || d->b->queues.sent[s->queue] <= SCHED_WINDOW)
        return -1;
    slot = &ring[(size_t)s->queue * SCHED_WINDOW + s->tag];
    before = *slot - 1;
    *slot = index + 1;
    return before;
}

static bool window_needed(const sched_builder *b)
{
    for (int q = 0; q < b->nqueues; q++)
        if (b->queues.sent[q] > SCHED_WINDOW)
            return true;
    return false;
}

static bool deps_init(deps *d, int32_t **ring)
{
    for (int space = SPACE_RECV; space < SPACES; space++)
        if (!map_init(&d->map[space], d->b, space))
            return false;
    d->seen = calloc((size_t)d->b->nsteps + 1, sizeof *d->seen);
    if (!d->seen)
        return false;
    if (!window_needed(d->b))
        return true;
    *ring = calloc((size_t)d->b->nqueues * SCHED_WINDOW, sizeof **ring);
    return *ring != NULL;
}

sched_error deps_derive(const sched_builder *b, edges *result)
{
    deps d = {.b = b};
    int32_t *ring = NULL;

    if (!deps_init(&d, &ring))
        d.error = SCHED_NO_MEMORY;
    for (int i = 0, asked = 0; i < b->nsteps && !d.error; i++) {
        replay_step(&d, i);
        for (; asked < b->order.n && b->order.at[asked].to == i; asked++)
            add_edge(&d, b->order.at[asked].from, i);
        int before = ring ? window_step(&d, ring, i) : -1;
        if (before >= 0)
            add_edge(&d, before, i);
    }
    free(ring);
    free(d.seen);
    free(d.readers);
    for (int space = 0; space < SPACES; space++) {
        free(d.map[space].segments);
        free(d.map[space].cut);
    }
    if (d.error)
        free(d.edges.at);
    else
        *result = d.edges;
    return d.error;
}
