/* SPDX-License-Identifier: BSD-3-Clause */
/* native.h - is the MPI's own blocking call as fast as ours? Pure, and the same on every machine.
 *
 * Which algorithm an MPI takes depends on its version, its settings and its site, so nobody asks
 * for its rules: at best it takes the fastest of those that MPIs are made of, which send to fixed
 * ranks wherever these are, with its own messages (constants: mpi). What is faster than that is a
 * gain.
 */
#ifndef TUTTI_NATIVE_H
#define TUTTI_NATIVE_H

#include "tune/mpi_version.h"
#include "tune/planner.h"

/* Picoseconds. */
typedef struct native_times {
    int64_t ours, native;
} native_times;

/* Is the MPI known to get such calls wrong, however rarely: with types of which no other rank
 * knows? Then none is to be left to it. */
bool native_errs(const coll *c, int64_t bytes, const mpi_version *mpi);

/* Is such an MPI known to get blocking or non-blocking calls of the collective wrong on a
 * communicator of one process? */
bool native_errs_alone(coll_kind kind, const mpi_version *mpi);

/* What `auto` takes for the call, and at best an MPI of that family: MPICH also has algorithms by
 * leaders of nodes, of broadcast, allreduce, reduce, barrier and scan. As planner_choose, but of
 * two ranks, too. Where no rank knows the sizes of another, both as if every block had NATIVE_BLOCK
 * bytes. chosen: what planner_choose has found, or NULL. Returns as planner_best. */
enum { NATIVE_BLOCK = 1024 };
int native_estimate(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                    const constants *k, mpi_family mpi, const forecast *chosen,
                    native_times *result);

/* A gain is what is more than one part in twenty. */
static inline bool native_gains(const native_times *t)
{
    return t->ours < t->native - t->native / 20;
}

#endif
