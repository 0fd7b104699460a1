/* SPDX-License-Identifier: BSD-3-Clause */
/* hints.h - small helpers of the tests that give hints and gather a few numbers. */
#ifndef TUTTI_TEST_HINTS_H
#define TUTTI_TEST_HINTS_H

#include "mpi/mpi_test.h"

enum { N = 5 }; /* ints in a block */

/* A duplicate of MPI_COMM_WORLD that returns errors, and that Tutti has not seen. */
MPI_Comm fresh(void);

MPI_Info info_of(const char *key, const char *value);

/* tutti_comm_set_hints with one key. */
int hint(MPI_Comm comm, const char *key, const char *value);

/* Is the machine made up by TUTTI_REGIONS? */
bool made_up(void);

/* What this rank sends in a turn; and is it what all have sent? */
void fill(int block[N], int turn);
bool is_right(const int *all, int p, int turn);

#endif
