/* SPDX-License-Identifier: BSD-3-Clause */
/* deal.c - rank 0 deals out the rows of a matrix; see deal.h. */
#include "any_failed.h"
#include "deal.h"

#include <mpi.h>
#include <stdlib.h>

/* The rows in the order of their ranks. place[row]: where it is now. */
static void number_rows(hand *h, const int *part, int *place)
{
    for (int row = 0; row < h->n; row++)
        h->first[part[row] + 1]++;
    for (int r = 0; r < h->p; r++)
        h->first[r + 1] += h->first[r];
    for (int row = 0; row < h->n; row++) { /* first[r] ends where r + 1 begins */
        place[row] = h->first[part[row]]++;
        h->order[place[row]] = row;
    }
    for (int r = h->p; r > 0; r--)
        h->first[r] = h->first[r - 1];
    h->first[0] = 0;
}

/* The whole in the new order. */
typedef struct deck {
    int *place, *lengths, *columns;
    double *values, *b, *exact;
    int *counts, *displs; /* non-zeros of each rank */
} deck;

static int deck_allocate(deck *d, hand *h, const whole *w)
{
    size_t n = (size_t)w->n, nonzeros = (size_t)w->a.start[n];

    h->order = malloc(n * sizeof *h->order);
    d->place = malloc((2 * n + nonzeros) * sizeof *d->place);
    d->values = malloc((2 * n + nonzeros) * sizeof *d->values);
    d->counts = calloc(2 * (size_t)h->p, sizeof *d->counts);
    if (!h->order || !d->place || !d->values || !d->counts)
        return -1;
    d->lengths = d->place + n;
    d->columns = d->lengths + n;
    d->b = d->values + nonzeros;
    d->exact = d->b + n;
    d->displs = d->counts + h->p;
    return 0;
}

static void deck_free(deck *d)
{
    free(d->place);
    free(d->values);
    free(d->counts);
}

static void deck_fill(deck *d, const hand *h, const whole *w)
{
    int n = 0;

    for (int r = 0; r < h->p; r++) {
        d->displs[r] = n;
        for (int i = h->first[r]; i < h->first[r + 1]; i++) {
            int row = h->order[i], begin = w->a.start[row];
            d->lengths[i] = w->a.start[row + 1] - begin;
            d->b[i] = w->b[row];
            d->exact[i] = w->exact[row];
            for (int k = begin; k < begin + d->lengths[i]; k++, n++) {
                d->columns[n] = d->place[w->a.column[k]];
                d->values[n] = w->a.value[k];
            }
        }
        d->counts[r] = n - d->displs[r];
    }
}

static void scatter(const void *from, const int *counts, const int *displs, MPI_Datatype type,
                    void *to, int n)
{
    MPI_Scatterv(from, counts, displs, type, to, n, type, 0, MPI_COMM_WORLD);
}

static int hand_allocate(hand *h)
{
    size_t rows = (size_t)h->rows, n = (size_t)h->nonzeros;

    h->lengths = malloc(rows * sizeof *h->lengths + 1);
    h->columns = malloc(n * sizeof *h->columns + 1);
    h->values = malloc(n * sizeof *h->values + 1);
    h->b = malloc(rows * sizeof *h->b + 1);
    h->exact = malloc(rows * sizeof *h->exact + 1);
    return h->lengths && h->columns && h->values && h->b && h->exact ? 0 : -1;
}

static int receive(hand *h, const deck *d)
{
    int *counts = calloc((size_t)h->p, sizeof *counts), n = 0;

    MPI_Bcast(h->first, h->p + 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(d->counts, 1, MPI_INT, &n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    h->rows = h->first[h->rank + 1] - h->first[h->rank];
    h->nonzeros = n;
    if (any_failed(!counts || hand_allocate(h) != 0)) {
        free(counts);
        return -1;
    }
    for (int r = 0; r < h->p; r++)
        counts[r] = h->first[r + 1] - h->first[r];
    scatter(d->lengths, counts, h->first, MPI_INT, h->lengths, h->rows);
    scatter(d->columns, d->counts, d->displs, MPI_INT, h->columns, n);
    scatter(d->values, d->counts, d->displs, MPI_DOUBLE, h->values, n);
    scatter(d->b, counts, h->first, MPI_DOUBLE, h->b, h->rows);
    scatter(d->exact, counts, h->first, MPI_DOUBLE, h->exact, h->rows);
    free(counts);
    return 0;
}

int hand_deal(hand *h, const whole *w, const int *part)
{
    deck d = {0};
    int failed;

    *h = (hand){.n = w->n};
    MPI_Comm_size(MPI_COMM_WORLD, &h->p);
    MPI_Comm_rank(MPI_COMM_WORLD, &h->rank);
    MPI_Bcast(&h->n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    h->first = calloc((size_t)h->p + 1, sizeof *h->first);
    failed = any_failed(!h->first || (h->rank == 0 && deck_allocate(&d, h, w) != 0));
    if (!failed && h->rank == 0) {
        number_rows(h, part, d.place);
        deck_fill(&d, h, w);
    }
    failed = failed || receive(h, &d) != 0;
    deck_free(&d);
    return failed ? -1 : 0;
}

void hand_free(hand *h)
{
    free(h->lengths);
    free(h->columns);
    free(h->values);
}
