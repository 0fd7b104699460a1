/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.h - how long a collective takes: the schedules of all ranks, executed on a machine that
 * is described by a few constants. Pure, and the same on every machine: times are whole numbers.
 *
 * What takes time:
 *
 *   a rank's processor    each message at its end, packing, COPY, REDUCE; one after the other
 *   a node's memory       shared by all messages between its ranks, see link.h
 *   a node's links        shared by all messages that leave it, and by all that enter it
 *
 * A message begins when its send is begun, a long one when its receive is, too. It passes the links
 * of both nodes at once, and has come when the slower one has let it through. Messages from one
 * rank to another pass one after the other; long ones that pass both directions of a node's links
 * are slower (network.both).
 *
 * Constants of ranks that share cores (constants_shared): a rank that has nothing to do gives its
 * core away, and gets one after a turn; its core copies what comes from its node. So it is unless
 * the graph is folded, or there are more than 32 cores, or 300 ranks: then all ranks are as slow as
 * if all were at work, which these constants say by themselves.
 */
#ifndef TUTTI_ESTIMATE_H
#define TUTTI_ESTIMATE_H

#include "topo/topo.h"
#include "tune/constants.h"
#include "tune/step_time.h"
#include "tune/stepgraph.h"

/* Picoseconds. */
typedef struct estimate {
    int64_t time;                       /* until the last rank has done its last step */
    int64_t processor, memory, out, in; /* work of the rank, or node, that has most of it */
    int64_t cores;                      /* the same of a node's ranks, for each core that is given
                                           out; or 0 */
    int steps;                          /* that had ended by then */
    bool longer;                        /* it takes longer than `time`, and was given up */
} estimate;

/* count: items of an element, or of a vector that is cut (sched_cut); each is of `size` bytes. t:
 * where the ranks are; NULL: on one node. most: what takes longer is given up; ESTIMATE_ALL:
 * nothing is. False: out of memory, or ranks wait for each other, as they may where the graph is
 * folded. */
bool estimate_find(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                   const constants *k, int64_t most, estimate *result);

#define ESTIMATE_ALL INT64_MAX

/* Tuning: of more ranks than that all are as slow as if all were at work, and samples are executed
 * in place of them all (forecaster.h). */
enum { ESTIMATE_FEW = 300 };

/* Do so many ranks share cores on this machine, and are both few enough to give cores out? */
bool estimate_gives_cores(const constants *k, int p);

/* The same, and when each step of the graph happens: times[g->n], for pictures. */
bool estimate_watch(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                    const constants *k, step_time *times, estimate *result);

#endif
