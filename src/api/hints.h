/* SPDX-License-Identifier: BSD-3-Clause */
/* hints.h - info keys of ours, and those that are hints for a communicator. */
#ifndef TUTTI_HINTS_H
#define TUTTI_HINTS_H

#include "nbc/comm/comm.h"

#include <mpi.h>
#include <stdbool.h>

/* The value of a key of ours, if info has it. MPI_ERR_INFO. */
int hints_value(MPI_Info info, const char *key, char text[MPI_MAX_INFO_VAL + 1], bool *found);

/* The value of tutti_order. MPI_ERR_INFO_VALUE. */
int hints_read_order(const char *text, coll_order *order);

/* Is it asked for by info, by hints, or, where the communicator is known to be ready, by the
 * environment of all ranks? */
int hints_ask_reproducible(MPI_Info info, const comm *c, bool known, bool *asked);

/* Set hints from info, of which keys that are not known are ignored. MPI_ERR_INFO_VALUE. */
int hints_read(MPI_Info info, int p, comm_hints *hints);

#endif
