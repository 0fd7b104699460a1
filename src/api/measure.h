/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h - the trial of a persistent request (persistent/trial.h), made at its init. */
#ifndef TUTTI_MEASURE_H
#define TUTTI_MEASURE_H

#include "api/checked.h"

struct trial;

/* The info key tutti_plan. UNSAID: TUTTI_PLAN counts, if it is the same on all ranks. */
typedef enum measure_wish { MEASURE_UNSAID, MEASURE_NO, MEASURE_YES } measure_wish;

/* MPI_ERR_INFO_VALUE: it is neither `estimate` nor `measure`. */
int measure_read(MPI_Info info, measure_wish *wish);

/* What a request for the call with this info is to try, which algorithms; for free(). NULL: that is
 * not wished, or there is only one. Local; the communicator is ready. */
int measure_prepare(const call *c, MPI_Info info, measure_wish wish, struct trial **result);

/* Make all candidates but the first one, and the vote. Collective, with an error on all ranks or on
 * none; what has been made stays in the trial. */
int measure_begin(struct trial *t, const call *c);

#endif
