/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - what all of Tutti's programs do alike on a command line.
 *
 *   --help, --version    on standard output, exit status 0
 * something wrong      one line on standard error, which names the word and the nearest right one,
 * exit status 2 started by mpiexec   rank 0 alone speaks
 */
#ifndef TUTTI_COMMAND_H
#define TUTTI_COMMAND_H

#include "tune/word.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct command {
    const char *name; /* "tutti-plan" */
    const char *help; /* after "try": "tutti-plan --help"; NULL: name --help */
    char error[400];  /* a whole line, or "": nothing is wrong. The first error counts */
} command;

/* Is this rank 0, or no rank of a job? By what launchers give their processes, so that it is known
 * without MPI_Init, too. */
bool command_speaks(void);

/* How many processes the launcher says that it has started; 0: it says nothing. */
int command_launched(void);

/* "tutti-plan (Tutti) 0.1.0", the MPI that it is built for, the licence. By rank 0. */
void command_version(const char *name);

/* Note what is wrong with a word; of `guess`, if not NULL, the nearest right one is named. */
void command_wrong(command *c, const char *word, const char *what, const word_guess *guess);

/* What getopt_long has returned '?' or ':' (result) for: an option that does not exist, is not
 * reported apart, or misses its value or has one too many. opterr must be 0, and the string of
 * short options begin with ':'. argc and argv are those of getopt_long. */
void command_wrong_option(command *c, int result, char **argv, const struct option known[]);

/* Say it, by rank 0. Without MPI the others wait a moment: a launcher ends the job with the first
 * process that fails. Returns the exit status, 2; or 0 if nothing is wrong. */
int command_refuse(const command *c);

/* The same for a program with MPI: inside MPI, so that all ranks fail together and rank 0 says why.
 * */
int command_refuse_all(const command *c, int *argc, char ***argv);

/* Has everything that was printed been printed? Returns the exit status: `status`, or 2. */
int command_end(const char *name, int status);

#endif
