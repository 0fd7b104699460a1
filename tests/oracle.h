/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.h - what a collective must do, item by item and by formula. Knows no MPI and no
 * algorithm: the simulator's tests and those on MPI compare with the same functions.
 *
 * An item is a number of 64 bits. Block k of what rank `me` receives is what came from rank k, or,
 * of a vector, block 0.
 */
#ifndef TUTTI_ORACLE_H
#define TUTTI_ORACLE_H

#include "nbc/sched/coll.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct oracle {
    coll_kind kind;
    int p, root;
    bool noncommutative; /* REDUCES: the operation is oracle_compose, else oracle_add */
    int turn;            /* different data in each */
} oracle;

/* Item i of what rank `from` sends to rank `to`; of what it sends at all, if that is one block: to
 * is 0 then. Where there is no send side the root has these items in its receive buffer. */
uint64_t oracle_sent(const oracle *o, int from, int to, int64_t i);

/* Item i of the block that rank `me` must have received. */
uint64_t oracle_received(const oracle *o, int me, int block, int64_t i);

/* Do all ranks receive the same? */
bool oracle_is_common(coll_kind kind);

/* One for each family: a row of collectives.def without one does not compile. */
uint64_t oracle_allgather(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_alltoall(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_barrier(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_bcast(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_allreduce(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_gather(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_scatter(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_reduce(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_reduce_scatter(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_scan(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_neighbor_alltoall(const oracle *o, int me, int block, int64_t i);
uint64_t oracle_exscan(const oracle *o, int me, int block, int64_t i);

/* inout[i] = in[i] op inout[i]. Add: modulo 2^64. Compose: the affine map x -> a x + b modulo
 * 2^32 - 5, a in the upper and b in the lower half, after the other one: associative, and in any
 * other order of the operands the result is another one. */
void oracle_add(const uint64_t *in, uint64_t *inout, int64_t n);
void oracle_compose(const uint64_t *in, uint64_t *inout, int64_t n);

#endif
