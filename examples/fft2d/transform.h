/* SPDX-License-Identifier: BSD-3-Clause */
/* transform.h - distributed Fourier transforms of complex fields, forward and inverse.
 *
 *   2-D   rows over all ranks      x-lines, transpose, y-lines                   spectrum [x][y]
 *   3-D   pencils over a grid      x-lines, transpose in the grid's row,         spectrum [x][y][z]
 *         of ranks                 y-lines, transpose in its column, z-lines
 *
 * The inverse goes back the same way. Each transpose is one of transpose.h, with requests of its
 * own: a 3-D transform keeps persistent requests on two communicators.
 */
#ifndef FFT2D_TRANSFORM_H
#define FFT2D_TRANSFORM_H

#include "transpose.h"

typedef struct transform transform;

/* A field of n[0] x n[1] x n[2] (z, y, x; 2-D: n[0] is 1) on a grid of grid[0] x grid[1] ranks
 * (2-D: 1 x p), which are all of MPI_COMM_WORLD. Collective. Returns an MPI error. */
int transform_make(const int n[3], const int grid[2], int chunks, const char *algorithm,
                   transform **result);
void transform_free(transform *t);

/* Points of this rank, in the field and in the spectrum. */
size_t transform_points(const transform *t);
size_t transform_frequencies(const transform *t);

/* Where point or frequency i of this rank is: {z, y, x}. */
void transform_point_at(const transform *t, size_t i, int at[3]);
void transform_frequency_at(const transform *t, size_t i, int at[3]);

/* Collective. The inverse is scaled so that it gives the field again. The argument that comes first
 * is destroyed. Return an MPI error. */
int transform_forward(transform *t, kiss_fft_cpx *field, kiss_fft_cpx *spectrum);
int transform_inverse(transform *t, kiss_fft_cpx *spectrum, kiss_fft_cpx *field);

#endif
