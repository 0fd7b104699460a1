/* env.h - the TUTTI_ environment variables, read once.
 *
 *   TUTTI_ALGORITHM_ALLGATHER    name of an algorithm for the `auto` calls, see tutti-info
 *   TUTTI_ALGORITHM_ALLGATHERV   the same for allgatherv
 *   TUTTI_PROGRESS               poll, hook or manual: force the driver
 *   TUTTI_VERBOSE                1: say on stderr what is decided
 *
 * An unknown TUTTI_ variable gives one warning that names the nearest known one. A wrong value is
 * an error (MPI_ERR_ARG from the first call), explained once on stderr.
 */
#ifndef TUTTI_ENV_H
#define TUTTI_ENV_H

#include "nbc/coll.h"

#include <stdbool.h>

/* Once, when the library starts: read all, and warn of unknown TUTTI_ variables. */
void env_read(void);

const char *env_progress(void);            /* NULL: not set */
const char *env_algorithm(coll_kind kind); /* NULL: not set */
bool env_verbose(void);

/* One line "tutti: ..." on stderr from rank 0 of MPI_COMM_WORLD: only for what is promised above.
 */
void env_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
