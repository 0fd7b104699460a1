/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - the collectives under test (call.c), by MPIX_ names or by MPI's; and what Tutti's own
 * requests need (call_mpix.c; call_plain.c: there are none).
 */
#ifndef TUTTI_FUZZ_CALL_H
#define TUTTI_FUZZ_CALL_H

#include "fuzz.h"
#include "mpi/calls.h"

typedef struct call {
    coll_kind kind;
    bool large;                 /* the _c form, where there is one */
    uint64_t choice;            /* the algorithm follows from it and the number of ranks */
    const reduction *reduction; /* of collectives that reduce */
    call_args args;
} call;

extern const char *const program_name;
extern const bool names_are_ours; /* rows with the trait OURS advance by Tutti's own calls */

const char *call_algorithm(const call *c);
int call_run(const call *c);
int call_start(const call *c, MPI_Request *request);
/* A persistent request: one of the MPI, or (own) one of Tutti's. */
int call_init(const call *c, MPI_Request *request, void **own);

int own_start(void **own,
              MPI_Request *native); /* native: NULL, or where to put a request for this start */
int own_free(void **own);

/* MPI_Wait and its family: see complete.c. */
enum family { WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME, FAMILIES };
int own_family(enum family w, int n, void *requests[], int done[], MPI_Status status[]);

/* Once, after MPI_Init. restricted, manual: see options. */
void own_begin(bool *restricted, bool *manual);
void own_progress(void);

/* For buffers: some of Tutti's memory, if it has any. */
void *own_memory(size_t bytes, bool *shared);
void own_memory_free(void *memory, bool shared);

#endif
