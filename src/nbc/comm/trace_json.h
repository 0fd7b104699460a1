/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_json.h - the events of a process in the trace-event format, which Perfetto and Chrome open.
 *
 *   pid            rank in MPI_COMM_WORLD
 *   tid            1000 x (rank + 1) + 10 x thread + who calls the engine (process/trace.h)
 *   b, e           an operation, a message: asynchronous, because they overlap
 *   X              a copy, a reduction, a wait
 *   i              a message has come or gone: on the row of who has found that
 *   M              names of ranks and threads
 */
#ifndef TUTTI_TRACE_JSON_H
#define TUTTI_TRACE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whose they are, and how its clock becomes the common one: that of the first rank is read at two
 * times, and in between the difference grows evenly. Nanoseconds. */
typedef struct trace_clock {
    int64_t at[2];     /* two times of this rank's clock, ascending */
    int64_t offset[2]; /* what is to be added at each */
    int64_t error;     /* half a round trip: so much it may be wrong; 0: it is the same clock */
} trace_clock;

int64_t trace_common(const trace_clock *c, int64_t at);

/* first: no comma stands before the first line. zero: what is 0 us in the file, of
 * the common clock. False: out of memory. */
bool trace_json(FILE *out, bool first, int rank, const char *host, const trace_clock *c,
                int64_t zero);

#endif
