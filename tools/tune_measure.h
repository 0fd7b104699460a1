/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_measure.h - how long copies, reductions and messages take here: what tutti-tune measures.
 *
 * Messages are those of Tutti's persistent requests, so each goes the way that Tutti sends it:
 * through the shared memory of a node, or through the MPI; or they are plain ones of the MPI's own.
 * All kinds of a measurement take turns, short ones are tried three times in each, of which the
 * shortest counts. A figure is the median of the quickest quarter of the turns: what a busy machine
 * does to them only makes them longer. How many turns there are is bounded by work and by time, and
 * there are always some.
 */
#ifndef TUTTI_TUNE_MEASURE_H
#define TUTTI_TUNE_MEASURE_H

#include "tune/constants.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Median and quartiles of n of the turns. n == 0: not measured. */
typedef struct figure {
    double value, low, high;
    int n, turns;
} figure;

/* Bytes per second of one core. */
void measure_local(figure *copy, figure *reduce);

/* `longest`: of the messages that bandwidth was found with. `reads`: those longer than `eager` are
 * read from their senders' memory. */
typedef struct pair_figures {
    figure latency, overhead, bandwidth, eager;
    double longest;
    bool reads;
} pair_figures;

/* Messages of ours inside a node, and between nodes; of the MPI's own inside a node. */
typedef enum pair_way { PAIR_NODE, PAIR_NETWORK, PAIR_MPI } pair_way;

/* Messages from rank 0 to rank 1 of a communicator of two, and short answers; the result is
 * rank 0's. Both call it. */
pair_figures measure_pair(MPI_Comm pair, pair_way way, size_t longest);

/* Each rank to the next one; rank i of the first half to rank i of the second; and that to it, too.
 */
typedef enum together_way { TOGETHER_RING, TOGETHER_THERE, TOGETHER_BOTH } together_way;

/* Bytes per second of all messages together, of BOTH those of one direction. They are as long as
 * `longest`. All ranks call it. */
figure measure_together(MPI_Comm comm, together_way way, size_t longest);

/* Inside a node: the longest message, in powers of two up to `longest`, that is not slower copied
 * into shared memory than read from its sender's memory; 0: all are. Of a communicator of two; the
 * result is the same on both. Messages that are made later go by what tune_node_eager says. */
figure measure_reads(MPI_Comm pair, size_t longest);
void tune_node_eager(MPI_Comm comm, double bytes);

/* All ranks of a node: on how many processors they may run; and if these are fewer, seconds of a
 * sum of 8 bytes by all. By these, and by what a message costs alone, how long a turn is. */
int measure_cores(MPI_Comm comm);
figure measure_crowd(MPI_Comm comm);
figure tune_turn(const constants *k, int ranks, figure sums);

/* Out of memory: the job ends. Zeroed, so that its pages are there. */
void *tune_allocate(size_t bytes);

#endif
