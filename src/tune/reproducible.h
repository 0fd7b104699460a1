/* SPDX-License-Identifier: BSD-3-Clause */
/* reproducible.h - tutti_reproducible=topology: reductions with the same bits on every machine.
 *
 * Which algorithm combines the operands follows from the number of ranks, the bytes and what is
 * true of the operation; never from where the ranks are, from constants of the machine, from
 * wisdom, or from what was measured. None of these algorithms looks at the topology, and their
 * numbers of pieces are fixed: so each element is combined in an order that follows from the number
 * of ranks and the count (tests/sim/test_reproducible.c).
 *
 * Where a and b cannot be swapped without changing bits (MPI_MAX of -0 and 0, or of two NaN) or
 * the operation is the program's, operands are combined in the order of the ranks: else the order
 * would depend on where buffers lie (in place).
 *
 * Pure.
 */
#ifndef TUTTI_REPRODUCIBLE_H
#define TUTTI_REPRODUCIBLE_H

#include "tune/select.h"

/* Must operands of this call keep the order of the ranks, also if the operation commutes? */
bool reproducible_in_order(const coll *c);

/* The algorithm. c: a collective that reduces; of it only what is the same on all ranks is looked
 * at. bytes: coll_bytes.all. */
choice reproducible_choice(const coll *c, int64_t bytes);

/* Why a choice that somebody has asked for is refused: a printable sentence, static. NULL: it
 * combines operands in the same order as that one. */
const char *reproducible_refuses(const choice *asked, const coll *c, int64_t bytes);

/* "topology", or "off". False: it is neither. */
bool reproducible_read(const char *text, bool *topology);

#endif
