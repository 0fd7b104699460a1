/* SPDX-License-Identifier: BSD-3-Clause */
/* reads.h - which messages of a test are read from the memory of their senders:
 *
 *   TEST_NODE_EAGER=BYTES   longer ones (the hint tutti_node_eager)
 *   TEST_READS_FAIL=N       but each N-th of these reads fails
 *
 * For tests that are linked with the library's objects.
 */
#ifndef TUTTI_TEST_READS_H
#define TUTTI_TEST_READS_H

/* For MPI_COMM_WORLD; calls tutti_init. */
void reads_begin(void);

#endif
