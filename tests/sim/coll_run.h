/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_run.h - one collective of all ranks, compiled, executed and checked: any row of
 * collectives.def with any row of algos.def that serves it.
 *
 * Items are numbers of 64 bits. What an element is, is as the library binds it: a whole block where
 * blocks are equal, so that one schedule serves every count; an item where they are listed; a part
 * of a vector that is cut.
 */
#ifndef TUTTI_COLL_RUN_H
#define TUTTI_COLL_RUN_H

#include "algos/algo.h"
#include "critical_path.h"
#include "sim/sim.h"

typedef struct coll_run {
    const algo *a;
    coll_kind kind;
    coll_form form;
    int p;
    int count; /* items of a block, or of the vector. Listed blocks are unequal: up to about twice
                  as long, some of them empty, in another order than the ranks, with gaps */
    int root, parameter, variant;
    coll_order order;
    bool in_place;
    bool noncommutative; /* REDUCES: with an operation that does not commute */
    bool bits;         /* REDUCES: the operation is not associative. Whatever the result is, it must
                          be the same on all ranks, and for all kinds of sends. It may be
                          noncommutative, too */
    bool packs;        /* see coll.h */
    bool user_op;      /* REDUCES: an operation of the program, which sees whole vectors */
    const topo *topo;  /* or NULL */
    const char *shape; /* what topo is, for people */
    const int *part;   /* [p], or NULL: ranks of the same part do it among themselves. Root: the
                          index in each part, which wraps around */
    int finer;         /* of a vector, with part: see split.h; 0: 1 */
    bool thorough;     /* check the schedules of all ranks by brute force, not of some */
    sim_sends sends;
    uint64_t seed;
    sim_traffic *traffic; /* see sim.h */
    void *context;
    uint64_t *digest;    /* or NULL; vectors, and sums that are scattered: of what each rank has
                            received in the end */
    critical_path *path; /* or NULL: what the schedules take with one message at a time on a port */
} coll_run;

/* Every byte of every receive buffer is compared; what is wrong fails the test, by the run's name.
 * A collective without data is proven to hold back everybody until the last rank has begun. Returns
 * what the run cost. */
sim_result coll_run_do(coll_run t);

/* The same for several counts, each with so many kinds of sends (SIM_SENDS: all), which begin with
 * the run's and take turns. Schedules are compiled again only where lengths of listed blocks, or
 * blocks of nothing, ask for it. */
void coll_run_many(coll_run t, const int *counts, int n, int sends);

/* Can the algorithm serve this call (of the fields up to part)? */
bool coll_run_fits(const coll_run *t);

/* Fail the test; names the run. */
void coll_run_fail(const coll_run *t, const char *what);

#endif
