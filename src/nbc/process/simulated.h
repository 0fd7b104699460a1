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

#include <stdbool.h>
#include <stdint.h>

#ifdef TUTTI_SIMULATED

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

#else

static inline void simulated_copy(int64_t bytes)
{
    (void)bytes;
}

static inline void simulated_pay(void)
{
}

static inline bool simulated_folded(void)
{
    return false;
}

#endif
#endif
