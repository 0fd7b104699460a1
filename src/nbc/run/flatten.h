/* SPDX-License-Identifier: BSD-3-Clause */
/* flatten.h - which bytes blocks of any datatypes consist of, in the order of the data.
 *
 * MPI_Pack says so: it packs memory in which each byte says where it is, as far as one byte can;
 * so one pass for every 8 bits of an offset. That holds for every datatype there is.
 */
#ifndef TUTTI_FLATTEN_H
#define TUTTI_FLATTEN_H

#include "nbc/sched/byte_range.h"

#include <mpi.h>
#include <stdbool.h>

typedef struct flatten_block {
    MPI_Datatype type;
    int64_t count, offset; /* of the block from the buffer, in bytes */
} flatten_block;

/* Block i is (*range)[first[i] .. first[i + 1] - 1], with offsets in bytes from the buffer; *range
 * is for free(). Takes as much memory as the blocks span, and a copy of their data for every pass.
 * False: out of memory; more than 512 MiB of data; a span of more than 2 GiB, or than 64 MiB plus
 * 64 times the data; an error of the MPI. */
bool flatten_blocks(const flatten_block *b, int n, int64_t *first, byte_range **range);

#endif
