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

/* Tuning: the shortest length that is tried, as it is the shortest that may be read; and turns of
 * each. */
enum { SHORTEST = 4096, TURNS = 31 };

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

/* A message from rank 0, copied and read, and an answer. */
typedef struct ways {
    MPI_Comm comm;
    int rank;
    size_t bytes;
    char *buffer;
    MPIX_Request copied, read, answer;
} ways;

static MPIX_Request make(const ways *w, size_t bytes, int from)
{
    MPIX_Request request;

    MPIX_Bcast_binomial_init(w->buffer, (int)bytes, MPI_BYTE, from, w->comm, MPI_INFO_NULL,
                             &request);
    return request;
}

/* The root writes its data anew: it is in no cache of the other's. */
static double time_one(ways *w, MPIX_Request *message, int turn)
{
    double begin;

    if (w->rank == 0)
        memset(w->buffer, turn, w->bytes);
    turns_run(&w->answer);
    begin = MPI_Wtime();
    turns_run(message);
    turns_run(&w->answer);
    return MPI_Wtime() - begin;
}

static double best_of(ways *w, MPIX_Request *message, int turn)
{
    double best = HUGE_VAL;

    for (int i = 0; i < TRIES; i++)
        best = smaller(best, time_one(w, message, turn + i));
    return best;
}

/* Is it slower copied? Rank 0 knows. */
static int is_slower(ways *w, int *turns)
{
    double copied[TURNS], read[TURNS], begin = MPI_Wtime();
    int n = 0, slower;

    for (; n < TURNS && turns_again(w->comm, n, begin); n++) {
        copied[n] = best_of(w, &w->copied, n);
        read[n] = best_of(w, &w->read, n);
    }
    slower = turns_figure(copied, n, n).value > turns_figure(read, n, n).value;
    MPI_Bcast(&slower, 1, MPI_INT, 0, w->comm);
    *turns = n;
    return slower;
}

/* Requests of one length at a time: each has a ring of its own while there is memory for it. */
static int is_slower_copied(ways *w, int *turns)
{
    int slower;

    tune_node_eager(w->comm, never);
    w->answer = make(w, 1, 1);
    w->copied = make(w, w->bytes, 0);
    tune_node_eager(w->comm, 0);
    w->read = make(w, w->bytes, 0);
    slower = is_slower(w, turns);
    MPIX_Request_free(&w->answer);
    MPIX_Request_free(&w->copied);
    MPIX_Request_free(&w->read);
    return slower;
}

figure measure_reads(MPI_Comm comm, size_t longest)
{
    ways w = {.comm = comm, .bytes = SHORTEST, .buffer = tune_allocate(longest)};
    int turns = 0;
    double bytes;

    MPI_Comm_rank(comm, &w.rank);
    while (2 * w.bytes <= longest)
        w.bytes *= 2;
    while (w.bytes >= SHORTEST && is_slower_copied(&w, &turns))
        w.bytes /= 2;
    bytes = w.bytes < SHORTEST ? 0 : (double)w.bytes;
    free(w.buffer);
    return (figure){.value = bytes, .low = bytes, .high = bytes, .n = turns, .turns = turns};
}
