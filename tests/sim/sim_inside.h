/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_inside.h - what the parts of the simulator share: where each rank is, and which events may
 * happen next. The parts: the run (sim.c), messages and the rings that they go through
 * (sim_messages.c), events (sim_events.c), the data that steps name (sim_memory.c); each calls
 * those after it.
 */
#ifndef TUTTI_SIM_INSIDE_H
#define TUTTI_SIM_INSIDE_H

#include "sim/mailbox.h"
#include "sim/sim.h"

typedef enum event_kind { EVENT_ISSUE, EVENT_DELIVER, EVENT_RETIRE } event_kind;

/* ISSUE and RETIRE: of (rank, step). DELIVER: message of (from, send) to (rank, step). */
typedef struct sim_event {
    event_kind kind;
    int rank, step, from, send;
    unsigned char *data; /* DELIVER: the buffered eager data, or NULL */
} sim_event;

/* Of one rank. */
typedef struct sim_state {
    int32_t *waiting;    /* [step] */
    int *depth;          /* [step]: messages on the longest chain that ends with it */
    int32_t *next_send;  /* [step]: the next send of its queue, or -1 */
    unsigned char *room; /* [step]: is the ring free for this send? (sim_messages.c) */
    int done;
    mailbox box;
    int messages;
    int open[2]; /* sends, receives */
    int64_t sent, received;
} sim_state;

typedef struct sim {
    const sim_rank *ranks;
    int p;
    const sim_options *o;
    sim_result *r;
    sim_state *state; /* [p] */
    sim_event *events;
    int nevents, cap;
    uint64_t random;
} sim;

/* ---- events ---- */

/* It may happen next. */
void sim_push(sim *m, sim_event e);

/* One more send or receive is open, or one less. */
void sim_count_open(sim *m, int rank, step_kind kind, int by);

/* The step is done: what waits for it may be issued. */
void sim_retire(sim *m, int rank, int index);

/* Something is wrong: the simulation ends after this event. */
__attribute__((format(printf, 2, 3))) void sim_fail(sim *m, const char *format, ...);

/* ---- data ---- */

int64_t sim_items(const sim *m, int rank, interval i);
size_t sim_bytes(const sim *m, int rank, interval i);
unsigned char *sim_address(const sim *m, int rank, interval i);

/* Of a send or a receive. */
size_t sim_message_bytes(const sim *m, int rank, const step *st);

/* Parts without data: both sides know, and nothing is sent. */
bool sim_is_empty(const sim *m, int rank, const step *st);

/* The data of a send, to be freed; and such data to where a receive wants it. */
unsigned char *sim_gather(const sim *m, int rank, const step *st);
void sim_scatter(const sim *m, int rank, const step *st, const unsigned char *data);

/* Overwrite what a receive is going to overwrite. */
void sim_poison(const sim *m, int rank, const step *st);

/* ---- messages ---- */

/* Before the first message: all sends of one queue in program order. */
void sim_order_sends(sim *m, int rank);

void sim_post_send(sim *m, int rank, int index);
void sim_post_recv(sim *m, int rank, int index);
void sim_deliver(sim *m, const sim_event *e);

#endif
