/* SPDX-License-Identifier: BSD-3-Clause */
/* sorter.h - one way to sort: a manner of communication, and all that it needs. */
#ifndef SORT_SORTER_H
#define SORT_SORTER_H

#include "options.h"
#include "splitters.h"

typedef struct way {
    const char *method, *name; /* as an option, and for people */
    manner manner;
    bool overlaps; /* the exchange of keys is cut into pieces */
} way;

enum { WAYS = 5 };
extern const way ways[WAYS];

bool way_chosen(const way *w, const options *o);

/* Is there a way of this method? */
bool method_known(const options *o);

/* The keys of this rank, as they were read. */
typedef struct input {
    key *keys;
    int n;
    kind kind;
    uint64_t first, total;
    int *slices; /* [ranks]: n of each */
} input;

typedef enum phase { LOCAL_SORT, FIND_SPLITTERS, EXCHANGE, WHOLE, PHASES } phase;

typedef struct sorter {
    const way *way;
    const input *in;
    splitters_find *find;
    exchange e;
    key *keys, *received, *result; /* mine; [e.received]: from all, and sorted */
    size_t room;                   /* of received and result */
    int *cuts;                     /* [buckets + 1] */
    int *counts, *displs;          /* [2][buckets]: sent, received; those of a piece in a row */
    int *heap;
    double *times[PHASES]; /* [repetitions], seconds */
    int repetitions;
} sorter;

/* Collective. s stays where it is until it is closed. */
void sorter_open(sorter *s, const input *in, const way *w, const options *o);
void sorter_close(sorter *s);

/* Collective: the result of this rank, e.received keys, belongs at e.offset of all. Times are
 * those of repetition i. */
void sorter_sort(sorter *s, int i);

#endif
