/* SPDX-License-Identifier: BSD-3-Clause */
/* bodies.h - the bodies of one rank, and where they come from.
 *
 * Units in which G = 1. A rank has a run of consecutive bodies; runs differ by at most one in
 * length.
 */
#ifndef NBODY_BODIES_H
#define NBODY_BODIES_H

#include <mpi.h>

typedef struct bodies {
    int total;            /* of all ranks */
    int mine;             /* of this rank */
    int *counts, *displs; /* [ranks] */
    double *mass;         /* [total] */
    double *x;            /* [3 total]: positions of all; this rank moves its own */
    double *v, *a;        /* [3 mine]: velocities, accelerations */
} bodies;

/* From a text file of lines `mass x y z vx vy vz`; blank lines and what follows a # are ignored.
 * All ranks alike return 0, or 1 after rank 0 has said on stderr what is wrong, and in which line.
 */
int bodies_read(const char *file, MPI_Comm comm, bodies *result);

/* A Plummer sphere of n bodies in equilibrium, of mass 1 and energy -1/4, from a seed: the same on
 * any number of ranks. Aarseth, Henon, Wielen, Astronomy and Astrophysics 37, 1974. */
int bodies_plummer(int n, unsigned long long seed, MPI_Comm comm, bodies *result);

/* The same state again: positions and velocities only. */
void bodies_copy(const bodies *from, bodies *to);
int bodies_clone(const bodies *from, MPI_Comm comm, bodies *result);
void bodies_free(bodies *b);

#endif
