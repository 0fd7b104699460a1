/* SPDX-License-Identifier: BSD-3-Clause */
/* knowledge.h - the wisdom (tune/wisdom.h) that this process has been told of, and whether others
 * have been told the same: only then may a choice depend on it.
 *
 * Wisdom is that of TUTTI_WISDOM, a file, or `off`; else of the site's file, and of the user's,
 * which counts where both know something:
 *
 *   SYSCONFDIR/tutti/wisdom-MPI   ~/.config/tutti/wisdom-MPI      MPI: mpich or openmpi
 *
 * What is once in force does not change: a communicator keeps what its first call has met, so that
 * its ranks go on choosing alike when a later one brings other wisdom.
 */
#ifndef TUTTI_KNOWLEDGE_H
#define TUTTI_KNOWLEDGE_H

#include "tune/wisdom.h"

typedef struct knowledge {
    wisdom *wisdom;     /* not changed any more */
    uint32_t digest;    /* what ranks compare */
    const char *source; /* where it comes from, for people; stays for ever */
    int refs;
} knowledge;

/* Once, when the library starts. setting: of TUTTI_WISDOM, or NULL; may_lack: its file may be one
 * that is going to be written. MPI_ERR_NO_MEM. A file that cannot be read is not used; `why` says
 * so in one line, else it is empty. */
int knowledge_read(const char *setting, bool may_lack, char *why, size_t size);

/* What is in force now, as long as it is held. Local. */
const knowledge *knowledge_hold(void);
void knowledge_release(const knowledge *k);

/* From now on. Takes w. It is held for the caller: another thread may replace it again at once.
 * NULL: out of memory, w is freed. */
const knowledge *knowledge_replace(wisdom *w, const char *source);

/* What has been measured here, for others to come: it is not in force in this job, whose ranks
 * learn it at different times. */
void knowledge_learn(const verdict *v);

/* Add it to w. False: out of memory. */
bool knowledge_add_learned(wisdom *w);

/* To the file of TUTTI_WISDOM, if there is one, and there is something. False: `why` says in one
 * line what has failed. */
bool knowledge_save(const char *setting, char *why, size_t size);

/* The name and version of the MPI, as files of wisdom have it. Static. */
const char *knowledge_mpi(void);

#endif
