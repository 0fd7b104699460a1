/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_exchange.h - neighbor_alltoallv of doubles on the graph of one level, by several ways.
 *
 * Ways: every form of Tutti's (linear, node:2, auto), persistent; `hand`, which is MPI_Irecv and
 * MPI_Isend for each neighbor and a wait for all; `native`, which is the MPI's blocking
 * MPI_Neighbor_alltoallv; and `native_init`, its persistent one. Each start has other values, and
 * all that come are looked at. A failure ends the program.
 */
#ifndef BENCH_HALO_EXCHANGE_H
#define BENCH_HALO_EXCHANGE_H

#include "stats.h"
#include "sync.h"

#include <mpi.h>
#include <stdint.h>
#include <tutti.h>

enum { EXCHANGE_NAME = 64, EXCHANGE_STARTS = 1000 /* at most */ };

/* What a rank sends, or receives. */
typedef struct exchange_side {
    int n, total; /* neighbors; values of all */
    int *rank, *count, *displ;
    double *values;
} exchange_side;

typedef struct exchange {
    int me, p, starts; /* set by the caller */
    sync_kind sync;
    exchange_side out, in;
    MPI_Comm graph;
    MPI_Request *posted; /* by hand */
    MPI_Request native;  /* native_init */
    MPIX_Request request;
} exchange;

typedef struct exchange_result {
    double init;              /* seconds, of the slowest rank */
    summary time;             /* of a start, from a common begin to the slowest rank's end */
    int64_t wrong;            /* values on all ranks */
    char took[EXCHANGE_NAME]; /* the algorithm of Tutti's that ran */
} exchange_result;

/* square: on rank 0 how many values each rank sends to each, which is changed; else NULL. All calls
 * are collective, on MPI_COMM_WORLD. */
void exchange_open(exchange *s, int *square);
void exchange_measure(exchange *s, const char *way, exchange_result *r);
void exchange_close(exchange *s);

/* Has the MPI a persistent MPI_Neighbor_alltoallv? */
bool exchange_has_native_init(void);

#endif
