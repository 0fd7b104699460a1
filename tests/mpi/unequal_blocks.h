/* SPDX-License-Identifier: BSD-3-Clause */
/* unequal_blocks.h - the data of an alltoallv whose blocks differ: their order is another one than
 * that of the ranks, there are gaps between them, and some are empty.
 */
#ifndef TUTTI_TEST_UNEQUAL_BLOCKS_H
#define TUTTI_TEST_UNEQUAL_BLOCKS_H

#include <stdbool.h>

typedef struct unequal_blocks {
    int *sent, *sent_at, *received, *received_at; /* [p], in one piece: counts and displacements */
    int *out, *in, room;                          /* room: ints in each of the buffers */
    bool in_place;
} unequal_blocks;

/* Of MPI_COMM_WORLD. In place the lengths are the same in both directions. */
void unequal_blocks_open(unequal_blocks *u, bool in_place);
void unequal_blocks_close(unequal_blocks *u);

/* What this rank sends in a turn; what it receives is overwritten. */
void unequal_blocks_fill(unequal_blocks *u, int turn);

/* CHECK that what all have sent is there, and that nothing is in the gaps. */
void unequal_blocks_check(const unequal_blocks *u, int turn);

/* The call's sendbuf. */
const void *unequal_blocks_sendbuf(const unequal_blocks *u);

#endif
