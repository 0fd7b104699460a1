/* SPDX-License-Identifier: BSD-3-Clause */
/* life.h - an operation from its beginning to its end, for the engine, under its lock.
 *
 *   life_begin   addresses its messages and begins all steps that wait for nothing
 *   ...          steps_poll (steps.h), again and again
 *   life_is_over
 *   life_end     reports to who waits for it
 */
#ifndef TUTTI_LIFE_H
#define TUTTI_LIFE_H

#include "nbc/run/exec.h"

/* Returns whether it is over already. */
bool life_begin(exec *e);

/* No step is left. If there is another schedule after this one, that begins; one beside it has to
 * be done, too. */
bool life_is_over(exec *e);

/* It is not in the engine's list, or not any more; afterwards the program may free it. */
void life_end(exec *e);

#endif
