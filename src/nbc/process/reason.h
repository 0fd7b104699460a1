/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.h - what is wrong with a call, in words: beside the error class that it returns.
 *
 *   return reason_set(MPI_ERR_ROOT, "root is %d; the communicator has %d ranks", root, p);
 *
 * One line names the call and says it, where the communicator's error handler ends the program or
 * with TUTTI_VERBOSE=1: without that the program would end with the error class alone. Most often
 * all ranks have the error: so rank 0 speaks at once, and the others only if they are still there
 * after a moment.
 */
#ifndef TUTTI_REASON_H
#define TUTTI_REASON_H

#include <mpi.h>
#include <stdint.h>

/* The reason of an error that this call is about to return. Returns the error. */
int reason_set(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same where another rank has the error, which knows more: that has the word first. */
int reason_elsewhere(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The rank sends itself a block that is not as long as the room for it. Returns the error. */
int reason_own_block(int error, int64_t sent, int64_t room);

/* The reason of this error has been printed, here or on a lower rank. Returns the error. */
int reason_printed(int error);

/* Before the error handler of `user` is called: by the rank-th process of the communicator. */
void reason_print(const char *call, MPI_Comm user, int rank, int error);

/* The text of an error class, for which there is no reason of its own. */
void reason_of_class(int class, char text[MPI_MAX_ERROR_STRING]);

/* The time that another rank gets to print a line before this one ends the program. */
void reason_wait(void);

#endif
