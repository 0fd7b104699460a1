/* choose.h - which algorithm serves a call: the one it names, or for `auto` what info, the
 * environment and the rule say, in this order.
 */
#ifndef TUTTI_CHOOSE_H
#define TUTTI_CHOOSE_H

#include "api/args.h"
#include "tune/select.h"

/* bytes: of args_bytes. MPI_ERR_UNSUPPORTED_OPERATION: the algorithm does not serve this call;
 * MPI_ERR_ARG: a wrong parameter, or a wrong name in the environment; MPI_ERR_INFO_VALUE: in info.
 */
int choose(const args *a, MPI_Info info, int p, int64_t bytes, choice *result);

#endif
