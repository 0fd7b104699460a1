/* SPDX-License-Identifier: BSD-3-Clause */
/* simulated.h - what the engine does differently in SimGrid (-DTUTTI_SIMULATED=ON).
 *
 * Local work costs no simulated time there by itself. It is charged here: bytes / bandwidth, where
 * the bandwidth is the property "copy" (bytes/s) of the host in the platform file, each core having
 * its own; without the property it stays free. Charged are copies, packing and unpacking, and, as
 * if MPI packed them, messages with a derived datatype; on the side that sends and on the one that
 * receives.
 */
#ifndef TUTTI_SIMULATED_H
#define TUTTI_SIMULATED_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Here and in run/open_simulated.h is all that the sources know of it: functions that do nothing in
 * a build for an MPI. */
#ifdef TUTTI_SIMULATED

/* Is this a build for SimGrid? */
static inline bool simulated(void)
{
    return true;
}

void simulated_copy(int64_t bytes);

/* Let the time pass that copies since the last call have cost: before a message is posted or waited
 * for, and when nothing is left to do. Many copies in a row are one event for SimGrid. */
void simulated_pay(void);

/* What tutti_simulated_fold has said (tutti_simulated.h). */
bool simulated_folded(void);

/* Where the rank is: the node is the host's property "node" (without it the host's name), the
 * package its property "package", a number; so that a host can be one package of a node. */
struct location;
void simulated_describe(struct location *at);

/* Has the communicator MPI_ERRORS_RETURN? SimGrid calls a null pointer for it. */
bool simulated_returns_errors(MPI_Comm comm);

/* MPI_Waitall without statuses: SimGrid's takes time that grows with the square of n. */
int simulated_waitall(int n, MPI_Request *requests);

#else

struct location;

static inline bool simulated(void)
{
    return false;
}

static inline void simulated_copy(int64_t bytes)
{
}

static inline void simulated_pay(void)
{
}

static inline bool simulated_folded(void)
{
    return false;
}

static inline void simulated_describe(struct location *at)
{
}

static inline bool simulated_returns_errors(MPI_Comm comm)
{
    return false;
}

static inline int simulated_waitall(int n, MPI_Request *requests)
{
    return MPI_SUCCESS;
}

#endif
#endif
