/* call.h - a checked collective call on its way to a plan and an exec. */
#ifndef TUTTI_CALL_H
#define TUTTI_CALL_H

#include "nbc/comm.h"
#include "persistent/plan.h"
#include "tune/select.h"

#include <tutti.h>

/* Choose algorithm and form. requested: an index in algo_table, or ALGO_NONE for `auto`, which
 * looks at info, then at the environment, then at the rule. MPI_ERR_UNSUPPORTED_OPERATION: the
 * algorithm does not serve this call; MPI_ERR_INFO_VALUE, MPI_ERR_ARG: no such algorithm. */
int call_choose(coll_kind kind, int requested, MPI_Info info, int p, int64_t bytes, choice *result);

/* An exec for the plan of this key, bound. */
int call_exec(comm *c, const plan_key *key, size_t key_size, const binding *b, exec **result);

/* Start it as a non-blocking operation; or run it to its end; or make a persistent request of it.
 * The exec is consumed in any case. */
int call_start(exec *e, MPI_Request *request);
int call_run(exec *e);
int call_init(exec *e, MPI_Info info, MPIX_Request *request);

#endif
