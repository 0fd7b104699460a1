/* gather_run.h - one allgather or allgatherv of all ranks, compiled, executed and checked. */
#ifndef TUTTI_GATHER_RUN_H
#define TUTTI_GATHER_RUN_H

#include "algos/algo.h"
#include "sim/sim.h"

typedef struct gather_run {
    const algo *a;
    coll_form form;
    coll_kind kind;
    int p, count, variant;
    coll_order order;
    const topo *topo;  /* or NULL */
    const char *shape; /* what topo is, for people */
    bool in_place;
    sim_sends sends;
    uint64_t seed;
    sim_traffic *traffic; /* see sim.h */
    void *context;

    /* made and freed by gather_run_do */
    int64_t *counts, *displs; /* [p] */
    int64_t length;           /* of RECV, gaps included */
    uint16_t **send, **recv, **scratch;
    sim_rank *ranks;
} gather_run;

/* The blocks of an allgatherv are unequal, some of them empty, with gaps, and not in the order of
 * the ranks. Schedules are checked, every byte of every receive buffer is compared; what is wrong
 * fails the test. */
sim_result gather_run_do(gather_run t);

/* Fail the test; names the run. */
void gather_run_fail(const gather_run *t, const char *what);

#endif
