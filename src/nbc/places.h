/* places.h - where the ranks of a communicator are: each rank describes itself, and all tell all by
 * one native non-blocking allgather on the shadow communicator.
 *
 * Every rank makes the same topology of what all have told: that is what lets each choose and
 * compile alone. So a rank's own view (its binding, its switch file, its TUTTI_REGIONS) needs not
 * be the same everywhere to be used the same everywhere.
 */
#ifndef TUTTI_PLACES_H
#define TUTTI_PLACES_H

#include "topo/topo.h"

#include <mpi.h>

/* An exchange under way. */
typedef struct places {
    location *at; /* [p] */
    int p;
    MPI_Request request;
} places;

/* Once, when the library starts: this process's own place, from TUTTI_REGIONS and TUTTI_SWITCHES or
 * from the machine. MPI_ERR_ARG: a wrong value, explained on stderr. */
int places_start(void);

/* Begin to exchange. shape: where rank `rank` is made up to be, as TUTTI_REGIONS; NULL: what
 * places_start has found. Local, does not block. */
int places_begin(places *x, MPI_Comm shadow, int p, int rank, const char *shape);

/* Test; true when it is over, then *error tells whether *result was made, and x is released. */
bool places_advance(places *x, topo **result, int *error);

#endif
