/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - the way of every collective call: check, choose, plan, bind, run, start or init. */
#ifndef TUTTI_CALL_H
#define TUTTI_CALL_H

#include "api/args.h"
#include "api/native_call.h"

#include <tutti.h>

/* Run the call to its end; or start it as a non-blocking operation; or make a persistent request of
 * it. Errors go through the communicator's handler and are returned. */
int call_run(const args *a);
int call_start(const args *a, MPI_Request *request);
int call_init(const args *a, MPI_Info info, MPIX_Request *request);

/* call_run; but unless *native is CALL_OURS nothing has been done, and the MPI's own call is to be
 * made, on all ranks. */
int call_run_unless_native(const args *a, call_native *native);

#endif
