/* engine.c - the list of running execs, and who may advance them. */
#include "nbc/engine.h"

#include "nbc/comm.h"
#include "nbc/library.h"
#include "nbc/steps.h"

#include <sched.h>
#include <utlist.h>

enum { SPIN = 500 }; /* fruitless turns of a wait before it yields the processor */

static atomic_flag lock = ATOMIC_FLAG_INIT;
static bool inside;                 /* the lock where there is one thread: against re-entry */
static exec *running;               /* engine lock */
static _Atomic(exec *) handed_over; /* started while the lock was taken; newest first */
static atomic_int nrunning;         /* length of `running`, for engine_busy */
static atomic_bool duplications;    /* comm.c has duplications in progress */
static atomic_uint calls;

/* Atomic read-modify-writes cost as much as all the rest of a start: only with threads. */
bool engine_try_enter(void)
{
    if (library_threaded)
        return !atomic_flag_test_and_set_explicit(&lock, memory_order_acquire);
    if (inside)
        return false;
    inside = true;
    return true;
}

void engine_enter(void)
{
    while (!engine_try_enter())
        sched_yield();
}

void engine_leave(void)
{
    if (library_threaded)
        atomic_flag_clear_explicit(&lock, memory_order_release);
    inside = false;
}

bool engine_busy(void)
{
    return atomic_load_explicit(&nrunning, memory_order_relaxed) > 0 ||
           atomic_load_explicit(&handed_over, memory_order_relaxed) != NULL ||
           atomic_load_explicit(&duplications, memory_order_relaxed);
}

unsigned engine_calls(void)
{
    return atomic_load_explicit(&calls, memory_order_relaxed);
}

void engine_poll_communicators(bool pending)
{
    atomic_store(&duplications, pending);
}

/* Lock held. */
static void count_running(int by)
{
    int n = atomic_load_explicit(&nrunning, memory_order_relaxed);

    atomic_store_explicit(&nrunning, n + by, memory_order_relaxed);
}

/* Only ever compared with itself: a lost count does not matter. */
static void count_call(void)
{
    unsigned n = atomic_load_explicit(&calls, memory_order_relaxed);

    atomic_store_explicit(&calls, n + 1, memory_order_relaxed);
}

static void done(exec *e)
{
    DL_DELETE(running, e);
    count_running(-1);
    comm_window_done(e->comm, e);
    MPI_Request native = e->native;
    bool detached = e->detached;
    atomic_store_explicit(&e->state, EXEC_DONE, memory_order_release);
    if (native != MPI_REQUEST_NULL) /* unless detached, this may call collect, and e is gone */
        PMPI_Grequest_complete(native);
    if (detached)
        e->collect(e);
}

static int poll(exec *e)
{
    int n = steps_poll(e);

    if (e->left == 0)
        done(e);
    return n;
}

/* ---- start ---- */

void engine_begin(exec *e)
{
    atomic_store_explicit(&e->state, EXEC_RUNNING, memory_order_relaxed);
    DL_APPEND(running, e);
    count_running(1);
    steps_begin(e);
    if (e->left == 0)
        done(e);
}

static void admit(exec *e)
{
    if (!comm_gate(e->comm, e))
        engine_begin(e);
}

/* Take in what other threads have started, oldest first. */
static void take_over(void)
{
    exec *newest, *oldest = NULL;

    if (atomic_load_explicit(&handed_over, memory_order_relaxed) == NULL)
        return;
    newest = atomic_exchange(&handed_over, NULL);
    while (newest) {
        exec *next = newest->gate_next;
        newest->gate_next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        exec *e = oldest;
        oldest = e->gate_next;
        e->gate_next = NULL;
        admit(e);
    }
}

void engine_start(exec *e)
{
    atomic_store_explicit(&e->state, EXEC_GATED, memory_order_relaxed);
    if (engine_try_enter()) {
        take_over();
        admit(e);
        engine_leave();
        return;
    }
    e->gate_next = atomic_load(&handed_over);
    while (!atomic_compare_exchange_weak(&handed_over, &e->gate_next, e))
        ;
}

/* ---- progress ---- */

static int advance_all(void)
{
    int n = 0;
    exec *e, *next;

    take_over();
    if (atomic_load_explicit(&duplications, memory_order_relaxed))
        n += comm_advance();
    DL_FOREACH_SAFE (running, e, next)
        n += poll(e);
    return n;
}

int engine_progress(void)
{
    int n = 0;

    count_call();
    if (engine_busy() && engine_try_enter()) {
        n = advance_all();
        engine_leave();
    }
    return n;
}

/* Move the head of the running list to its end and poll it. */
static int poll_rotating(const exec *but)
{
    exec *e = running;

    if (!e || !e->next)
        return 0;
    DL_DELETE(running, e);
    DL_APPEND(running, e);
    return e == but ? 0 : poll(e);
}

int engine_progress_for(exec *e)
{
    int n = 0;

    count_call();
    if (engine_try_enter()) {
        take_over();
        if (atomic_load_explicit(&duplications, memory_order_relaxed))
            n += comm_advance();
        if (exec_get_state(e) == EXEC_RUNNING)
            n += poll(e);
        n += poll_rotating(e);
        engine_leave();
    }
    return n;
}

void engine_idle_turn(int *idle)
{
    if (engine_progress())
        *idle = 0;
    else if (++*idle >= SPIN) {
        *idle = 0;
        sched_yield();
    }
}

/* Nothing but open messages of e is left to do. */
static bool only_messages_left(const exec *e)
{
    return steps_only_messages(e) && running == e && e->next == NULL &&
           !atomic_load_explicit(&duplications, memory_order_relaxed);
}

/* The native wait only without threads: while it blocks, nobody else could start something that the
 * peers wait for. */
void engine_wait_turn(exec *e, int *idle)
{
    if (!library_threaded && engine_try_enter()) {
        bool only = exec_get_state(e) == EXEC_RUNNING && only_messages_left(e);
        if (only) {
            steps_wait(e);
            done(e);
        }
        engine_leave();
        if (only)
            return;
    }
    engine_idle_turn(idle);
}
