/* engine.c - the list of running execs, and who may advance them. */
#include "nbc/run/engine.h"

#include "nbc/process/clock.h"
#include "nbc/comm/comm.h"
#include "nbc/library.h"
#include "nbc/run/steps.h"
#include "nbc/progress/watch.h"

#include <sched.h>
#include <utlist.h>
#ifdef TUTTI_SIMULATED
#include <tutti_simulated.h>
#endif

enum {
    SPIN = 500, /* fruitless turns of a wait before it yields the processor */
    BATCH = 16  /* execs polled by one call: bounds its cost however many run */
};

static atomic_flag lock = ATOMIC_FLAG_INIT;
static bool inside;                 /* the lock where there is one thread: against re-entry */
static exec *running;               /* engine lock */
static _Atomic(exec *) handed_over; /* started while the lock was taken; newest first */
static atomic_int nrunning;         /* length of `running`, for engine_busy */
static atomic_bool handshakes;      /* comm.c has some under way */
static exec *untold; /* done, their native requests are still to be completed; by `next` */
static atomic_bool any_untold;
static _Thread_local bool background;
static _Atomic(engine_waker *) waker; /* of the progress thread */

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
    else
        inside = false;
}

/* They stay as they are, active for ever. */
void engine_abandon(void)
{
    engine_enter();
    running = untold = NULL;
    atomic_store(&any_untold, false);
    atomic_store(&handed_over, NULL);
    atomic_store(&nrunning, 0);
    comm_abandon();
    atomic_store(&handshakes, false);
    engine_leave();
}

bool engine_busy(void)
{
    return atomic_load_explicit(&nrunning, memory_order_relaxed) > 0 ||
           atomic_load_explicit(&handed_over, memory_order_relaxed) != NULL ||
           atomic_load_explicit(&handshakes, memory_order_relaxed);
}

int engine_steps_left(exec *e)
{
    int left = e->sched->nsteps;

    if (!library_threaded && exec_get_state(e) == EXEC_RUNNING)
        return e->left;
    if (library_threaded)
        engine_enter();
    exec_state state = exec_get_state(e);
    if (state == EXEC_RUNNING)
        left = e->left;
    else if (state == EXEC_DONE)
        left = 0;
    if (library_threaded)
        engine_leave();
    return left;
}

void engine_wake(bool outlives)
{
    engine_waker *wake = atomic_load_explicit(&waker, memory_order_relaxed);

    if (wake)
        wake(outlives);
}

/* comm_advance clears it while it looks: the thread may have fallen asleep then. */
void engine_poll_communicators(bool pending)
{
    atomic_store(&handshakes, pending);
    if (pending)
        engine_wake(false);
}

/* Lock held. */
static void count_running(int by)
{
    int n = atomic_load_explicit(&nrunning, memory_order_relaxed);

    atomic_store_explicit(&nrunning, n + by, memory_order_relaxed);
}

void engine_i_am_background(void)
{
#ifdef TUTTI_HAVE_MPIX_GREQUEST
    background = true;
#endif
}

static bool something_to_tell(void)
{
    return atomic_load_explicit(&any_untold, memory_order_relaxed) && !background;
}

/* Complete the native requests of what the progress thread has found done. Lock held. */
static void tell(void)
{
    while (untold) {
        exec *e = untold;
        untold = e->next;
        atomic_store_explicit(&any_untold, untold != NULL, memory_order_relaxed);
        atomic_store_explicit(&e->untold, false, memory_order_relaxed);
        bool detached = e->detached;
        PMPI_Grequest_complete(e->native); /* unless detached, this may call collect: e is gone */
        if (detached)
            e->collect(e);
    }
}

static void tell_later(exec *e)
{
    e->next = untold;
    untold = e;
    atomic_store_explicit(&e->untold, true, memory_order_relaxed);
    atomic_store_explicit(&any_untold, true, memory_order_relaxed);
}

static void done(exec *e)
{
    DL_DELETE(running, e);
    count_running(-1);
    if (!e->persistent)
        comm_window_done(e->comm, e);
    if (e->timed)
        e->seconds = clock_now() - e->started;
    MPI_Request native = e->native;
    bool detached = e->detached, later = native != MPI_REQUEST_NULL && !detached && background;
    if (later)
        tell_later(e);
    atomic_store_explicit(&e->state, EXEC_DONE, memory_order_release);
    if (later)
        return;
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
    int error = e->prepare ? e->prepare(e) : MPI_SUCCESS;
    if (!error)
        error = e->comm->failure;
    if (!error && e->addressed != e->lane + 1)
        exec_address(e);
    if (error)
        steps_fail(e, error);
    else
        steps_begin(e);
    if (e->left == 0)
        done(e);
}

static void admit(exec *e)
{
    if (e->persistent || !comm_gate(e->comm, e))
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

static void hand_over(exec *e)
{
    e->gate_next = atomic_load(&handed_over);
    while (!atomic_compare_exchange_weak(&handed_over, &e->gate_next, e))
        ;
}

void engine_start(exec *e)
{
    bool outlives = e->persistent || e->native != MPI_REQUEST_NULL;

    atomic_store_explicit(&e->state, EXEC_GATED, memory_order_relaxed);
    if (e->timed) {
        e->started = clock_now();
        e->reported = false;
    }
    if (engine_try_enter()) {
        take_over();
        admit(e);
        engine_leave();
    } else {
        hand_over(e);
    }
    engine_wake(outlives);
}

void engine_set_waker(engine_waker *wake)
{
    atomic_store(&waker, wake);
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
    return e == but ? 0 : poll(e);
}

/* Lock held: poll one exec, if given, and at most so many others in their turn. */
static int advance(exec *one, int others)
{
    int n = 0;

    if (watch_on)
        watch_tick();
    if (something_to_tell())
        tell();
    take_over();
    if (atomic_load_explicit(&handshakes, memory_order_relaxed))
        n += comm_advance();
    if (one && exec_get_state(one) == EXEC_RUNNING)
        n += poll(one);
    int length = atomic_load_explicit(&nrunning, memory_order_relaxed);
    for (int i = 0; i < others && i < length && running; i++)
        n += poll_next(one);
    if (watch_on)
        watch_turn(running);
    return n;
}

/* Nothing that runs is not in the list: an idle engine costs two loads, no lock. */
static int try_advance(exec *one, int others)
{
    int n = 0;

    if ((engine_busy() || something_to_tell()) && engine_try_enter()) {
        n = advance(one, others);
        engine_leave();
    }
    return n;
}

int engine_progress(exec *first)
{
    return try_advance(first, BATCH);
}

int engine_progress_for(exec *e)
{
    return try_advance(e, 1);
}

static void idle_turn(exec *e, int *idle)
{
    if (engine_progress(e))
        *idle = 0;
    else if (++*idle >= SPIN) {
        *idle = 0;
        sched_yield();
    }
}

void engine_idle_turn(int *idle)
{
    idle_turn(NULL, idle);
}

/* Nothing but open messages of e is left to do. */
static bool only_messages_left(const exec *e)
{
    return steps_only_messages(e) && running == e && e->next == NULL &&
           !atomic_load_explicit(&handshakes, memory_order_relaxed);
}

/* In SimGrid all messages are waited for in native calls, as long as e is all that runs. */
static bool simulated_turn(exec *e)
{
#ifdef TUTTI_SIMULATED
    if (exec_get_state(e) != EXEC_RUNNING || running != e || e->next || !e->nopen)
        return false;
    steps_wait_any(e);
    if (e->left == 0)
        done(e);
    return true;
#else
    (void)e;
    return false;
#endif
}

/* The native wait only without threads: while it blocks, nobody else could start something that the
 * peers wait for. Nor with TUTTI_TIMEOUT: it could not tell of the open steps. */
static void wait_turn(exec *e, int *idle)
{
    if (!library_threaded && !watch_on && engine_try_enter()) {
        bool only = exec_get_state(e) == EXEC_RUNNING && only_messages_left(e);
        if (only) {
            steps_wait(e);
            done(e);
        }
        only = only || simulated_turn(e);
        engine_leave();
        if (only)
            return;
    }
    idle_turn(e, idle);
}

void engine_wait(exec *e)
{
    for (int idle = 0; exec_get_state(e) != EXEC_DONE;)
        wait_turn(e, &idle);
}

#ifdef TUTTI_SIMULATED
void tutti_simulated_wait(void)
{
    while (running)
        engine_wait(running);
}
#endif
