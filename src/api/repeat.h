/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.h - a call that differs from the one before in its buffers only has been checked and
 * planned: this takes a tenth of a microsecond from it.
 */
#ifndef TUTTI_REPEAT_H
#define TUTTI_REPEAT_H

#include "api/args.h"

/* The plan of the call before, with a reference, and what it binds, if this one is like it; else
 * NULL. Predefined types and operations need no description, and no displacement is below 0.
 * settled: only if that call could have been left to the MPI. */
plan *repeat_recall(const args *a, comm *c, bool settled, binding *b);

/* An exec of that plan that has been bound for the call before, now with the buffers of this one;
 * NULL: there is none that idles, or the call is another one. settled: as repeat_recall. */
exec *repeat_exec(const args *a, comm *c, bool settled);

/* Has the call before, like this one, been left to the MPI? */
bool repeat_native(const args *a, comm *c);

/* An exec that has been bound for the call that is remembered. */
void repeat_bound(coll_kind kind, const exec *e);

/* For the next call, if its types and operation are predefined: their handles are never reused.
 * settled: it could have been left to the MPI. */
void repeat_remember(const args *a, const facts *f, const exec *e, bool settled);

/* The same of one that has been left to the MPI. */
void repeat_remember_native(const args *a, const facts *f);

#endif
