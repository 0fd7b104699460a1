/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h - data between where a datatype says that it is and contiguous bytes, in the order of
 * MPI_Pack.
 *
 * Lengths are of 64 bits; MPI_Pack, which counts bytes by an int, is called several times for more.
 * Nothing is done without data: there may be no address then.
 */
#ifndef TUTTI_PACK_H
#define TUTTI_PACK_H

#include "nbc/run/bound.h"
#include "nbc/run/piece.h"

/* A message that goes packed: before a SEND is posted, after a RECV has come. */
int pack_message(const bound *b, const step *st);
int unpack_message(const bound *b, const step *st);

/* All data of a step to any memory, and so many bytes from there; of an item that has come in part
 * nothing is written. */
int pack_step(const bound *b, const step *st, char *to);
int unpack_step(const bound *b, const step *st, const char *from, int64_t bytes);

/* From one datatype to another. */
int pack_copy(const piece *from, const piece *to);

#endif
