/* SPDX-License-Identifier: BSD-3-Clause */
/* event_heap.h - what is to happen on an estimated machine, the next first.
 *
 * Of events at one time the one that was pushed first is the next, so an estimate is the same
 * everywhere.
 */
#ifndef TUTTI_EVENT_HEAP_H
#define TUTTI_EVENT_HEAP_H

#include "tune/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef enum event_kind {
    EVENT_STARTS,  /* a message, named by its send, leaves */
    EVENT_PASSES,  /* perhaps a message has passed a link, which is what is named */
    EVENT_ARRIVES, /* it has come */
    EVENT_ENDS     /* a step */
} event_kind;

/* In one number, so that no branch is needed to compare two, and that few bytes are sifted: from
 * the highest bit on when it is, 32 bits of its number (of those at one time the oldest first), 2
 * of what it is, 30 of its step or link. */
typedef unsigned __int128 event;

typedef struct event_heap {
    event *at;
    int n, room;
    uint32_t pushed;
    bool no_memory; /* an event has been lost */
} event_heap;

enum { EVENT_WIDTH = 4 }; /* half as deep as a binary heap, and in fewer lines of the cache */

static inline event event_make(int64_t at, uint32_t number, event_kind kind, int step)
{
    return (event)(uint64_t)at << 64 | (event)number << 32 | (uint32_t)kind << 30 | (uint32_t)step;
}

static inline int64_t event_time(event e)
{
    return (int64_t)(e >> 64);
}

static inline event_kind event_kind_of(event e)
{
    return (event_kind)((uint32_t)e >> 30);
}

/* Its step, or link. */
static inline int event_subject(event e)
{
    return (int)(e & ((1U << 30) - 1));
}

static inline bool event_heap_grow(event_heap *h)
{
    int room = 2 * h->room + 64;
    event *larger = tune_allocated(realloc(h->at, (size_t)room * sizeof *larger));

    if (!larger) {
        h->no_memory = true;
        return false;
    }
    h->at = larger;
    h->room = room;
    return true;
}

static inline void event_heap_rise(event *heap, int i, event e)
{
    for (int up; i > 0 && e < heap[up = (i - 1) / EVENT_WIDTH]; i = up)
        heap[i] = heap[up];
    heap[i] = e;
}

static inline void event_push(event_heap *h, int64_t at, event_kind kind, int step)
{
    if (h->n < h->room || event_heap_grow(h))
        event_heap_rise(h->at, h->n++, event_make(at, h->pushed++, kind, step));
}

static inline int event_heap_first(const event *heap, int i, int end)
{
    int first = i;

    for (i++; i < end; i++)
        first = heap[i] < heap[first] ? i : first;
    return first;
}

/* The hole goes down to a leaf, and the last event up from there: it seldom rises far. */
static inline event event_pop(event_heap *h)
{
    event *heap = h->at, first = heap[0];
    int n = --h->n, i = 0;

    for (int child; (child = EVENT_WIDTH * i + 1) < n; i = child) {
        child = event_heap_first(heap, child, child + EVENT_WIDTH < n ? child + EVENT_WIDTH : n);
        heap[i] = heap[child];
    }
    event_heap_rise(heap, i, heap[n]);
    return first;
}

#endif
