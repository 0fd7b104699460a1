/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h - the TUTTI_ environment variables, read once: settings.def has their table.
 * TUTTI_INTERPOSE is read by libtutti_mpi.so (src/pmpi/), but for `estimate`; here it is compared.
 *
 * An unknown TUTTI_ variable gives one warning that names the nearest known one. A wrong value is
 * an error (MPI_ERR_ARG) of the rank's first call, and of all calls on communicators with other
 * ranks: it says so to them, so that they do not wait for it. One line on stderr explains it, from
 * the first rank of the communicator that has it.
 */
#ifndef TUTTI_ENV_H
#define TUTTI_ENV_H

#include "nbc/sched/coll.h"

#include <stdbool.h>
#include <stdint.h>

/* Messages inside a node: by the MPI; through shared memory; or that, and long ones read from the
 * memory of their senders. */
typedef enum node_wire { NODE_WIRE_OFF, NODE_WIRE_COPY, NODE_WIRE_ON } node_wire;

/* What TUTTI_STATS asks for. */
enum { STATS_FILE = 1024 };

typedef enum stats_kind { STATS_TABLE, STATS_JSON, STATS_KINDS } stats_kind;

typedef struct stats_wish {
    bool times; /* of persistent requests, for tutti_get_stats */
    struct {
        bool wanted;
        char file[STATS_FILE]; /* empty: stderr */
    } job[STATS_KINDS];        /* of the whole job, when MPI_Finalize begins */
} stats_wish;

/* What was read, or defaults. */
typedef struct env_values {
    const char *progress, *regions, *switches, *trace; /* NULL: not set */
    double timeout;                                    /* seconds; 0: not set */
    double trace_events;
    stats_wish stats;
    node_wire node_wire;
    bool verbose;
    bool measures;     /* TUTTI_PLAN=measure */
    bool reproducible; /* TUTTI_REPRODUCIBLE=topology here. Ranks may differ: it counts where all
                          ranks of a communicator have it (comm.h) */
} env_values;

extern env_values env_given;

/* Once, when the library starts: read all, and warn of unknown TUTTI_ variables. MPI_ERR_NO_MEM. */
int env_read(void);

/* MPI_ERR_ARG: a value is wrong in itself. Elsewhere its default is in force. */
int env_error(void);

const char *env_algorithm(coll_kind kind); /* NULL: not set */
uint32_t env_asked(void);                  /* a digest of these, TUTTI_PLAN and TUTTI_INTERPOSE */
bool env_estimates(void);                  /* TUTTI_INTERPOSE=estimate */

static inline bool env_stats(void)
{
    return env_given.stats.times;
}

static inline bool env_verbose(void)
{
    return env_given.verbose;
}

static inline bool env_measures(void)
{
    return env_given.measures;
}

static inline bool env_reproducible(void)
{
    return env_given.reproducible;
}

/* Say once that another rank has another one; for rank 0 of a communicator. */
void env_reproducible_differs(int rank);

/* All ranks of MPI_COMM_WORLD have exchanged theirs. A rank that has another one, or 0. Then: does
 * it count on communicators that have not been used yet? The same on all ranks of MPI_COMM_WORLD.
 */
void env_reproducible_agree(int else_rank);
bool env_reproducible_in_world(void);

/* When MPI_Finalize begins: save what was measured. */
void env_end(void);

/* One line "tutti: ..." on stderr from rank 0 of MPI_COMM_WORLD: only for what is promised above.
 */
void env_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A value is wrong, and why: env_say_here, by rank 0 of MPI_COMM_WORLD at once, by another rank in
 * env_explain, which it calls if no lower rank has a wrong value. */
void env_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
void env_explain(void);

/* The constants that TUTTI_CONSTANTS names could not be read here, and this rank's count for a
 * communicator. */
void env_explain_machine(void);

/* The same as env_say from any rank, which it names: what only one rank knows, and errors,
 * because the first rank that aborts may take rank 0 with it before it has spoken. */
void env_say_here(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
