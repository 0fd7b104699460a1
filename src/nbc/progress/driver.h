/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h - who calls the engine while the program is inside native MPI calls, and how a native
 * request for an exec is made.
 *
 *   async    MPICH 4.3 and later: MPIX_Async_start; every native MPI call advances the engine
 *   poll     MPICH: MPIX_Grequest_start; the Wait and Test families call our poll function
 *   hook     Open MPI: opal_progress_register; every native MPI call advances the engine
 *   thread   any MPI at MPI_THREAD_MULTIPLE: a thread of ours advances the engine
 *   manual   any MPI: tutti_progress() and the MPIX_ calls only
 */
#ifndef TUTTI_DRIVER_H
#define TUTTI_DRIVER_H

#include "nbc/run/exec.h"

#include <stdbool.h>

typedef struct driver {
    const char *name;
    const char *how;

    /* Begin to advance the engine. Returns NULL, or why that is impossible here. Either is NULL if
     * there is nothing to do. */
    const char *(*start)(void);
    void (*stop)(void);

    /* A native request that PMPI_Grequest_complete(e->native.request) completes. */
    int (*request)(exec *e, MPI_Request *request);
} driver;

/* Every driver of this build, the preferred first; NULL at the end. */
extern const driver *const driver_table[];

extern const driver driver_async, driver_poll, driver_hook, driver_thread, driver_manual;

/* The first driver that starts and passes the self-test: a small operation on process_self() must
 * complete through native MPI_Test. Or the one named `forced`, if not NULL; if that does not start
 * it is refused (env_refuse), and the first one counts. The reason also names the drivers that were
 * refused. */
int driver_choose(const char *forced, const driver **chosen, const char **reason);

/* The progress thread, whatever the driver. pu: see topo/pu.h. Starts are counted. when_needed: by
 * the first operation that outlives its call. runs_ops: it may call functions of MPI_Op_create. */
int driver_thread_start(int pu, bool when_needed, bool runs_ops);
int driver_thread_stop(void);
void driver_thread_end(void); /* MPI_Finalize has begun */

/* Advance this exec, and one other; NULL: all. The caller is in a native call, unless it says
 * otherwise. */
int driver_advance(exec *e);

/* A turn of the MPI's progress: advances the engine. Of MPICH's, under libtutti_mpi.so
 * (pmpi/progress.c): what it has advanced need not be polled again right after it. */
int driver_hook_turn(void);
void driver_poll_turn(void);

/* The same as long as operations run. False: nothing has run for 1000 turns (*idle counts them), so
 * the function that calls this may go. *n: what driver_hook_turn returns. */
bool driver_turn_while_needed(int *idle, int *n);

/* Around a blocking native call of ours: true if operations advance in it by the progress hook,
 * which is there for that time if the driver is another one; then *hooked. False: this MPI has no
 * such hook, and nothing has to be returned. */
bool driver_hook_add(bool *hooked);
void driver_hook_remove(bool hooked);

/* MPICH's extended generalized requests (MPIX_Grequest_start): the Wait and Test families call
 * `poll`. Does this MPI have them? Also without a driver that has been started. */
typedef int driver_poll_function(void *extra_state, MPI_Status *status);
bool driver_has_extended(void);
int driver_request_extended(exec *e, driver_poll_function *poll, MPI_Request *request);

/* driver.request of the driver poll. */
int driver_poll_request(exec *e, MPI_Request *request);

/* What the native MPI calls of generalized requests; extra_state is the exec. */
int driver_query(void *extra_state, MPI_Status *status);
int driver_free(void *extra_state);
int driver_cancel(void *extra_state, int complete);

/* The wait function of MPICH's extended requests: returns when all of them are complete. */
int driver_wait(int count, void **extra_states, double timeout, MPI_Status *status);

#endif
