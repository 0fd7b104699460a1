/* coll.h - one collective call as plain values.
 *
 * What a compile function and the selection may know about a call. No MPI types, no addresses:
 * so schedules can be compiled, simulated and drawn in a process without MPI.
 *
 * Counts are in elements of the space they describe. What an element is, is decided by whoever
 * binds the schedule: for a regular collective one element is a whole block (so one schedule
 * serves every count), for a v-collective it is one element of the send or receive type.
 */
#ifndef TUTTI_COLL_H
#define TUTTI_COLL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum coll_kind {
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_KINDS
} coll_kind;

/* How a message of several blocks travels: whole (few messages: small blocks), or block by
 * block (a block goes on as soon as it is there: large blocks). */
typedef enum coll_form { FORM_STEP, FORM_BLOCK } coll_form;

/* Reordered algorithms: how the blocks come to lie in the order of the ranks. */
typedef enum coll_order {
    ORDER_PLACE,      /* every block is received at its place */
    ORDER_INITCOMM,   /* blocks are exchanged before */
    ORDER_ENDSHUFFLE, /* all are copied afterwards */
    ORDERS
} coll_order;

typedef struct coll {
    coll_kind kind;
    int p, rank;
    bool in_place; /* what I send is already in RECV, at its place; SEND is not used */
    int parameter; /* of algorithms that have one, see algo.h */
    int variant;   /* the same; 0: the usual one */
    coll_order order;

    /* SEND. allgather(v): length of my block; alltoall: length of every block */
    int64_t sendcount;
    const int64_t *sendcounts; /* alltoallv: length of the block for each rank, [p], borrowed */
    const int64_t *senddispls; /* alltoallv: its offset in SEND, [p], borrowed */

    /* RECV */
    int64_t count;         /* allgather, alltoall: length of every block */
    const int64_t *counts; /* v: length of each rank's block, [p], borrowed */
    const int64_t *displs; /* v: its offset in RECV, [p], borrowed */
} coll;

/* "allgather", "alltoallv", ...: the name used in options, environment and messages. */
const char *coll_kind_name(coll_kind kind);

/* Has each rank counts of its own? */
bool coll_is_v(coll_kind kind);

/* "place", "initcomm", "endshuffle". */
const char *coll_order_name(coll_order order);

/* The order of that name, or ORDERS. */
coll_order coll_order_find(const char *name);

/* The kind of that name, or COLL_KINDS. */
coll_kind coll_kind_find(const char *name);

#endif
