/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_hook.c - Open MPI's progress callbacks: every native MPI call advances the engine.
 *
 * opal_progress_register is exported by libopen-pal but by no header, so it is looked up at run
 * time. The engine's try-lock guards against re-entry: our own native calls come back here.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "nbc/progress/driver.h"

#include "nbc/process/trace.h"
#include "nbc/run/engine.h"
#include "nbc/tally/tally.h"

#include <dlfcn.h>

typedef int callback(void);
typedef int change_callbacks(callback *);

/* A function by name; through a union because ISO C has no conversion from void * for it. */
static change_callbacks *find(const char *name)
{
    union {
        void *object;
        change_callbacks *function;
    } symbol = {.object = dlsym(RTLD_DEFAULT, name)};

    return symbol.function;
}

/* The caller is in a native call, unless it says otherwise. */
static int progress(void)
{
    trace_who before;
    int n;

    if (!trace_is_on())
        return engine_progress(NULL);
    before = trace_caller;
    if (before == TRACE_PROGRAM)
        trace_caller = TRACE_MPI;
    n = engine_progress(NULL);
    trace_caller = before;
    return n;
}

static int hook_counted(void)
{
    int n;

    tally_poll_begin();
    n = progress();
    tally_poll_end();
    return n;
}

int driver_hook_turn(void)
{
    return tally_on && engine_busy() ? hook_counted() : progress();
}

static bool stays; /* a driver wants it, no need to lend it */

static bool add_hook(void)
{
    change_callbacks *add = find("opal_progress_register");

    return add && add(driver_hook_turn) == 0;
}

static void remove_hook(void)
{
    change_callbacks *remove = find("opal_progress_unregister");

    if (remove)
        remove(driver_hook_turn);
}

static const char *start(void)
{
    stays = add_hook();
    return stays ? NULL : "this MPI has no opal_progress_register";
}

static void stop(void)
{
    if (stays)
        remove_hook();
    stays = false;
}

static int request(exec *e, MPI_Request *request)
{
    return PMPI_Grequest_start(driver_query, driver_free, driver_cancel, e, request);
}

/* Two at a time are two registrations of one function: the first one to go takes one of them. */
bool driver_hook_lend(bool *lent)
{
    *lent = !stays && add_hook();
    return stays || *lent;
}

void driver_hook_return(bool lent)
{
    if (lent)
        remove_hook();
}

const driver driver_hook = {
    .name = "hook",
    .how = "every native MPI call advances our operations (opal_progress_register)",
    .start = start,
    .stop = stop,
    .request = request,
};
