/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h - which algorithm serves a call: the one it names, or for `auto` what info, hints, the
 * environment and the rule say, in this order.
 */
#ifndef TUTTI_CHOOSE_H
#define TUTTI_CHOOSE_H

#include "api/checked.h"
#include "tune/wisdom.h"

/* What was chosen, and what must not have been. */
typedef struct selection {
    choice choice;
    algo_set without;
} selection;

/* Before the communicator is ready all errors are found but those of the environment, and the
 * result may be provisional. MPI_ERR_UNSUPPORTED_OPERATION: the algorithm does not serve this call;
 * MPI_ERR_ARG: a wrong parameter, or a wrong name in the environment; MPI_ERR_INFO_VALUE: in info;
 * MPI_ERR_NO_MEM: on this rank, which has found nothing. TUTTI_VERBOSE: what `auto` has chosen for
 * good is said once for each collective, power of two of the bytes, and algorithm. */
int choose(const call *c, MPI_Info info, selection *result);

/* Is the MPI not known to get such a call wrong? The same on all ranks. */
bool choose_may_leave(const call *c);

/* Is a blocking call under the MPI's names better left to the MPI: because nobody has asked for an
 * algorithm, and neither wisdom, nor trying both, nor the estimate sees a gain of ours? The
 * communicator is ready. The same on all ranks; where their environments differ, it is
 * not. *tried: as try_both. TUTTI_VERBOSE says so as choose does. Returns an error class. */
int choose_native(const call *c, const selection *s, bool *native, comm_tried **tried);

/* What a persistent request of `auto` may try, and what wisdom calls it: the choice first, at most
 * `most`, as all ranks know. *n: how many; 0: it is not the estimate's choice, or all is known
 * already. The communicator is ready. */
int choose_candidates(const call *c, MPI_Info info, choice *list, int most, int *n,
                      wisdom_key *key);

/* The same for those who only want to know what `auto` does. bytes: coll_bytes.all. why: one line
 * with the estimate, cut at `size` bytes. */
int choose_silently(const coll *call, int64_t bytes, MPI_Info info, comm *c, choice *result,
                    char *why, size_t size);

#endif
