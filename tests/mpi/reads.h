/* SPDX-License-Identifier: BSD-3-Clause */
/* reads.h - which messages of a test are read from the memory of their senders:
 *
 *   TEST_NODE_EAGER=BYTES   longer ones (the hint tutti_node_eager)
 *   TEST_READS_FAIL=N       but each N-th of these reads fails
 *   TEST_BLIND=RANK         this rank cannot read any from tutti_init on, but exposes its own
 *
 * For tests that are linked with the library's objects.
 */
#ifndef TUTTI_TEST_READS_H
#define TUTTI_TEST_READS_H

#include <mpi.h>

/* They call tutti_init. Of the ranks of MPI_COMM_WORLD, or of another communicator. */
void reads_begin(void);
void reads_begin_on(MPI_Comm comm);

#endif
