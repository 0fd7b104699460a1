/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_text.h - wisdom as text that people can read and edit. Pure.
 *
 *   tutti wisdom 1
 *   version 0.1.0                        of the library that measured
 *   mpi MPICH 4.0.2                      whatever the caller calls it
 *   # a comment
 *   allreduce 64 4096 commutes - node:8 | lane:ring,block | 12500 ns | 30 starts
 *   scan 12 0 ordered,whole in_place node:3*2,6 | lane:2 | 0 ns | 0 starts
 *   end 2 0123456789abcdef               how many, and the hash of all before this line
 *
 * A verdict: collective, ranks, bytes (of the vector, or of a block; all of one class of size.h are
 * meant, and its least is written), the operation (`commutes` or `ordered`; and `,whole` if it must
 * see whole vectors; `-`: there is none), `in_place` or `-`, shape; algorithm, with the words that
 * select_parse knows; time of a start and how many were measured, both 0 if nobody has.
 *
 * Instead of the algorithm there may be who serves blocking calls under the MPI's names: `native`,
 * the MPI, or `tutti`. Bytes are then the first ones of an octave: another number of it is read as
 * that.
 *
 * Who edits a file writes `edited` for the hash: `end 2 edited`. Lines end with \n only, and have
 * less than WISDOM_LINE bytes; `#` begins a comment, and blank lines are no matter.
 */
#ifndef TUTTI_WISDOM_TEXT_H
#define TUTTI_WISDOM_TEXT_H

#include "tune/wisdom.h"

enum { WISDOM_LINE = 512 };

/* A text that is no wisdom, of any version, begins with something else. */
#define WISDOM_TITLE "tutti wisdom "

/* n bytes, to be freed. mpi: printable, less than 256 bytes. NULL: out of memory. */
char *wisdom_write(wisdom *w, const char *mpi, size_t *n);

/* All n bytes of text, or nothing: one that is damaged, or of another version or MPI, is refused.
 * NULL: `why` says so in one line; or there is no memory. The caller owns the result. */
wisdom *wisdom_read(const char *text, size_t n, const char *mpi, char *why, size_t size);

#endif
