/* SPDX-License-Identifier: BSD-3-Clause */
/* own_location.h - where this process is, as it sends it to the others (handshake.h).
 *
 * Every rank makes the same topology of what all have sent, so each can choose and compile alone. A
 * rank's own view (its binding, its switch file, its TUTTI_REGIONS) need not be that of others.
 */
#ifndef TUTTI_OWN_LOCATION_H
#define TUTTI_OWN_LOCATION_H

#include "topo/topo.h"

/* The location of this process. From TUTTI_REGIONS and TUTTI_SWITCHES, or from the machine, which
 * is looked at once: at the first call. MPI_ERR_ARG: a wrong value, explained on stderr once. */
int own_location(location *mine);

/* Where rank `rank` of p is made up to be; shape as TUTTI_REGIONS. MPI_ERR_INFO_VALUE. */
int own_location_made_up(const char *shape, int p, int rank, location *mine);

#endif
