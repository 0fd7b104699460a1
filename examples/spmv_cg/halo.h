/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.h - which values go to which ranks: only those that are needed there. */
#ifndef SPMV_CG_HALO_H
#define SPMV_CG_HALO_H

#include <mpi.h>

/* Blocks of values to or from neighbors, as the collectives take them. */
typedef struct blocks {
    int n;                        /* neighbors */
    int *ranks, *counts, *displs; /* [n] */
    int values;                   /* in the buffer */
} blocks;

typedef struct halo {
    MPI_Comm comm; /* a graph: an edge from each rank to those that need its values */
    blocks in, out;
    int *rows; /* [out.values]: which of my rows are in the buffer */
} halo;

/* Collective. needed[n], ascending: the indices whose values I need; rank r has those from first[r]
 * to first[r + 1]. They are received in this order. Neighbors that get the same values get them
 * from the same place of the buffer. 0, or -1 on all ranks: out of memory. */
int halo_make(halo *h, const int *needed, int n, const int *first);
void halo_free(halo *h);

#endif
