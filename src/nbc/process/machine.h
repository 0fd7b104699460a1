/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - the constants of the machine (tune/constants.h) that this process has been given.
 *
 *   1. TUTTI_CONSTANTS                  ethernet, fast, or a file
 *   2. $HOME/.config/tutti/constants    the user's file
 *   3. SYSCONFDIR/tutti/constants       the site's file: /etc where Tutti is installed in /usr
 *   4. fast                             built in
 *
 * The first that is there counts. What is not a file of constants is refused with one line, and the
 * next one counts; after TUTTI_CONSTANTS what is built in. A communicator goes by what its rank 0
 * has been given (comm.h).
 */
#ifndef TUTTI_MACHINE_H
#define TUTTI_MACHINE_H

#include "tune/constants.h"

/* setting: the value of TUTTI_CONSTANTS, or NULL. When the library starts. False: `why` says in one
 * line what is wrong with a file, and what counts instead. */
bool machine_read(const char *setting, char *why, size_t size);

const constants *machine_constants(void);

/* Where they are from: "built in: fast", or the name of a file. */
const char *machine_source(void);

#endif
