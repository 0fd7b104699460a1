/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_file.h - wisdom in files that several jobs may read and write at a time.
 *
 * A file is written whole (whole_file.h): so who reads gets all of one job or all of another. Who
 * saves makes NAME.lock first, which only one can do, and removes it after; where that is not
 * possible, or somebody else has it for two seconds, of two that save at once one may be lost, but
 * not what was there before, as long as it can be read.
 */
#ifndef TUTTI_WISDOM_FILE_H
#define TUTTI_WISDOM_FILE_H

#include "tune/wisdom.h"

enum { WISDOM_FILE = 16 << 20 }; /* bytes that a file may have */

/* As wisdom_read, with the file's name in `why`. What is not a file is refused, and never waited
 * for. */
wisdom *wisdom_load(const char *name, const char *mpi, char *why, size_t size);

/* What is there, and all of w: where both know something, w counts. Wisdom that cannot be read,
 * because it is damaged or of another version or MPI, is kept as NAME.refused (or NAME.refused.2
 * and so on); what is no wisdom is not replaced, nor is a link, but what it points to. A new file
 * gets the usual permissions. False: `why` says in one line what has failed, and the file is as it
 * was; else it is empty, or says what is kept. */
bool wisdom_save(const char *name, wisdom *w, const char *mpi, char *why, size_t size);

#endif
