/* SPDX-License-Identifier: BSD-3-Clause */
/* edges.h - buffers, lists and types for a collective with a block for each edge of a graph. */
#ifndef TUTTI_TEST_EDGES_H
#define TUTTI_TEST_EDGES_H

#include "mpi/calls.h"
#include "mpi/graphs.h"

/* What is in the lists. */
typedef struct edges_form {
    bool equal;    /* all blocks are of one length; always where the collective demands it */
    int units;     /* of two ints: the longest block, or all of them; 0: no data */
    int types;     /* 0: MPI_INT; else with gaps, negative displacements, other extents, each block
                    or side another one */
    bool in_place; /* of alltoallw: what is sent lies in the receive buffer */
    enum {
        DISPLS_RELATIVE, /* some displacements are negative */
        DISPLS_ABSOLUTE, /* TYPED, where displacements are MPI_Aint: MPI_BOTTOM */
        DISPLS_IN_TYPES  /* TYPED: MPI_BOTTOM, addresses are in the types */
    } displs;
} edges_form;

typedef struct edges_side {
    coll_extent extent;
    char *memory;
    size_t bytes;
    int n, *counts, *displs; /* blocks */
    MPI_Count *large_counts;
    MPI_Aint *large_displs;
    MPI_Datatype *types; /* [n], and [0] of all of them where there is one */
} edges_side;

typedef struct edges {
    edges_side send, recv;
    bool in_place;
    call_args a;
} edges;

void edges_open(edges *e, const graph *g, coll_kind kind, edges_form form);
void edges_close(edges *e);

/* New data in the send buffer, poison in the other one; in place, the data in that one. */
void edges_fill(edges *e, const graph *g, int turn);

/* The program forgets its arguments: types are freed, lists overwritten. */
void edges_spoil(edges *e);

/* Does every byte of the receive buffer, the gaps too, hold what is expected? */
bool edges_right(const edges *e, const char *expected);

/* The receive buffer, copied. */
char *edges_copy(const edges *e);

/* The blocking collective, by somebody else. */
typedef int edges_reference(const graph *g, coll_kind kind, const call_args *a);

/* One: what MPI-4.1 says in 8.6, in messages. On a Cartesian topology what leaves on one side of a
 * dimension arrives on the other side of the neighbor; in graphs messages match in the order of the
 * lists. Natively not all versions do this where a neighbor is there more than once. */
edges_reference edges_by_messages;

/* Every call of the kind, blocking, non-blocking and persistent, against it. */
void edges_check(const graph *g, coll_kind kind, edges_form form, edges_reference *reference);

#endif
