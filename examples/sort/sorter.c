/* SPDX-License-Identifier: BSD-3-Clause */
/* sorter.c - sort a slice, find the buckets, exchange, and merge.
 *
 *   rank 0   sorted slice |  a0  |  a1  |  a2  |    cut into a bucket for each rank, each of which
 *   rank 1                |  b0  |  b1  |  b2  |    is cut into pieces of greater and greater keys
 *
 *   rank 1   receives piece 0 of a1, b1, c1, and merges them, while piece 1 is under way; and so on
 *
 * All keys of a piece are less than those of the next one, or equal: what is merged is final.
 */
#include "sorter.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const way ways[WAYS] = {
    {"blocking", "MPI, blocking", NATIVE, false},
    {"nonblocking", "MPI, non-blocking", NATIVE_NONBLOCKING, true},
    {"tutti", "Tutti, blocking", TUTTI, false},
    {"tutti-nonblocking", "Tutti, non-blocking", TUTTI_NONBLOCKING, true},
    {"persistent", "Tutti, persistent", TUTTI_PERSISTENT, true},
};

bool way_chosen(const way *w, const options *o)
{
    return strcmp(o->method, "all") == 0 || strcmp(o->method, w->method) == 0;
}

bool method_known(const options *o)
{
    bool known = false;

    for (int i = 0; i < WAYS; i++)
        known |= way_chosen(&ways[i], o);
    return known;
}

void sorter_open(sorter *s, const input *in, const way *w, const options *o)
{
    int p, pieces = w->overlaps ? o->pieces : 1;
    size_t buckets;

    MPI_Comm_size(MPI_COMM_WORLD, &p);
    buckets = (size_t)p * (size_t)pieces;
    *s = (sorter){.way = w,
                  .in = in,
                  .find = o->exact ? splitters_exact : splitters_sampled,
                  .keys = allocated((size_t)in->n, sizeof(key)),
                  .room = (size_t)in->n,
                  .cuts = allocated(buckets + 1, sizeof(int)),
                  .counts = allocated(2 * buckets, sizeof(int)),
                  .displs = allocated(2 * buckets, sizeof(int)),
                  .heap = allocated(2 * (size_t)p, sizeof(int)),
                  .repetitions = o->repetitions};
    s->received = allocated(s->room, sizeof(key));
    s->result = allocated(s->room, sizeof(key));
    for (int t = 0; t < PHASES; t++)
        s->times[t] = allocated((size_t)o->repetitions, sizeof(double));
    exchange_open(&s->e, w->manner, pieces, o->samples * (long long)buckets, in->slices);
}

void sorter_close(sorter *s)
{
    exchange_close(&s->e);
    for (int t = 0; t < PHASES; t++)
        free(s->times[t]);
    free(s->keys);
    free(s->received);
    free(s->result);
    free(s->cuts);
    free(s->counts);
    free(s->displs);
    free(s->heap);
}

static void make_room(sorter *s)
{
    uint64_t n = s->e.received;

    if (n > INT_MAX) {
        fprintf(stderr, "npysort: more keys for rank %d than an int counts\n", s->e.rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (n <= s->room)
        return;
    s->room = (size_t)n + (size_t)n / 8;
    free(s->received);
    free(s->result);
    s->received = allocated(s->room, sizeof(key));
    s->result = allocated(s->room, sizeof(key));
}

/* What each rank sends to the others: how many keys of theirs it has. */
static void send_counts(sorter *s)
{
    exchange *e = &s->e;

    for (int b = 0; b < e->buckets; b++)
        e->to_send[b] = s->cuts[b + 1] - s->cuts[b];
    exchange_do(e, COUNTS);
    e->received = 0;
    for (int b = 0; b < e->buckets; b++)
        e->received += (uint64_t)e->to_receive[b];
}

/* Counts and displacements of all pieces. */
static void lay_out(sorter *s)
{
    exchange *e = &s->e;
    int *sent = s->counts, *received = s->counts + e->buckets, at = 0;

    for (int k = 0; k < e->pieces; k++)
        for (int r = 0; r < e->p; r++) {
            int i = k * e->p + r, b = r * e->pieces + k;
            sent[i] = e->to_send[b];
            s->displs[i] = s->cuts[b];
            received[i] = e->to_receive[b];
            s->displs[e->buckets + i] = at;
            at += received[i];
        }
}

static void start_piece(sorter *s, int k)
{
    exchange *e = &s->e;
    int sent = k * e->p, received = e->buckets + sent;

    exchange_keys_start(e, k, s->keys, s->counts + sent, s->displs + sent, s->received,
                        s->counts + received, s->displs + received);
}

static void merge_piece(sorter *s, int k)
{
    exchange *e = &s->e;
    int received = e->buckets + k * e->p;

    keys_merge(s->received, s->counts + received, s->displs + received, e->p,
               s->result + s->displs[received], s->heap, exchange_advance, e);
}

static void exchange_and_merge(sorter *s)
{
    exchange *e = &s->e;

    send_counts(s);
    make_room(s);
    lay_out(s);
    start_piece(s, 0);
    exchange_start(e, OFFSET);
    for (int k = 0; k < e->pieces; k++) {
        if (k + 1 < e->pieces)
            start_piece(s, k + 1);
        exchange_keys_finish(e, k);
        merge_piece(s, k);
    }
    exchange_finish(e, OFFSET);
}

void sorter_sort(sorter *s, int i)
{
    const input *in = s->in;
    slice mine = {s->keys, in->n, in->first, in->total};
    double at[PHASES];

    memcpy(s->keys, in->keys, (size_t)in->n * sizeof *s->keys);
    MPI_Barrier(MPI_COMM_WORLD);
    at[LOCAL_SORT] = MPI_Wtime();
    keys_sort(s->keys, s->received, in->n);
    at[FIND_SPLITTERS] = MPI_Wtime();
    s->find(&s->e, &mine, s->cuts);
    at[EXCHANGE] = MPI_Wtime();
    exchange_and_merge(s);
    at[WHOLE] = MPI_Wtime();
    for (int t = 0; t < WHOLE; t++)
        s->times[t][i] = at[t + 1] - at[t];
    s->times[WHOLE][i] = at[WHOLE] - at[LOCAL_SORT];
}
