/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c - see halo.h.
 *
 * Each rank knows what it needs, not what others need of it. MPI_Dist_graph_create turns the edges
 * around, their weights are the numbers of values; then the indices go to their owners. All that
 * takes messages to neighbors only.
 */
#include "any_failed.h"
#include "halo.h"

#include <stdlib.h>
#include <string.h>

/* Room for n neighbors, in one piece. */
static int blocks_allocate(blocks *b, int n)
{
    int *at = calloc(3 * (size_t)n + 1, sizeof *at);

    *b = (blocks){.n = n, .ranks = at, .counts = at + n, .displs = at + 2 * n};
    return !at;
}

/* The owners of what I need, and how much of it each has. */
static int find_owners(const int *needed, int n, const int *first, int p, blocks *b)
{
    int owner = -1, owners = 0;

    if (blocks_allocate(b, p))
        return -1;
    for (int i = 0; i < n; i++) {
        if (owner < 0 || needed[i] >= first[owner + 1]) {
            while (needed[i] >= first[owner + 1])
                owner++;
            b->ranks[owners++] = owner;
        }
        b->counts[owners - 1]++;
    }
    b->n = owners;
    return 0;
}

/* My edges are those that lead to me. b->displs serves as an array of ones. */
static int make_graph(blocks *b, int rank, MPI_Comm *comm)
{
    int *to = malloc((size_t)b->n * sizeof *to + 1);

    if (any_failed(!to)) {
        free(to);
        return -1;
    }
    for (int i = 0; i < b->n; i++) {
        b->displs[i] = 1;
        to[i] = rank;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, b->n, b->ranks, b->displs, to, b->counts, MPI_INFO_NULL,
                          0, comm);
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    free(to);
    return 0;
}

/* Neighbors come in the graph's order, which may be any. */
static int find_neighbors(halo *h)
{
    int in, out, weighted;

    MPI_Dist_graph_neighbors_count(h->comm, &in, &out, &weighted);
    if (any_failed(blocks_allocate(&h->in, in) | blocks_allocate(&h->out, out)))
        return -1;
    MPI_Dist_graph_neighbors(h->comm, in, h->in.ranks, h->in.counts, out, h->out.ranks,
                             h->out.counts);
    return 0;
}

/* How many of n ascending numbers are less. */
static int count_less(const int *numbers, int n, int limit)
{
    int low = 0;

    while (low < n) {
        int middle = low + (n - low) / 2;
        if (numbers[middle] < limit)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void place_blocks(halo *h, const int *needed, int n, const int *first)
{
    for (int i = 0; i < h->in.n; i++)
        h->in.displs[i] = count_less(needed, n, first[h->in.ranks[i]]);
    h->in.values = n;
    for (int i = 0; i < h->out.n; i++) {
        h->out.displs[i] = h->out.values;
        h->out.values += h->out.counts[i];
    }
}

/* Whoever needs values says which. */
static void exchange_indices(halo *h, const int *needed, MPI_Request *requests)
{
    for (int i = 0; i < h->out.n; i++)
        MPI_Irecv(h->rows + h->out.displs[i], h->out.counts[i], MPI_INT, h->out.ranks[i], 0,
                  h->comm, &requests[i]);
    for (int i = 0; i < h->in.n; i++)
        MPI_Isend(needed + h->in.displs[i], h->in.counts[i], MPI_INT, h->in.ranks[i], 0, h->comm,
                  &requests[h->out.n + i]);
    MPI_Waitall(h->out.n + h->in.n, requests, MPI_STATUSES_IGNORE);
}

/* An earlier block of the same values, or i itself. */
static int same_block(const halo *h, int i)
{
    const blocks *b = &h->out;
    size_t length = (size_t)b->counts[i] * sizeof *h->rows;

    for (int k = 0; k < i; k++)
        if (b->counts[k] == b->counts[i] &&
            memcmp(h->rows + b->displs[k], h->rows + b->displs[i], length) == 0)
            return k;
    return i;
}

/* What goes to several neighbors stands in the buffer once. */
static void share_blocks(halo *h)
{
    blocks *b = &h->out;

    b->values = 0;
    for (int i = 0; i < b->n; i++) {
        int same = same_block(h, i);
        if (same == i) {
            memmove(h->rows + b->values, h->rows + b->displs[i],
                    (size_t)b->counts[i] * sizeof *h->rows);
            b->displs[i] = b->values;
            b->values += b->counts[i];
        } else {
            b->displs[i] = b->displs[same];
        }
    }
}

static int fill(halo *h, const int *needed, int n, const int *first, int rank)
{
    MPI_Request *requests;

    place_blocks(h, needed, n, first);
    h->rows = malloc((size_t)h->out.values * sizeof *h->rows + 1);
    requests = malloc((size_t)(h->in.n + h->out.n) * sizeof *requests + 1);
    if (any_failed(!h->rows || !requests)) {
        free(requests);
        return -1;
    }
    exchange_indices(h, needed, requests);
    free(requests);
    for (int i = 0; i < h->out.values; i++)
        h->rows[i] -= first[rank];
    share_blocks(h);
    return 0;
}

int halo_make(halo *h, const int *needed, int n, const int *first)
{
    blocks owners;
    int p, rank, failed;

    *h = (halo){.comm = MPI_COMM_NULL};
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    failed = any_failed(find_owners(needed, n, first, p, &owners) != 0);
    if (!failed)
        failed = make_graph(&owners, rank, &h->comm);
    free(owners.ranks);
    if (!failed)
        failed = find_neighbors(h) || fill(h, needed, n, first, rank);
    if (failed)
        halo_free(h);
    return failed ? -1 : 0;
}

void halo_free(halo *h)
{
    if (h->comm != MPI_COMM_NULL)
        MPI_Comm_free(&h->comm);
    free(h->in.ranks);
    free(h->out.ranks);
    free(h->rows);
    *h = (halo){.comm = MPI_COMM_NULL};
}
