/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - the list of running execs, and who may advance them. */
#include "nbc/run/engine.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/failures.h"
#include "nbc/comm/first.h"
#include "nbc/process/clock.h"
#include "nbc/process/process.h"
#include "nbc/process/rest.h"
#include "nbc/process/simulated.h"
#include "nbc/process/waker.h"
#include "nbc/process/watch.h"
#include "nbc/run/completion.h"
#include "nbc/run/life.h"
#include "nbc/run/record.h"
#include "nbc/run/report.h"
#include "nbc/run/steps.h"

#include <utlist.h>

enum {
    BATCH = 16,      /* execs polled by one call: bounds its cost however many run */
    LOOKS = 64,      /* polls of messages in shared memory in a turn of a wait */
    POKE_SHARED = 16 /* where ranks share processors: rests to one look at MPI, which yields, too */
};

static exec *running;               /* engine lock */
static _Atomic(exec *) handed_over; /* started while the lock was taken; newest first */
static atomic_int nrunning;         /* length of `running`, for engine_busy */
static atomic_uint idle_turns;

/* They stay as they are, active for ever. */
void engine_abandon(void)
{
    engine_enter();
    running = NULL;
    completion_abandon();
    atomic_store(&handed_over, NULL);
    atomic_store(&nrunning, 0);
    comm_abandon();
    engine_leave();
}

static inline bool is_busy(void)
{
    return atomic_load_explicit(&nrunning, memory_order_relaxed) > 0 ||
           atomic_load_explicit(&handed_over, memory_order_relaxed) != NULL ||
           atomic_load_explicit(&comm_pending, memory_order_relaxed) != COMM_IDLE;
}

bool engine_busy(void)
{
    return is_busy();
}

int engine_running(void)
{
    return atomic_load_explicit(&nrunning, memory_order_relaxed);
}

int engine_steps_left(exec *e)
{
    int left = e->bound.sched->nsteps;

    if (!process_threaded && exec_get_state(e) == EXEC_RUNNING)
        return e->run.left;
    if (process_threaded)
        engine_enter();
    exec_state state = exec_get_state(e);
    if (state == EXEC_RUNNING)
        left = e->run.left;
    else if (state == EXEC_DONE)
        left = 0;
    if (process_threaded)
        engine_leave();
    return left;
}

/* Lock held. */
static void count_running(int by)
{
    int n = atomic_load_explicit(&nrunning, memory_order_relaxed);

    atomic_store_explicit(&nrunning, n + by, memory_order_relaxed);
}

void engine_defer_completions(void)
{
    completion_by_program = true;
}

static void list_exec(exec *e)
{
    DL_APPEND(running, e);
    count_running(1);
}

static void end_listed(exec *e)
{
    if (!life_is_over(e))
        return;
    DL_DELETE(running, e);
    count_running(-1);
    life_end(e);
}

static int poll_exec(exec *e)
{
    int n = 0;

    if (comm_is_broken(e->comm) && e->run.left)
        n = steps_give_up(e, e->comm->failure);
    else if (e->run.left)
        n = steps_poll(e);

    end_listed(e);
    return n;
}

/* ---- start ---- */

static void begin_exec(exec *e)
{
    if (life_begin(e))
        life_end(e);
    else
        list_exec(e);
}

static void admit(exec *e)
{
    if (e->ticket.persistent || !gate_is_closed(&e->comm->gate, &e->ticket))
        begin_exec(e);
}

/* Take in what other threads have started, oldest first. */
static void take_over(void)
{
    exec *newest, *oldest = NULL;

    if (atomic_load_explicit(&handed_over, memory_order_relaxed) == NULL)
        return;
    newest = atomic_exchange(&handed_over, NULL);
    while (newest) {
        exec *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        exec *e = oldest;
        oldest = e->next;
        e->next = NULL;
        admit(e);
    }
}

static void hand_over_exec(exec *e)
{
    e->next = atomic_load(&handed_over);
    while (!atomic_compare_exchange_weak(&handed_over, &e->next, e))
        ;
}

void engine_start(exec *e)
{
    bool outlives = e->ticket.persistent || e->native.request != MPI_REQUEST_NULL;

    atomic_store_explicit(&e->state, EXEC_GATED, memory_order_relaxed);
    if (e->staged)
        staged_begin(e->staged);
    if (e->stats.timed) {
        e->stats.started = clock_now();
        e->stats.reported = false;
        if (e->stats.count.form != STATS_FORM_NONE)
            stats_begin(&e->stats.count);
    }
    record_begin(e);
    if (engine_try_enter()) {
        take_over();
        admit(e);
        engine_leave();
    } else {
        hand_over_exec(e);
    }
    waker_wake(outlives);
}

void engine_prepare(comm_ticket *t)
{
    exec *e = exec_of(t);
    int (*prepare)(exec *) = e->prepare;

    e->prepared = prepare(e);
    if (e->prepared) /* it is looked at when the steps begin */
        e->prepare = prepare;
}

bool engine_prepares(const comm *c)
{
    bool found = false;
    exec *e;

    engine_enter();
    take_over();
    DL_FOREACH (running, e)
        found |= e->comm == c && e->prepare;
    engine_leave();
    return found;
}

/* ---- progress ---- */

/* Poll the oldest exec of the list, which goes to its end: all get their turn. */
static int poll_next(const exec *but)
{
    exec *e = running;

    if (e->next) {
        DL_DELETE(running, e);
        DL_APPEND(running, e);
    }
    return e == but ? 0 : poll_exec(e);
}

static void report_one_gated(comm_ticket *t)
{
    report_gated(exec_of(t));
}

/* Go on with what operations wait for before they begin. */
static int advance_communicators(void)
{
    comm_ticket *t, *next;
    int n = comm_advance(&t);

    for (; t; t = next) {
        next = t->gate_next;
        begin_exec(exec_of(t));
        waker_wake(false); /* nothing may have run before */
    }
    if (watch_on)
        comm_visit_gated(report_one_gated);
    return n;
}

/* Lock held: poll one exec, if given, and at most so many others in their turn. */
static int advance_execs(exec *one, int others)
{
    int n = 0;

    if (watch_on)
        watch_tick();
    if (fault_tolerance)
        failures_look_at_times();
    if (completion_is_wanted())
        completion_report_deferred();
    take_over();
    if (atomic_load_explicit(&comm_pending, memory_order_relaxed) == COMM_PENDING)
        n += advance_communicators();
    if (one && exec_get_state(one) == EXEC_RUNNING)
        n += poll_exec(one);
    int length = atomic_load_explicit(&nrunning, memory_order_relaxed);
    for (int i = 0; i < others && i < length && running; i++)
        n += poll_next(one);
    if (watch_on)
        report_running(running);
    return n;
}

__attribute__((noinline)) static int enter_and_advance(exec *one, int others)
{
    int n = 0;

    if (engine_try_enter()) {
        n = advance_execs(one, others);
        engine_leave();
    }
    return n;
}

/* Nothing that runs is not in the list: an idle engine costs four loads, no lock. */
static inline int try_advance(exec *one, int others)
{
    return is_busy() || completion_is_wanted() ? enter_and_advance(one, others) : 0;
}

int engine_progress(exec *first)
{
    return try_advance(first, BATCH);
}

int engine_progress_for(exec *e)
{
    return try_advance(e, 1);
}

/* MPI is looked at before the processor is given away, also where all that is open is in shared
 * memory: on a busy machine that is for long, and others may wait for messages of the program's.
 * Where ranks share processors it is given away in each turn, and comes back soon. */
static void idle_turn(exec *e, int *idle)
{
    if (engine_progress(e)) {
        *idle = 0;
    } else {
        if (process_threaded)
            atomic_fetch_add_explicit(&idle_turns, 1, memory_order_relaxed);
        if (rest_shares() ? *idle % POKE_SHARED == POKE_SHARED - 1 : *idle + 1 >= rest_after())
            channel_poke();
        rest_turn(idle);
    }
}

void engine_idle_turn(int *idle)
{
    idle_turn(NULL, idle);
}

unsigned engine_idle_turns(void)
{
    return atomic_load_explicit(&idle_turns, memory_order_relaxed);
}

/* Nothing but open messages of e is left to do. */
static bool only_messages_left(const exec *e)
{
    return e->run.left && steps_only_messages(e) && running == e && e->next == NULL &&
           atomic_load_explicit(&comm_pending, memory_order_relaxed) == COMM_IDLE;
}

/* Nothing but messages through shared memory is left to do: to look at them costs less than a turn
 * of all that may run. MPI is looked at as often as ever (open.c). */
static bool look_at_messages(exec *e)
{
    bool alone = shm_waits(e->shm) && !e->run.nopen && running == e && !e->next &&
                 atomic_load_explicit(&comm_pending, memory_order_relaxed) == COMM_IDLE;

    for (int i = 0; alone && i < LOOKS && exec_get_state(e) == EXEC_RUNNING; i++)
        poll_exec(e);
    return alone;
}

/* In SimGrid all messages are waited for in native calls, as long as e is all that runs. */
static bool simulated_turn(exec *e)
{
    if (!simulated() || exec_get_state(e) != EXEC_RUNNING || running != e || e->next ||
        !e->run.nopen)
        return false;
    steps_wait_any(e);
    end_listed(e);
    return true;
}

/* The native wait only without threads: while it blocks, nobody else could start something that the
 * peers wait for. Nor with TUTTI_TIMEOUT: it could not report the open steps; nor with fault
 * tolerance: who would send may have given up. */
static void wait_turn_for_exec(exec *e, int *idle)
{
    if (!process_threaded && !watch_on && engine_try_enter()) {
        bool runs = exec_get_state(e) == EXEC_RUNNING;
        bool only = runs && !fault_tolerance && only_messages_left(e);
        if (only) {
            steps_wait(e);
            end_listed(e);
        } else if (runs && !rest_shares() && *idle < rest_after() && look_at_messages(e)) {
            *idle += LOOKS;
        }
        only = only || simulated_turn(e);
        engine_leave();
        if (only || exec_get_state(e) == EXEC_DONE)
            return;
    }
    idle_turn(e, idle);
}

void engine_wait(exec *e)
{
    int64_t begun = exec_get_state(e) == EXEC_DONE ? 0 : record_now();

    for (int idle = 0; exec_get_state(e) != EXEC_DONE;)
        wait_turn_for_exec(e, &idle);
    record_wait(e, "wait", begun);
}

void engine_wait_all(void)
{
    while (running)
        engine_wait(running);
}
