/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - how the positions of all bodies come to every rank, in one of several ways.
 *
 * exchange_begin, then exchange_arrived for each block until it says yes, then exchange_end.
 * Between them exchange_advance, now and then.
 */
#ifndef NBODY_EXCHANGE_H
#define NBODY_EXCHANGE_H

#include "bodies.h"

#include <stdbool.h>
#include <tutti.h>

typedef enum exchange_kind {
    EXCHANGE_BLOCKING,    /* MPI_Allgatherv */
    EXCHANGE_NONBLOCKING, /* MPI_Iallgatherv */
    EXCHANGE_PERSISTENT   /* MPIX_Allgatherv_auto_init, with the algorithm as info */
} exchange_kind;

typedef struct exchange {
    exchange_kind kind;
    const char *name; /* of the algorithm, or of MPI's call */
    bodies *b;
    MPI_Comm comm;
    int rank;
    MPI_Datatype position; /* three doubles */
    MPI_Request native;
    MPIX_Request request;
    bool done;
} exchange;

/* Collective. algorithm: NULL but for EXCHANGE_PERSISTENT. Returns an MPI error. */
int exchange_make(exchange_kind kind, const char *algorithm, bodies *b, MPI_Comm comm,
                  exchange *result);
void exchange_free(exchange *e);

void exchange_begin(exchange *e);
bool exchange_arrived(exchange *e, int rank);
void exchange_advance(exchange *e);
void exchange_end(exchange *e);

#endif
