/* estimate.h - how long a collective takes: the schedules of all ranks, executed on a machine that
 * is described by a few constants. Pure, and the same on every machine: times are whole numbers.
 *
 * What takes time, one thing after the other at each of them:
 *
 *   a rank's processor    each message at its end, COPY, REDUCE
 *   a node's memory       all messages between its ranks
 *   a node's links        all messages that leave it, and all that enter it
 *
 * A message is no faster than its own bandwidth, and begins when its send is begun; a long one when
 * its receive is, too. Who comes first is served first.
 */
#ifndef TUTTI_ESTIMATE_H
#define TUTTI_ESTIMATE_H

#include "topo/topo.h"
#include "tune/constants.h"
#include "tune/stepgraph.h"

/* Picoseconds. */
typedef struct estimate {
    int64_t time;                       /* until the last rank has done its last step */
    int64_t processor, memory, out, in; /* work of the rank, or node, that has most of it */
} estimate;

/* bytes: of an element, or of a vector that is cut (sched_cut). t: where the ranks are; NULL: on
 * one node. False: out of memory. */
bool estimate_find(const stepgraph *g, int64_t bytes, const topo *t, const constants *k,
                   estimate *result);

#endif
