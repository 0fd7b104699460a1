/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_reads.c - from which length on a message inside a node is read from its sender's memory
 * rather than copied into shared memory (the hint tutti_node_eager). See tune_measure.h.
 */
#include "tune_turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double never = 1e15; /* bytes: all are copied */

/* Lengths that are tried, from the shortest that may be read on, each twice the one before. */
enum { SHORTEST = 4096, LENGTHS = 9 };

void tune_node_eager(MPI_Comm comm, double bytes)
{
    char text[32];
    MPI_Info info;

    snprintf(text, sizeof text, "%.0f", bytes);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_node_eager", text);
    tutti_comm_set_hints(comm, info);
    MPI_Info_free(&info);
}

/* A message of each length from rank 0, copied and read, and an answer. */
typedef struct ways {
    MPI_Comm comm;
    int rank, n;
    size_t bytes[LENGTHS];
    char *buffer;
    MPIX_Request copied[LENGTHS], read[LENGTHS], answer;
    double took[LENGTHS][2][TURNS_MOST]; /* seconds there and back: copied, read */
} ways;

static MPIX_Request make(ways *w, size_t bytes, int from)
{
    MPIX_Request request;

    MPIX_Bcast_binomial_init(w->buffer, (int)bytes, MPI_BYTE, from, w->comm, MPI_INFO_NULL,
                             &request);
    return request;
}

static void make_all(ways *w, size_t longest)
{
    for (size_t bytes = SHORTEST; bytes <= longest && w->n < LENGTHS; bytes *= 2)
        w->bytes[w->n++] = bytes;
    tune_node_eager(w->comm, never);
    w->answer = make(w, 1, 1);
    for (int i = 0; i < w->n; i++)
        w->copied[i] = make(w, w->bytes[i], 0);
    tune_node_eager(w->comm, 0);
    for (int i = 0; i < w->n; i++)
        w->read[i] = make(w, w->bytes[i], 0);
}

/* The root writes its data anew: it is in no cache of the other's. */
static double time_one(ways *w, MPIX_Request *message, size_t bytes, int turn)
{
    double begin;

    if (w->rank == 0)
        memset(w->buffer, turn, bytes);
    turns_run(&w->answer);
    begin = MPI_Wtime();
    turns_run(message);
    turns_run(&w->answer);
    return MPI_Wtime() - begin;
}

static double best_of(ways *w, MPIX_Request *message, size_t bytes, int turn)
{
    double best = HUGE_VAL;

    for (int i = 0; i < TRIES; i++)
        best = smaller(best, time_one(w, message, bytes, turn + i));
    return best;
}

static int take_turns(ways *w)
{
    double begin = MPI_Wtime();
    int n = 0;

    for (; turns_again(w->comm, n, begin); n++)
        for (int i = 0; i < w->n; i++) {
            w->took[i][0][n] = best_of(w, &w->copied[i], w->bytes[i], n);
            w->took[i][1][n] = best_of(w, &w->read[i], w->bytes[i], n);
        }
    return n;
}

/* The longest of the lengths that is not slower copied. 0: none is. */
static double longest_copied(ways *w, int turns)
{
    for (int i = w->n - 1; i >= 0; i--) {
        double copied = turns_figure(w->took[i][0], turns, turns).value;
        double read = turns_figure(w->took[i][1], turns, turns).value;
        if (copied <= read)
            return (double)w->bytes[i];
    }
    return 0;
}

figure measure_reads(MPI_Comm comm, size_t longest)
{
    ways *w = tune_allocate(sizeof *w);
    figure f = {0};
    double bytes;

    w->comm = comm;
    MPI_Comm_rank(comm, &w->rank);
    w->buffer = tune_allocate(longest);
    make_all(w, longest);
    f.turns = take_turns(w);
    bytes = longest_copied(w, f.turns);
    MPI_Bcast(&bytes, 1, MPI_DOUBLE, 0, comm);
    f = (figure){.value = bytes, .low = bytes, .high = bytes, .n = f.turns, .turns = f.turns};
    MPIX_Request_free(&w->answer);
    for (int i = 0; i < w->n; i++) {
        MPIX_Request_free(&w->copied[i]);
        MPIX_Request_free(&w->read[i]);
    }
    free(w->buffer);
    free(w);
    return f;
}
