/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h - TUTTI_STATS=summary and json: what a job's collectives were, counted while it runs.
 *
 *   a call    tally_enter ... tally_leave: its thread is in one of our calls meanwhile
 *   a start   tally_begin, an end tally_end: the operation goes into a row of the table
 *
 * A row is a communicator, a collective, an algorithm with all its words, and a class of sizes. The
 * table is bounded: communicators beyond TALLY_COMMS are counted as one, and operations for which
 * there is no row any more in a number. When MPI_Finalize begins the ranks add up their tables
 * (gather.h).
 *
 * Nothing is called here unless tally_on. Takes process_lock: may be called with the engine's.
 */
#ifndef TUTTI_TALLY_H
#define TUTTI_TALLY_H

#include "tune/select.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TALLY_COMMS = 1024, TALLY_ROWS = 8192, TALLY_NAME = 64 };

/* Until TUTTI_STATS has been read it is on: the first call may be to be counted. */
extern atomic_bool tally_on;

typedef enum tally_form {
    TALLY_NONE, /* not a call of the program's */
    TALLY_BLOCKING,
    TALLY_NONBLOCKING,
    TALLY_PERSISTENT
} tally_form;

enum { TALLY_FORMS = 3 };

/* By which all members know a communicator: the rank in MPI_COMM_WORLD of its first one that is
 * there, and its number at that rank, in the order of creation. One of a single process: by name.
 * */
typedef struct tally_comm {
    int32_t origin, serial;
    int32_t size; /* 0: nothing has been called on it */
    int32_t freed;
    char name[TALLY_NAME];
} tally_comm;

typedef struct tally_key { /* no padding: compared as bytes */
    int32_t comm;          /* index; 0: one of those that had no room */
    int32_t kind, algo;    /* ALGO_NONE: not known, or left to the MPI */
    int32_t form, parameter, variant, order;
    int32_t size_class; /* k: 2^(k-1) to 2^k - 1 bytes; 0: none; -1: ranks differ */
} tally_key;

typedef struct tally_traffic {
    int64_t mpi_messages, mpi_bytes, shared_messages, shared_bytes;
} tally_traffic;

/* What sums up over calls and ranks. */
typedef struct tally_sums {
    int64_t bytes; /* that the program has given to the calls */
    tally_traffic sent;
    int64_t steps, steps_waited; /* of persistent starts */
    double inside, seconds;
} tally_sums;

void tally_add(tally_sums *to, const tally_sums *from);

/* And what is the largest of all ranks. */
typedef struct tally_most {
    int64_t calls[TALLY_FORMS], left; /* left to the MPI */
    int64_t repeated;                 /* of both, those that were like one before */
    double inside, seconds;
} tally_most;

typedef struct tally_row {
    tally_key key;
    tally_sums sum;
    tally_most most;
} tally_row;

/* An operation that is to be counted; a part of the exec. */
typedef struct tally_call {
    tally_form form;
    tally_key key;
    int64_t bytes;
    bool repeats;         /* it is like one before, but for the buffers */
    double began, inside; /* the call that started it; seconds inside of calls until then */
    tally_row *row;       /* that it was counted in last, or NULL */
} tally_call;

/* ---- calls ---- */

void tally_enter(void);
int tally_leave(int error); /* returns it */

/* A call, counted only if need be; off it costs a branch. */
#define TALLY(call) (__builtin_expect(tally_on, 0) ? (tally_enter(), tally_leave(call)) : (call))

/* A native wait or test polls us. Polls that follow each other at once are of one wait: the time
 * between them is spent inside, too. */
void tally_poll_begin(void);
void tally_poll_end(void);

/* ---- operations ---- */

void tally_begin(tally_call *call);
void tally_end(tally_call *call, const tally_traffic *sent);
void tally_steps(tally_call *call, int64_t steps, int64_t waited);
void tally_left(const tally_call *call);

int tally_size_class(int64_t bytes);

/* ---- communicators ---- */

/* A new one; *serial is its number at this rank. Returns its index. */
int tally_comm_add(int *serial);

/* Its ranks have told each other. */
void tally_comm_known(int index, int origin, int serial, int size);

/* It goes: what is its name? */
void tally_comm_gone(int index, MPI_Comm user, bool ending);

/* ---- the whole: for gather.c ---- */

typedef struct tally_table {
    tally_comm *comm; /* [ncomms] */
    int ncomms;
    tally_row *row; /* [nrows] */
    int nrows;
    int64_t unplaced; /* operations without a row */
} tally_table;

/* A copy of what this process has, to be freed. False: out of memory, it is empty. */
bool tally_all(tally_table *t);
void tally_free(tally_table *t);

/* Add what another rank has. */
void tally_merge(const tally_table *theirs);

void tally_clear(void);

#endif
