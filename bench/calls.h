/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h - one collective operation, called in one way: what tutti-bench measures.
 *
 * A way is an algorithm and a form: "ring" is Tutti's ring in the form of the subcommand,
 * "ring_init" its persistent form whatever the subcommand, "native_i" the MPI's own non-blocking
 * call. The table:
 *
 *   native   the MPI's own call (PMPI_: never a wrapper)
 *   mpi      what the program's MPI_ name is linked to: under libtutti_mpi.so its wrapper
 *   hand     the messages that a programmer would write (hand.c); plain ones or persistent ones
 *            (hand_init)
 *   <name>   Tutti, every row of entries.def; with words (lane:ring+block) through the
 *            info key tutti_algorithm, or as a hint of a communicator of its own
 *
 * Forms: "" blocking, "_i" non-blocking and waited for, "_init" started and waited for, "_thread"
 * as _i with Tutti's progress thread.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "nbc/sched/coll.h"

#include <mpi.h>
#include <stdbool.h>
#include <tutti.h>

typedef enum form { BLOCKING, NONBLOCKING, PERSISTENT, THREADED, FORMS } form;

enum { TORUS_NEIGHBORS = 4 }; /* of the torus on which neighborhood collectives run */

/* What one way works with. All ways share the buffers: none has warmer caches. */
typedef struct run {
    coll_kind what;
    int p, rank; /* of comm */
    int blocks;  /* of a side that has one for each rank, or neighbor */
    int size;    /* bytes of a block */
    int count;   /* elements of a block, of `type` */
    MPI_Datatype type;
    char *send, *recv;     /* see buffers.h */
    int *counts, *displs;  /* [blocks]: for v-collectives, all blocks of one size, in elements */
    MPI_Aint *byte_displs; /* the same as displs, in bytes */
    MPI_Datatype *types;   /* [blocks]: the type of each */
    int root;
    MPI_Op op;                      /* of reductions */
    int neighbors[TORUS_NEIGHBORS]; /* of comm, where the collective has them */
    MPI_Comm comm;
    const char *words; /* name for info and hints, or NULL */
    const char *named; /* the name without the form */
    MPI_Request native;
    MPIX_Request tutti;
    struct hand *hand;      /* calls_hand.c */
    struct mock *mock;      /* mocks_inside.h */
    int lanes, node, first; /* lanes.c: k, the ranks of a node, mine among them */
} run;

/* Each returns an MPI error class; one that is missing does nothing. Blocking: all in `start`. */
typedef struct way {
    int (*open)(run *r);  /* before the first start; collective */
    int (*enter)(run *r); /* before each repetition, outside its time */
    int (*start)(run *r);
    int (*progress)(run *r);
    int (*wait)(run *r);
    int (*leave)(run *r); /* after it */
    void (*close)(run *r);
    void (*took)(run *r, char *text, size_t size); /* the algorithm that ran; before close */
    bool own_comm; /* r->comm has to be the way's own, with r->words as hint */
} way;

/* Blocks of a side, of which there is one for each of n ranks or neighbors: 0, 1 or n. */
int extent_blocks(coll_extent e, int n);

/* What this rank sends and receives. */
coll_sides run_sides(const run *r);

const char *form_suffix(form f);

/* "ring", "sparbit:block", "native", "mpi", "hand" without suffix. False: no such name (or not of
 * this collective, or not in this form). */
bool calls_find(coll_kind c, const char *name, form f, way *result);

/* All names of Tutti's algorithms for a collective, one after the other; NULL at the end. */
const char *calls_algorithm(coll_kind c, int i);

/* The parts of the table. */
bool calls_find_native(coll_kind c, const char *name, form f, way *result);
bool calls_find_hand(form f, way *result);
bool calls_find_tutti(coll_kind c, const char *name, form f, way *result);

/* For the parts (calls_wait.c): wait for and test r->native. */
int calls_wait_native(run *r);
int calls_test_native(run *r);

#endif
