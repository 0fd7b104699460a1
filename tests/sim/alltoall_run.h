/* alltoall_run.h - one alltoall or alltoallv of all ranks, compiled, executed and checked. */
#ifndef TUTTI_ALLTOALL_RUN_H
#define TUTTI_ALLTOALL_RUN_H

#include "algos/algo.h"
#include "sim/sim.h"

typedef struct alltoall_run {
    const algo *a;
    coll_kind kind;
    int p, count, parameter, variant;
    const topo *topo;  /* or NULL */
    const char *shape; /* what topo is, for people */
    bool in_place;
    sim_sends sends;
    uint64_t seed;
    sim_traffic *traffic; /* see sim.h */
    void *context;

    /* made and freed by alltoall_run_do */
    int64_t *counts;              /* [p * p]: from i to j at i * p + j */
    int64_t *out_displs, *displs; /* [p * p]: at i * p + j: for, from rank j in i's buffers */
    int64_t *recv_counts;         /* [p * p]: the transposed counts */
    int64_t length;               /* of every buffer, gaps included */
    uint16_t **send, **recv, **scratch;
    sim_rank *ranks;
} alltoall_run;

/* The blocks of an alltoallv are unequal, some of them empty, with gaps, and not in the order of
 * the ranks. Schedules are checked, every byte of every receive buffer is compared; what is wrong
 * fails the test. */
sim_result alltoall_run_do(alltoall_run t);

/* Fail the test; names the run. */
void alltoall_run_fail(const alltoall_run *t, const char *what);

#endif
