/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h - the TUTTI_ environment variables, read once: settings.def has their table.
 * TUTTI_INTERPOSE is read by libtutti_mpi.so (src/pmpi/), but for `estimate`; here it is compared.
 *
 * An unknown TUTTI_ variable gives one warning that names the nearest known one. A wrong value is
 * an error (MPI_ERR_ARG), explained once on stderr by the rank that has it: of its first call, and
 * of all calls on communicators with other ranks, which it tells, so that they do not wait for it.
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
const char *env_trace(void); /* NULL: not set */
int64_t env_trace_events(void);
bool env_verbose(void);
node_wire env_node_wire(void);
bool env_measures(void);  /* TUTTI_PLAN=measure */
bool env_estimates(void); /* TUTTI_INTERPOSE=estimate */

/* TUTTI_REPRODUCIBLE=topology here. Ranks may differ: it counts where all ranks of a communicator
 * have it (comm.h). */
bool env_reproducible(void);

/* Say once that another rank has another one; for rank 0 of a communicator. */
void env_reproducible_differs(int rank);

/* All ranks of MPI_COMM_WORLD have told each other; a rank that has another one, or 0. Then: does
 * it count on communicators that have not been used yet? The same on all ranks of MPI_COMM_WORLD.
 */
void env_reproducible_agree(int else_rank);
bool env_reproducible_in_world(void);

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
