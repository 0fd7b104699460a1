/* SPDX-License-Identifier: BSD-3-Clause */
/* no_memory_calls.h - the calls that test_no_memory.c makes while memory runs out on one rank, and
 * what must come out of them.
 */
#ifndef TUTTI_NO_MEMORY_CALLS_H
#define TUTTI_NO_MEMORY_CALLS_H

#include "failing_malloc.h"
#include "mpi/mpi_test.h"

#include <tutti.h>

enum { TESTED_MOST = 20000, POOR_RANK = 1 }; /* POOR_RANK: whose memory runs out */

extern int *tested_from, *tested_to;
extern MPI_Datatype tested_holes; /* one int, and a hole */

/* One collective with all its forms. */
typedef struct tested_call {
    const char *name;
    int (*run)(int n, MPI_Comm comm);
    int (*start)(int n, MPI_Comm comm, MPI_Request *r);
    int (*init)(int n, MPI_Comm comm, MPI_Info info, MPIX_Request *r);
    int (*expected)(int i, int n); /* in to[i] */
    int blocks;                    /* of n items; 0: world_size */
} tested_call;

extern const tested_call tested_sum, tested_gather, tested_exchange, tested_halo;

/* Before a call, and after it. */
void tested_fill(void);
void tested_check(const tested_call *c, int n);

/* The n-th allocation from now on fails, on one rank. */
void memory_runs_out(long n);

bool on_any_rank(bool here);

#endif
