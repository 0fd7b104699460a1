/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.h - the windows of tags that persistent requests hold for their life: all but those that
 * non-blocking operations use in turn (gate.h). When they run out, the ranks agree which are free
 * on all of them, or allocate another context id.
 */
#ifndef TUTTI_WINDOWS_H
#define TUTTI_WINDOWS_H

#include "nbc/comm/comm.h"

/* Memory that taking the next one may need: before the ranks agree that no rank has an error. */
int comm_persistent_reserve(comm *c);

/* Take one, after that. Collective, may block. An error is one on all ranks. */
int comm_persistent_window(comm *c, comm_ticket *t);
void comm_persistent_release(comm *c, comm_ticket *t);

#endif
