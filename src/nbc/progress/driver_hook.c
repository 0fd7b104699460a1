/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_hook.c - Open MPI's progress callbacks: every native MPI call advances the engine, as long
 * as something runs in it.
 *
 * opal_progress_register is exported by libopen-pal but by no header, so it is looked up at run
 * time. The engine's try-lock guards against re-entry: our own native calls come back here.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "nbc/progress/driver.h"

#include "nbc/process/mutex.h"
#include "nbc/process/role.h"
#include "nbc/process/trace.h"
#include "nbc/process/waker.h"
#include "nbc/run/engine.h"
#include "nbc/stats/stats.h"

#include <dlfcn.h>

typedef int callback(void);
typedef int change_callbacks(callback *);

static change_callbacks *find_opal_function(const char *name)
{
    return (change_callbacks *)dlsym(RTLD_DEFAULT, name);
}

int driver_advance(exec *e)
{
    role before;
    int n;

    if (!trace_is_on())
        return e ? engine_progress_for(e) : engine_progress(NULL);
    before = role_enter_mpi();
    n = e ? engine_progress_for(e) : engine_progress(NULL);
    role_now = before;
    return n;
}

static int hook_counted(void)
{
    int n;

    stats_poll_begin();
    n = driver_advance(NULL);
    stats_poll_end();
    return n;
}

int driver_hook_turn(void)
{
    return stats_on && engine_busy() ? hook_counted() : driver_advance(NULL);
}

bool driver_turn_while_needed(int *idle, int *n)
{
    enum { LINGER = 1000 };

    *n = 0;
    if (!engine_busy())
        return ++*idle <= LINGER;
    *idle = 0;
    *n = driver_hook_turn();
    return true;
}

/* This is the driver, and its hook is there: at MPI_THREAD_MULTIPLE for good, else while operations
 * run, and a little longer. A program that only ever waits in blocking calls does not pay for it in
 * each native one. */
static bool wanted, there;
static int idle;

static bool add_hook(callback *f)
{
    static change_callbacks *add;

    add = add ? add : find_opal_function("opal_progress_register");
    return add && add(f) == 0;
}

static void remove_hook(callback *f)
{
    static change_callbacks *remove;

    remove = remove ? remove : find_opal_function("opal_progress_unregister");
    if (remove)
        remove(f);
}

static int turn_while_needed(void)
{
    int n;

    if (!driver_turn_while_needed(&idle, &n)) {
        there = false;
        remove_hook(turn_while_needed);
    }
    return n;
}

static callback *hook_of(void)
{
    return process_threaded ? driver_hook_turn : turn_while_needed;
}

/* What does not outlive its call advances in it. */
static void begin_hook(bool outlives)
{
    if (!outlives || there)
        return;
    idle = 0;
    there = add_hook(hook_of());
}

static const char *start_hook_driver(void)
{
    if (!find_opal_function("opal_progress_register"))
        return "this MPI has no opal_progress_register";
    wanted = true;
    if (!process_threaded) {
        waker_set(begin_hook);
        return NULL;
    }
    begin_hook(true); /* the progress thread may want the waker */
    wanted = there;
    return there ? NULL : "opal_progress_register has failed";
}

static void stop_hook_driver(void)
{
    if (!process_threaded)
        waker_set(NULL);
    if (there)
        remove_hook(hook_of());
    there = wanted = false;
}

static int hook_request(exec *e, MPI_Request *request)
{
    return PMPI_Grequest_start(driver_query, driver_free, driver_cancel, e, request);
}

/* Open MPI registers a function once, however often it is asked: the last one takes it away. */
static pthread_mutex_t hooking = PTHREAD_MUTEX_INITIALIZER;
static int hooks; /* hooking */

bool driver_hook_add(bool *hooked)
{
    *hooked = false;
    if (wanted)
        begin_hook(true);
    if (there)
        return true;
    mutex_lock(&hooking);
    *hooked = hooks > 0 || add_hook(driver_hook_turn);
    hooks += *hooked;
    mutex_unlock(&hooking);
    return *hooked;
}

void driver_hook_remove(bool hooked)
{
    if (!hooked)
        return;
    mutex_lock(&hooking);
    if (--hooks == 0)
        remove_hook(driver_hook_turn);
    mutex_unlock(&hooking);
}

const driver driver_hook = {
    .name = "hook",
    .how = "every native MPI call advances Tutti's operations (opal_progress_register)",
    .start = start_hook_driver,
    .stop = stop_hook_driver,
    .request = hook_request,
};
