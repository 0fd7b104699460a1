/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti_simulated.h - for programs that run in SimGrid with a Tutti built by
 * -DTUTTI_SIMULATED=ON; it is not there in other builds.
 *
 * SimGrid 3.32 knows no generalized requests in MPI_Wait, and to ask a request again and again
 * takes simulated time. So after a start a program calls tutti_simulated_wait, then MPI_Test, which
 * finds the request complete.
 */
#ifndef TUTTI_SIMULATED_LIBRARY_H
#define TUTTI_SIMULATED_LIBRARY_H

#include <stdbool.h>

#pragma GCC visibility push(default)

/* Wait for the operations of this rank that run. One that was started before its communicator was
 * ready does not run yet: tutti_progress sees to that. */
void tutti_simulated_wait(void);

/* Buffers are folded: the ranks' memory is the same few pages (SMPI_SHARED_MALLOC), and nobody
 * looks at the data. Then nothing is copied, and a message of several intervals is one of as many
 * bytes: simulated times stay what they are, real times shrink. Before requests are made. */
void tutti_simulated_fold(bool folded);

#pragma GCC visibility pop
#endif
