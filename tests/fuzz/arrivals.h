/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.h - has everybody come to an operation before it is over? */
#ifndef TUTTI_FUZZ_ARRIVALS_H
#define TUTTI_FUZZ_ARRIVALS_H

#include "fuzz.h"

void arrivals_begin(void); /* collective, after MPI_Init */
void arrivals_come(const fuzz *f, const op *o);

/* Who they are: the program may free the communicator meanwhile. Returns how many. */
int arrivals_members(MPI_Comm comm, int members[]);
void arrivals_check(fuzz *f, const op *o, int n, const int members[]); /* fails if one has not */

#endif
