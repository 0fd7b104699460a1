/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - TUTTI_STATS=summary and json: what a job's collectives were, counted while it runs.
 *
 *   a call    stats_enter ... stats_leave: its thread is in one of our calls meanwhile
 *   a start   stats_begin, an end stats_end: the operation goes into a row of the table
 *
 * A row is a communicator, a collective, an algorithm with all its words, and a class of sizes. The
 * table is bounded: communicators beyond STATS_COMMS are counted as one, and operations for which
 * there is no row any more in a number. When MPI_Finalize begins the ranks add up their tables
 * (gather.h).
 *
 * Nothing is called here unless stats_on. Takes process_lock: may be called with the engine's.
 */
#ifndef TUTTI_STATS_H
#define TUTTI_STATS_H

#include "tune/select.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { STATS_COMMS = 1024, STATS_ROWS = 8192, STATS_NAME = 64 };

/* It is true until TUTTI_STATS has been read, because the first call may have to be counted. */
extern atomic_bool stats_on;

typedef enum stats_form {
    STATS_FORM_NONE, /* not a call of the program's */
    STATS_FORM_BLOCKING,
    STATS_FORM_NONBLOCKING,
    STATS_FORM_PERSISTENT
} stats_form;

enum { STATS_FORMS = 3 };

/* What identifies a communicator on all members: the rank in MPI_COMM_WORLD of its first member
 * that is there, and its serial number at that rank. Of a single process: its name. */
typedef struct stats_comm {
    int32_t origin, serial;
    int32_t size; /* 0: nothing has been called on it */
    int32_t freed;
    char name[STATS_NAME];
} stats_comm;

typedef struct stats_key { /* no padding: compared as bytes */
    int32_t comm;          /* index; 0: one of those that had no room */
    int32_t kind, algo;    /* ALGO_NONE: not known, or left to the MPI */
    int32_t form, parameter, variant, order;
    int32_t size_class; /* k: 2^(k-1) to 2^k - 1 bytes; 0: none; -1: ranks differ */
} stats_key;

typedef struct stats_traffic {
    int64_t mpi_messages, mpi_bytes, shared_messages, shared_bytes;
} stats_traffic;

/* What sums up over calls and ranks. */
typedef struct stats_sums {
    int64_t bytes; /* that the program has given to the calls */
    stats_traffic sent;
    int64_t steps, steps_waited; /* of persistent starts */
    double inside, seconds;
} stats_sums;

void stats_add(stats_sums *to, const stats_sums *from);

/* And what is the largest of all ranks. */
typedef struct stats_most {
    int64_t calls[STATS_FORMS], left; /* left to the MPI */
    int64_t repeated;                 /* of both, those that were like one before */
    double inside, seconds;
} stats_most;

typedef struct stats_row {
    stats_key key;
    stats_sums sum;
    stats_most most;
} stats_row;

/* An operation that is to be counted; a part of the exec. */
typedef struct stats_call {
    stats_form form;
    stats_key key;
    int64_t bytes;
    bool repeats;         /* it is like one before, but for the buffers */
    double began, inside; /* the call that started it; seconds inside of calls until then */
    stats_row *row;       /* that it was counted in last, or NULL */
} stats_call;

/* ---- calls ---- */

void stats_enter(void);
int stats_leave(int error); /* returns it */

/* A call, counted only if need be; off it costs a branch. */
#define STATS_COUNTED(call)                                                                        \
    (__builtin_expect(stats_on, 0) ? (stats_enter(), stats_leave(call)) : (call))

/* A native wait or test polls us. Polls that follow each other at once are of one wait: the time
 * between them is spent inside, too. */
void stats_poll_begin(void);
void stats_poll_end(void);

/* ---- operations ---- */

void stats_begin(stats_call *call);
void stats_end(stats_call *call, const stats_traffic *sent);
void stats_steps(stats_call *call, int64_t steps, int64_t waited);
void stats_left(const stats_call *call);

int stats_size_class(int64_t bytes);

/* ---- communicators ---- */

/* A new one; *serial is its number at this rank. Returns its index. */
int stats_comm_add(int *serial);

/* Its ranks have exchanged their identities. */
void stats_comm_known(int index, int origin, int serial, int size);

/* The communicator is about to be freed: keep its name. */
void stats_comm_gone(int index, MPI_Comm user, bool ending);

/* ---- the whole: for gather.c ---- */

typedef struct stats_table {
    stats_comm *comm; /* [ncomms] */
    int ncomms;
    stats_row *row; /* [nrows] */
    int nrows;
    int64_t without_row; /* operations without a row */
} stats_table;

/* A copy of what this process has, to be freed. False: out of memory, it is empty. */
bool stats_all(stats_table *t);
void stats_free(stats_table *t);

/* Add what another rank has. */
void stats_merge(const stats_table *theirs);

void stats_clear(void);

#endif
