/* env.h - the TUTTI_ environment variables, read once.
 *
 *   TUTTI_ALGORITHM_ALLGATHER    name of an algorithm for the `auto` calls, see tutti-info
 *   TUTTI_ALGORITHM_ALLGATHERV   the same for allgatherv
 *   TUTTI_PROGRESS               poll, hook, thread or manual: force the driver
 *   TUTTI_REGIONS                where the ranks are: hwloc, none, a shape or a file (topo/shape.h)
 *   TUTTI_SWITCHES               file in the format of Slurm's topology.conf (topo/switches.h)
 *   TUTTI_TIMEOUT                seconds: tell of operations that are polled in vain for so long
 *   TUTTI_STATS                  1: tutti_get_stats knows times of every persistent request; summary, json:
 *                                of the whole job, at its end (process/stats_wish.h)
 *   TUTTI_VERBOSE                1: say on stderr what is decided
 *   TUTTI_CONSTANTS              of the machine: ethernet, fast or a file (process/machine.h)
 *   TUTTI_WISDOM                 what was measured before: a file, or off (process/knowledge.h)
 *   TUTTI_PLAN                   measure: persistent requests try candidates; estimate: they do not
 *   TUTTI_NODE_WIRE              off: messages inside a node go through MPI, too; on is the default
 *   TUTTI_INTERPOSE              read by libtutti_mpi.so (src/pmpi/); here only compared
 *
 * An unknown TUTTI_ variable gives one warning that names the nearest known one. A wrong value is
 * an error (MPI_ERR_ARG), explained once on stderr by the rank that has it: of its first call, and
 * of all calls on communicators with other ranks, which it tells, so that they do not wait for it.
 */
#ifndef TUTTI_ENV_H
#define TUTTI_ENV_H

#include "nbc/process/stats_wish.h"
#include "nbc/sched/coll.h"

#include <stdbool.h>
#include <stdint.h>

/* Once, when the library starts: read all, and warn of unknown TUTTI_ variables. MPI_ERR_NO_MEM. */
int env_read(void);

/* MPI_ERR_ARG: a value is wrong in itself. Elsewhere its default is in force. */
int env_error(void);

const char *env_progress(void);            /* NULL: not set */
const char *env_regions(void);             /* NULL: not set */
const char *env_switches(void);            /* NULL: not set */
const char *env_algorithm(coll_kind kind); /* NULL: not set */
uint32_t env_asked(void); /* a digest of all that, and of TUTTI_PLAN and TUTTI_INTERPOSE */
double env_timeout(void); /* seconds; 0: not set */
bool env_stats(void);     /* times of persistent requests */
const stats_wish *env_stats_wish(void);
bool env_verbose(void);
bool env_node_wire(void);
bool env_measures(void); /* TUTTI_PLAN=measure */

/* When MPI_Finalize begins: save what was measured. */
void env_end(void);

/* One line "tutti: ..." on stderr from rank 0 of MPI_COMM_WORLD: only for what is promised above.
 */
void env_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A value is wrong, and why: env_say_here. */
void env_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as env_say from any rank, which it names: what one rank only can tell, and errors,
 * because the first rank that aborts may take rank 0 with it before it has spoken. */
void env_say_here(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
