/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h - where this process is, as it tells the others (handshake.h).
 *
 * Every rank makes the same topology of what all have told: that is what lets each choose and
 * compile alone. So a rank's own view (its binding, its switch file, its TUTTI_REGIONS) needs not
 * be the same everywhere to be used the same everywhere.
 */
#ifndef TUTTI_PLACES_H
#define TUTTI_PLACES_H

#include "topo/topo.h"

/* This process's place. From TUTTI_REGIONS and TUTTI_SWITCHES, or from the machine, which is looked
 * at once: at the first call. MPI_ERR_ARG: a wrong value, explained on stderr once. */
int places_mine(location *mine);

/* Where rank `rank` of p is made up to be; shape as TUTTI_REGIONS. MPI_ERR_INFO_VALUE. */
int places_made_up(const char *shape, int p, int rank, location *mine);

#endif
