/* SPDX-License-Identifier: BSD-3-Clause */
/* transpose.h - transform lines and transpose what is distributed, in chunks, so that one travels
 * while the next is transformed.
 *
 *   before: each rank has some rows, whole         after: some columns, whole, as lines
 *
 *   rank 0   a a a | a a a                         rank 0   a a a b b b     3 lines
 *            a a a | a a a        columns 0-2               ...
 *   rank 1   b b b | b b b     of both ranks ->    rank 1   columns 3-5
 *            b b b | b b b
 *
 * There may be several such matrices, `planes`: then a chunk is a share of the planes, else of the
 * rows of every rank. Each chunk has one persistent alltoallv, made once:
 *
 *   transform chunk 0, start it, transform chunk 1 (chunk 0 travels), start it, ...,
 *   wait for chunk 0, put it into place (chunk 1 travels), wait for chunk 1, ...
 *
 * With one chunk nothing is transformed while anything travels.
 */
#ifndef FFT2D_TRANSPOSE_H
#define FFT2D_TRANSPOSE_H

#include <kiss_fft.h>
#include <mpi.h>
#include <stddef.h>

typedef struct transpose_shape {
    MPI_Comm comm;
    int planes;        /* of this rank; the same on all ranks of comm */
    int rows, columns; /* of a plane, all ranks together; uneven numbers are fine */
    ptrdiff_t plane_stride, row_stride; /* of the input, in elements: a row is contiguous */
} transpose_shape;

typedef struct transpose transpose;

/* Collective. algorithm: of the alltoallv, as in info key tutti_algorithm. Returns an MPI error. */
int transpose_make(const transpose_shape *shape, int chunks, const char *algorithm,
                   transpose **result);
void transpose_free(transpose *t);

/* Rows of the input and columns of the output that this rank has. */
int transpose_my_rows(const transpose *t);
int transpose_my_columns(const transpose *t);

/* Transform every row with cfg, and put column x of plane k to out + (k * my columns + x) * rows.
 * Collective. `in` and `out` must not overlap. Returns an MPI error. */
int transpose_run(transpose *t, kiss_fft_cfg cfg, const kiss_fft_cpx *in, kiss_fft_cpx *out);

#endif
