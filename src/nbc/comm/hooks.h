/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks.h - what this room asks of the rooms above it. nbc/library.c fills it in at the start. */
#ifndef TUTTI_HOOKS_H
#define TUTTI_HOOKS_H

#include <stdbool.h>

struct comm;
struct comm_ticket;

typedef struct comm_hooks {
    /* One turn of a wait: operations advance (run/engine.h). */
    void (*idle_turn)(int *idle);

    /* Around a blocking native call of ours: do operations advance in it (progress/driver.h)? */
    bool (*hook_progress)(bool *hooked);
    void (*unhook_progress)(bool hooked);

    /* The communicator is ready: make the schedule of an operation that has waited for it (run/
     * exec.h). No lock held: the planner may need tens of milliseconds for it. */
    void (*prepare)(struct comm_ticket *t);

    /* The communicator goes: drop its plans. And free what could not be freed inside a callback of
     * MPI (plan/plan.h). */
    void (*clear_plans)(struct comm *c);
    void (*free_deferred_plans)(void);
} comm_hooks;

extern comm_hooks comm_above;

#endif
