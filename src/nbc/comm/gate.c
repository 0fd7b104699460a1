/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c - where operations wait for their communicator's first handshake, or for a window of tags;
 * and going on with the handshakes.
 */
#include "nbc/comm/comm.h"

#include "nbc/comm/hooks.h"
#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/fault_tolerance.h"
#include "nbc/process/process.h"
#include "nbc/process/waker.h"
#include "nbc/process/watch.h"

#include <stdatomic.h>
#include <utlist.h>

static const char start[] = "tutti_init";
static const double start_patience = 10; /* seconds */

enum { BATCH = 16 }; /* handshakes tested by one call */

_Atomic(comm_work) comm_pending;

/* The thread may have fallen asleep while somebody was at it. */
static void set_pending(void)
{
    atomic_store(&comm_pending, COMM_PENDING);
    waker_wake(false);
}

/* Nothing to do any more, unless it has been set meanwhile. */
static void clear_pending(void)
{
    comm_work advancing = COMM_ADVANCING;

    atomic_compare_exchange_strong(&comm_pending, &advancing, COMM_IDLE);
}

/* ---- the gate ---- */

/* The operation waits. */
void comm_gate_shut(comm *c, comm_ticket *t)
{
    t->gate_next = NULL;
    if (c->gated_tail)
        c->gated_tail->gate_next = t;
    else
        c->gated_head = t;
    c->gated_tail = t;
    if (t->unprepared)
        set_pending();
}

/* Something that waits may begin. */
void comm_gate_look(void)
{
    set_pending();
}

void comm_hold(comm *c, comm_ticket *t)
{
    t->unprepared = true;
    atomic_fetch_add(&c->shut, 1);
}

void comm_hold_no_more(comm *c, comm_ticket *t)
{
    t->unprepared = false;
    atomic_fetch_sub(&c->shut, 1);
    set_pending();
}

static bool is_unprepared(const comm *c)
{
    return c->ready && c->gated_head && c->gated_head->unprepared;
}

/* The first one at a gate, of one communicator. Not with the lock; it stays there, so that no
 * operation behind it begins before it. Its exec holds the communicator. */
static void prepare_one(void)
{
    comm *c = comm_all;
    comm_ticket *t;

    while (c && (!is_unprepared(c) || c->preparing))
        c = c->next;
    if (!c)
        return;
    t = c->gated_head;
    c->preparing = true;
    engine_leave();
    comm_above.prepare(t);
    engine_enter();
    c->preparing = false;
    comm_hold_no_more(c, t);
}

/* Put what may begin at the end of a list; returns the new end. */
static comm_ticket **open_gate(comm *c, comm_ticket **end)
{
    while (c->gated_head && !c->gated_head->unprepared && comm_window_free(c, c->gated_head)) {
        comm_ticket *t = c->gated_head;
        c->gated_head = t->gate_next;
        if (!c->gated_head)
            c->gated_tail = NULL;
        comm_window_take(c, t);
        t->gate_next = NULL;
        *end = t;
        end = &t->gate_next;
    }
    return end;
}

void comm_visit_gated(void (*visit)(comm_ticket *t))
{
    for (comm *c = comm_all; c; c = c->next)
        for (comm_ticket *t = c->gated_head; t; t = t->gate_next)
            visit(t);
}

/* ---- the handshake ---- */

void comm_set_current(comm *c, const handshake *h, const char *caller)
{
    engine_enter();
    c->current = h;
    c->caller = caller;
    c->reported = false;
    if (h)
        c->opened = clock_now();
    engine_leave();
    if (h)
        set_pending();
}

int comm_meet(comm *c, const char *caller, const hello *mine, bool may_block, handshake *h)
{
    int error = handshake_open(h, c->p, c->rank, mine, caller == start);

    if (error)
        return error;
    comm_set_current(c, h, caller);
    error = handshake_run(h, c->user, may_block);
    comm_set_current(c, NULL, NULL);
    return error;
}

void comm_become_ready(comm *c, int error)
{
    c->failure = error;
    process_lock();
    c->ready = true;
    atomic_fetch_sub(&c->shut, 1);
    bool unused = c->refs == 0;
    process_unlock();
    if (unused)
        comm_bury(c);
}

void comm_abandon(void)
{
    for (comm *c = comm_all; c; c = c->next) {
        c->lost = !c->ready;
        c->gated_head = c->gated_tail = NULL;
    }
    atomic_store(&comm_pending, COMM_IDLE);
}

/* The next communicator with a handshake under way; it goes to the end of the list, so that all get
 * their turn. */
static comm *next_pending(void)
{
    comm *c;

    DL_FOREACH (comm_all, c) {
        if (!c->current || c->lost || c->tested)
            continue;
        DL_DELETE(comm_all, c);
        DL_APPEND(comm_all, c);
        return c;
    }
    return NULL;
}

/* Not with the lock: MPICH calls the program's callbacks in there, if the program has freed the
 * communicator, and they may come back to us. The state lives until the handshake is over. */
static void test_handshake(comm *c)
{
    int error;
    bool over;

    c->tested = true;
    engine_leave();
    over = handshake_test(&c->first, &error);
    engine_enter();
    c->tested = false;
    if (over)
        comm_first_finish(c, error);
}

static const char to_check[] =
    "is libtutti_mpi.so preloaded on all ranks, or tutti_init called there?";

static void say_start(const handshake *h)
{
    char missing[512];

    handshake_missing(h, missing, sizeof missing);
    if (handshake_is_first(h))
        env_say_here("%s of %d: Tutti has not been started there; %s", missing, h->p, to_check);
}

/* Has it members that were not in this MPI_COMM_WORLD when Tutti started? */
static bool spans_worlds(const comm *c)
{
    process_lock();
    bool spans = c->placed && !c->covered;
    process_unlock();
    return spans;
}

/* A rank without the library never comes: one of those with it says so, without TUTTI_TIMEOUT. So
 * it may be with processes that have been spawned. */
static void report_start(comm *c)
{
    char missing[512];

    if (!c->current || c->reported || clock_now() - c->opened < start_patience)
        return;
    if (c->caller == start) {
        c->reported = true;
        say_start(c->current);
    } else if (!watch_on && spans_worlds(c)) {
        c->reported = true;
        if (!handshake_is_first(c->current))
            return;
        handshake_missing(c->current, missing, sizeof missing);
        env_say_here("%s waits for %s of %d on a communicator of several MPI_COMM_WORLDs; is "
                     "libtutti_mpi.so preloaded there, too?",
                     c->caller, missing, c->p);
    }
}

/* The first one ends the job, when it has said why. */
static void leave_time_to_say(const handshake *h)
{
    double begin = clock_now();
    int idle = 0;

    while (!handshake_is_first(h) && clock_now() - begin < start_patience)
        comm_above.idle_turn(&idle);
}

int comm_start(comm *world, const hello *mine, handshake *h)
{
    int error = comm_meet(world, start, mine, true, h);

    if (error ? error == MPI_ERR_NO_MEM || fault_tolerance : handshake_is_ours(h))
        return error;
    if (error) { /* what has come was too long */
        env_say_here("the start of Tutti has met another collective; %s", to_check);
    } else {
        say_start(h);
        leave_time_to_say(h);
    }
    return PMPI_Abort(MPI_COMM_WORLD, MPI_ERR_OTHER); /* what that rank was sending is lost */
}

/* Who has not come? */
static void report(comm *c)
{
    char missing[512];

    report_start(c);
    if (!watch_on || !c->current || c->reported || !watch_too_long(c->opened))
        return;
    handshake_missing(c->current, missing, sizeof missing);
    env_say_here("%s on rank %d of %d is open for %.1f s: waits for %s to call it on this "
                 "communicator, too",
                 c->caller, c->rank, c->p, watch_since(c->opened), missing);
    c->reported = true;
}

/* Returns how many communicators became ready. */
static int test_handshakes(void)
{
    comm *c, *first = NULL;
    int opened = 0;

    for (int i = 0; i < BATCH && (c = next_pending()) && c != first; i++) {
        if (!first)
            first = c;
        if (c->begun && c->current == &c->first) { /* else a call waits for it by itself */
            test_handshake(c);
            opened += c->ready;
        }
        report(c);
    }
    return opened;
}

int comm_advance(comm_ticket **admitted)
{
    comm *c;
    comm_ticket **end = admitted;
    bool pending = false;
    int opened;

    atomic_store(&comm_pending, COMM_ADVANCING); /* set again by whatever closes a gate meanwhile */
    opened = test_handshakes();
    prepare_one();
    *end = NULL;
    DL_FOREACH (comm_all, c) {
        pending |= c->current && !c->lost;
        if (c->ready && c->gated_head)
            end = open_gate(c, end);
        pending |= is_unprepared(c);
    }
    if (pending)
        set_pending();
    else
        clear_pending();
    return opened;
}

int comm_wait_ready(comm *c)
{
    for (int idle = 0; c->begun && !c->ready;)
        comm_above.idle_turn(&idle);
    return c->failure;
}
