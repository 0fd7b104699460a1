/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_builder.h - the builder's state, shared by sched_build.c (emits), sched_deps.c (derives the
 * dependencies) and sched_commit.c. */
#ifndef TUTTI_SCHED_BUILDER_H
#define TUTTI_SCHED_BUILDER_H

#include "nbc/sched/sched.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct edge {
    int32_t from, to;
} edge;

typedef struct edges {
    edge *at;
    int n, cap;
} edges;

/* The last messages of one kind: the k-th last of them is at[(n - k) % window]. */
typedef struct recent {
    int32_t *at; /* [window] */
    int n, window;
} recent;

/* The (peer, direction)s that there have been messages with, few of a million ranks: open
 * addressing, at most half of the slots taken. With many peers each has its own slot. */
typedef struct queue_table {
    struct queue_slot {
        uint32_t key;   /* 2 peer + direction */
        int32_t number; /* of its queue, plus 1; 0: the slot is free */
    } * at;             /* [n] */
    int n;              /* 0, a power of two, or 2p: slot i is that of key i */
    int32_t *sent;      /* [queue]: messages so far */
    int sent_cap;
} queue_table;

/* Memory that the algorithm has borrowed. */
typedef struct loan {
    struct loan *next;
    max_align_t memory[];
} loan;

struct sched_builder {
    sched_error error; /* the first one; later calls do nothing */
    coll_form form;
    int p, parts;
    bool packs;            /* sched_pack_scratch */
    bool open;             /* between sched_open and sched_close */
    int spared;            /* sched_spare: the rank plus 1, or 0 */
    bool spares_me, muted; /* am I the spared rank; is the open message left out */
    step *steps;
    int nsteps, steps_cap;
    interval *list;
    int nintervals, list_cap;
    int nmessages, nqueues, nlocals;
    queue_table queues;
    int64_t extent[SPACES];
    int64_t *room; /* where each part of SCRATCH begins */
    int nrooms, room_cap;
    recent throttled[2]; /* sends, receives since sched_throttle; windows n and n + 1 */
    edges order;         /* what it asks for, in order of `to` */
    loan *loans;
    const char *phase[SCHED_PHASES];
    int nphases;
};

/* Room for item n of an array of `cap`, which is left as it is when there is none. */
static inline bool array_grow(void **array, int *cap, int n, size_t size, int first_cap)
{
    int larger = *cap ? 2 * *cap : first_cap;
    void *moved;

    if (n < *cap)
        return true;
    moved = realloc(*array, (size_t)larger * size);
    if (!moved)
        return false;
    *array = moved;
    *cap = larger;
    return true;
}

/* Append; false: out of memory. */
bool edges_add(edges *e, edge new, int first_cap);

/* All dependencies of the builder's steps, each once, in order of `to`. */
sched_error deps_derive(const sched_builder *b, edges *result);

#endif
