/* later.h - a non-blocking call that cannot be compiled yet.
 *
 * Which schedule it gets depends on where the ranks are, and on a new communicator they have not
 * told each other yet. The call must not wait for that. So it keeps what it was called with: types
 * held, counts copied; the engine has the schedule made when the communicator is ready.
 */
#ifndef TUTTI_LATER_H
#define TUTTI_LATER_H

#include "api/args.h"

/* Make the schedule of the call and bind it to the exec; given by call.c. key: without algorithm.
 */
typedef int later_make(exec *e, const args *a, plan_key *key, size_t key_size, const binding *b,
                       const facts *f);

/* An exec that will be prepared. */
int later_exec(const args *a, const facts *f, later_make *make, exec **result);

/* It will not be started. */
void later_forget(exec *e);

#endif
