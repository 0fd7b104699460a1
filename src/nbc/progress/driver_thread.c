/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_thread.c - one thread per process advances the engine while something runs.
 *
 *   asleep --start--> spin --SPIN fruitless turns--> rest after each turn
 *      ^                                                   |
 *      +------------- nothing runs for LINGER turns -------+
 *
 * Where ranks share processors it naps after each fruitless turn instead.
 *
 * Asleep it waits on a condition variable and costs nothing. The program's own waits advance as
 * before: whoever gets the engine's try-lock. Native requests are of the other drivers' form, and
 * advance in native calls too: where nobody is idle, a thread that yields comes back only after the
 * time slices of all others, and a wait that left the work to it would burn one for every message.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "nbc/progress/driver.h"

#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/process/rest.h"
#include "nbc/process/role.h"
#include "nbc/process/trace.h"
#include "nbc/process/waker.h"
#include "nbc/run/engine.h"
#include "topo/pu.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { SPIN = 50, LINGER = 200 }; /* it looks for less long than a wait: rest.h */

/* Nanoseconds. Where ranks share processors the thread takes one from those whose messages it looks
 * for. What the program waits for in here the program's own thread advances. */
enum { NAP = 100000, LONG_NAP = 1000000 };

static pthread_mutex_t users_mutex = PTHREAD_MUTEX_INITIALIZER; /* of the four below */
static int users;
static pthread_t id;
static bool running; /* id is valid */
static int wanted_pu;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* work, stop or bound */
static atomic_bool asleep, stopping;
static atomic_bool calls_ops; /* somebody has allowed it to call functions of MPI_Op_create */
static atomic_uint starts;
static bool started; /* the thread has tried to bind itself */
static int bind_error;

/* After each start. Either sleep_until_work sees the new number of starts, or we see that it is
 * asleep: both are written before the other one is read, and the order of these accesses is total.
 */
static void wake(bool outlives)
{
    atomic_fetch_add(&starts, 1);
    if (!atomic_load(&asleep))
        return;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void sleep_until_work(void)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&asleep, true);
    for (;;) {
        unsigned before = atomic_load(&starts);
        if (engine_busy() || atomic_load(&stopping))
            break;
        if (atomic_load(&starts) == before)
            pthread_cond_wait(&changed, &mutex);
    }
    atomic_store(&asleep, false);
    pthread_mutex_unlock(&mutex);
}

static void say_started(int pu)
{
    pthread_mutex_lock(&mutex);
    bind_error = pu >= 0 ? pu_bind(pu) : 0;
    started = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void nap_thread(void)
{
    static unsigned before;
    unsigned turns = engine_idle_turns();

    nanosleep(&(struct timespec){.tv_nsec = turns == before ? NAP : LONG_NAP}, NULL);
    before = turns;
}

static void *run_thread(void *argument)
{
    int fruitless = 0;

    role_now = ROLE_THREAD;
    say_started(*(int *)argument);
    while (!atomic_load(&stopping)) {
        role_keeps_off = !atomic_load_explicit(&calls_ops, memory_order_relaxed);
        if (engine_progress(NULL)) {
            fruitless = 0;
            continue;
        }
        if (fruitless <= LINGER)
            fruitless++;
        if (!engine_busy() && fruitless > LINGER)
            sleep_until_work();
        else if (rest_shares())
            nap_thread();
        else if (fruitless > SPIN)
            rest(fruitless - SPIN);
    }
    return NULL;
}

/* Signals are the program's: none is delivered to this thread. */
static int create_thread(int pu)
{
    sigset_t all, before;
    int error;

    started = false;
    atomic_store(&stopping, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&id, NULL, run_thread, &pu);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return reason_set(MPI_ERR_OTHER, "pthread_create failed: %s", strerror(error));
    pthread_setname_np(id, "tutti");
    pthread_mutex_lock(&mutex);
    while (!started)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}

static void end_thread(void)
{
    waker_set(NULL);
    if (!running)
        return;
    pthread_mutex_lock(&mutex);
    atomic_store(&stopping, true);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(id, NULL);
    running = false;
}

/* On this unit; where the program has chosen it, there or not at all. */
static int create_bound_thread(int pu, bool chosen)
{
    int error = create_thread(pu);

    if (error)
        return error;
    running = true;
    if (!bind_error || !chosen)
        return MPI_SUCCESS;
    end_thread();
    return reason_set(MPI_ERR_INFO_VALUE,
                      "tutti_cpu=%d: must be a processing unit that this process may use", pu);
}

static int begin_thread(int wanted)
{
    int pu = wanted == PU_DEFAULT ? pu_choose() : wanted, error;

    if (driver_has_extended())
        engine_defer_completions();
    error = create_bound_thread(pu, wanted != PU_DEFAULT);
    if (error)
        return error;
    waker_set(wake);
    if (env_verbose() && pu >= 0 && !bind_error)
        env_say("progress thread on processing unit %d", pu);
    else if (env_verbose())
        env_say("progress thread not bound: no processing unit is free for it");
    return MPI_SUCCESS;
}

/* The first operation that a thread is needed for. Without one there is no other way than the
 * program's own calls. */
static void begin_when_needed(bool outlives)
{
    if (!outlives)
        return;
    pthread_mutex_lock(&users_mutex);
    waker_set(NULL);
    if (users > 0 && !running)
        begin_thread(wanted_pu);
    pthread_mutex_unlock(&users_mutex);
}

/* The thread begins later, when no call can return an error of its unit: so that is tried now. */
static int begin_later(int pu)
{
    int error = pu >= 0 ? create_bound_thread(pu, true) : MPI_SUCCESS;

    end_thread();
    if (error)
        return error;
    wanted_pu = pu;
    waker_set(begin_when_needed);
    return MPI_SUCCESS;
}

int driver_thread_start(int pu, bool when_needed, bool runs_ops)
{
    int error = MPI_SUCCESS;

    if (!process_threaded)
        return reason_set(MPI_ERR_UNSUPPORTED_OPERATION,
                          "needs MPI_THREAD_MULTIPLE; ask MPI_Init_thread for it");
    pthread_mutex_lock(&users_mutex);
    if (!running && when_needed && users == 0) {
        error = begin_later(pu);
    } else if (!running && !when_needed) {
        error = begin_thread(pu);
    }
    if (!error && runs_ops)
        atomic_store(&calls_ops, true);
    if (!error)
        users++;
    pthread_mutex_unlock(&users_mutex);
    return error;
}

int driver_thread_stop(void)
{
    int error = MPI_SUCCESS;

    pthread_mutex_lock(&users_mutex);
    if (users == 0)
        error = reason_set(MPI_ERR_OTHER, "no progress thread has been started");
    else if (--users == 0)
        end_thread();
    if (users == 0)
        atomic_store(&calls_ops, false);
    pthread_mutex_unlock(&users_mutex);
    return error;
}

void driver_thread_end(void)
{
    pthread_mutex_lock(&users_mutex);
    if (users > 0)
        end_thread();
    users = 0;
    pthread_mutex_unlock(&users_mutex);
}

/* ---- as the driver ---- */

static const char *start_thread_driver(void)
{
    if (!process_threaded)
        return "MPI_THREAD_MULTIPLE is not provided";
    if (driver_thread_start(PU_DEFAULT, false, false))
        return "pthread_create failed: too many threads, or not enough memory";
    driver_hook.start(); /* Open MPI's waits; MPICH has no such hook and calls our poll function */
    return NULL;
}

static void stop_thread_driver(void)
{
    driver_hook.stop();
    driver_thread_stop();
}

static int thread_request(exec *e, MPI_Request *request)
{
    return driver_has_extended() ? driver_poll_request(e, request)
                                 : driver_hook.request(e, request);
}

const driver driver_thread = {
    .name = "thread",
    .how = "a progress thread advances Tutti's operations",
    .start = start_thread_driver,
    .stop = stop_thread_driver,
    .request = thread_request,
};
