/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h - the trial of a persistent request (persistent/trial.h), made at its init. */
#ifndef TUTTI_MEASURE_H
#define TUTTI_MEASURE_H

#include "api/checked.h"

#include <tutti.h>

/* The info key tutti_plan. UNSAID: TUTTI_PLAN counts, if all ranks have been told the same. */
typedef enum measure_wish { MEASURE_UNSAID, MEASURE_NO, MEASURE_YES } measure_wish;

/* MPI_ERR_INFO_VALUE: it is neither `estimate` nor `measure`. */
int measure_read(MPI_Info info, measure_wish *wish);

/* Give the request, which has just been made for the call with this info, its candidates, if that
 * is wished and there are some. Collective. On failure the request is freed. */
int measure_begin(const call *c, MPI_Info info, measure_wish wish, MPIX_Request *request);

#endif
