/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - the way of every collective call: check, choose, plan, bind, run, start or init. */
#ifndef TUTTI_CALL_H
#define TUTTI_CALL_H

#include "api/choose.h"
#include "api/native_call.h"

#include <stddef.h>
#include <string.h>
#include <tutti.h>

/* Run the call to its end; or start it as a non-blocking operation; or make a persistent request of
 * it. Errors go through the communicator's handler and are returned. */
int call_run(const args *a);
int call_start(const args *a, MPI_Request *request);
int call_init(const args *a, MPI_Info info, MPIX_Request *request);

/* The same for libtutti_mpi.so: device memory is served (staging.h). Unless left->native is
 * CALL_OURS nothing has been done, and the MPI's own call is to be made, on all ranks. What does
 * not block is left only on a new communicator. left: NULL, or CALL_OURS; NULL: never left. */
int call_run_unless_native(const args *a, call_left *left);
int call_start_unless_native(const args *a, MPI_Request *request, call_left *left);
int call_init_staged(const args *a, MPI_Info info, MPIX_Request *request);

/* ---- parts of all of them ---- */

/* How a call is served. */
typedef struct way_of_call {
    bool may_block;
    bool may_leave;     /* the MPI may serve it */
    bool may_leave_new; /* the MPI may serve it if the communicator is new */
    bool stages;        /* device memory is served */
    bool only_known;    /* if no earlier call was like it (repeat.h) nothing is done */
    call_native native; /* whether the MPI serves it, and why */
    bool anew;          /* no earlier call was like it */
    comm_tried *tried;  /* by it the ranks see who is faster (try_both.h); or NULL */
    coll_bytes bytes;
    int refused;    /* of an init: the error of a buffer in device memory, which is sent to all */
    staged *staged; /* host copies of device memory, or NULL; ours */
    args host;      /* if so, the arguments; last */
} way_of_call;

/* A way on which nothing is given or set yet. `host` is left out: it is long, and seldom used. */
static inline void call_way(way_of_call *way)
{
    memset(way, 0, offsetof(way_of_call, host));
}

/* An error of the call goes through the communicator's handler, with the name of the function that
 * the program has called: of_mpi: MPI_Allreduce, which libtutti_mpi.so serves. */
int call_raise(const args *a, stats_form form, bool of_mpi, const comm *c, int error);

/* The communicator's state, attached if need be. */
int call_enter(const args *a, comm **c);

/* The algorithm. Where `auto` wants to know where the ranks are, the call waits for it. */
int call_choose(const call *c, MPI_Info info, selection *result);

/* Device memory, of which this rank alone knows: *a becomes way->host if it is served. */
int call_stage(const args **a, comm *c, way_of_call *way);

/* Everything up to a bound exec, unless the call is left to the MPI; nothing has been sent. way:
 * the first five fields are given, the others are set. */
int call_prepare(const args *a, comm *c, way_of_call *way, exec **e);

#endif
