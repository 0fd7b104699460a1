/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h - every call of every collective, from the tables, through one interface.
 *
 * A call_args holds all that any collective takes; a call_set the blocking, non-blocking and
 * persistent function of one algorithm (or of the MPI), each for int and for large counts. With
 * PLAIN defined (a program that knows nothing of Tutti) the calls are those of the MPI.
 */
#ifndef TUTTI_TEST_CALLS_H
#define TUTTI_TEST_CALLS_H

#include "mpi/mpi_test.h"
#include "mpi/reductions.h"
#include "nbc/sched/coll.h"

#ifdef PLAIN
#include "mpi/plain.h"
typedef MPI_Request persistent;
#define PERSISTENT_NULL  MPI_REQUEST_NULL
#define persistent_start MPI_Start
#define persistent_wait  MPI_Wait
#define persistent_test  MPI_Test
#define persistent_free  MPI_Request_free
#else
#include <tutti.h>
typedef MPIX_Request persistent;
#define PERSISTENT_NULL  MPIX_REQUEST_NULL
#define persistent_start MPIX_Start
#define persistent_wait  MPIX_Wait
#define persistent_test  MPIX_Test
#define persistent_free  MPIX_Request_free
#endif

/* Counts and displacements of every rank, in both widths; and types. */
typedef struct call_list {
    const int *narrow_counts, *narrow_displs;
    const MPI_Count *large_counts;
    const MPI_Aint *large_displs;
    const MPI_Datatype *types;
} call_list;

/* One block or equal blocks: count. Listed: list. A collective with one count and one type for both
 * sides takes those of recv; one whose sent blocks have lengths, those too. */
typedef struct call_side {
    void *buffer;
    MPI_Datatype type;
    MPI_Count count;
    call_list list;
} call_side;

typedef struct call_args {
    call_side send, recv;
    int root;
    MPI_Op op;
    MPI_Comm comm;
} call_args;

typedef void call_function(void);

typedef struct call_set {
    coll_kind kind;
    const char *algorithm;
    call_function *run[2], *start[2], *init[2]; /* [1]: large counts; NULL where there is none */
} call_set;

extern const call_set call_sets[];
extern const int call_set_count;

/* Does blocks.h make data for it? Blocks with types of their own, and neighbors, get tests of their
 * own. */
bool calls_are_general(coll_kind kind);

/* What the arguments of a rank mean; in_place: there. Restated here, not asked of the library. */
coll_sides calls_sides(coll_kind kind, int rank, int root, bool in_place);

/* Does the algorithm look at the topology? Restated here. */
bool calls_are_regional(const call_set *s);

/* Is it general, and does the algorithm serve p ranks, and this operation (or NULL)? Restated here,
 * not asked of the library. */
bool calls_serve(const call_set *s, int p, const reduction *r);

/* The i-th algorithm of a collective, without those that do not serve p ranks; all in turn. */
const call_set *calls_find(coll_kind kind, int i, int p);

/* n ints in each block of an allgather or alltoall. */
call_args calls_ints(const void *send, int n, void *recv, MPI_Comm comm);

int calls_run(const call_set *s, bool large, const call_args *a);
int calls_start(const call_set *s, bool large, const call_args *a, MPI_Request *request);
int calls_init(const call_set *s, bool large, const call_args *a, MPI_Info info, persistent *p);

/* The blocking collective of the MPI itself. */
int calls_native(coll_kind kind, const call_args *a);

#endif
