/* SPDX-License-Identifier: BSD-3-Clause */
/* process_wisdom.h - the wisdom (tune/wisdom.h) that is in force in this process, and what it has
 * measured itself.
 *
 * In force is that of TUTTI_WISDOM, a file, or `off`; else of the site's file, and of the user's,
 * which counts where both know something:
 *
 *   SYSCONFDIR/tutti/wisdom-MPI   ~/.config/tutti/wisdom-MPI      MPI: mpich or openmpi
 *
 * It is replaced, but never changed: a communicator keeps what its first call has met, so that its
 * ranks go on choosing the same when a later one brings other wisdom. A choice may depend on it
 * only where all ranks have the same (wisdom_digest_of).
 */
#ifndef TUTTI_PROCESS_WISDOM_H
#define TUTTI_PROCESS_WISDOM_H

#include "tune/wisdom.h"

/* Once, when the library starts. setting: of TUTTI_WISDOM, or NULL; may_lack: its file may be one
 * that is going to be written. MPI_ERR_NO_MEM. A file that cannot be read is not used; `why` says
 * so in one line, else it is empty. */
int process_wisdom_read(const char *setting, bool may_lack, char *why, size_t size);

/* What is in force now, held for the caller. */
wisdom *process_wisdom(void);

/* Where that comes from, for people; stays for ever. */
const char *process_wisdom_source(void);

/* From now on w, which is held once more. */
void process_wisdom_replace(wisdom *w, const char *source);

/* What has been measured here, for others to come: it is not in force in this job, whose ranks
 * learn it at different times. Without memory it is forgotten. */
void process_wisdom_learn(const verdict *v);

/* Add it to w. False: out of memory. */
bool process_wisdom_add_learned(wisdom *w);

/* To the file of TUTTI_WISDOM, if there is one, and there is something; `why` as of wisdom_save. */
void process_wisdom_save(const char *setting, char *why, size_t size);

#endif
