/* SPDX-License-Identifier: BSD-3-Clause */
/* ticket.h - an operation as its communicator sees it: which tags are its own. A part of the exec.
 *
 *   non-blocking   numbered by gate_number; waits at the gate until its window is free
 *   persistent     takes a window for its life: comm_persistent_window (windows.h)
 */
#ifndef TUTTI_TICKET_H
#define TUTTI_TICKET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct comm_ticket {
    bool persistent;
    bool unprepared;       /* it has no schedule yet: hooks.h */
    int tag_space, window; /* of the communicator; and the window in it */
    int64_t operation;     /* non-blocking: how many were started on the communicator before it */
    struct comm_ticket *gate_next;   /* let through with it: comm_advance */
    struct comm_ticket *prev, *next; /* waiting at the gate, then holding a window */
} comm_ticket;

#endif
