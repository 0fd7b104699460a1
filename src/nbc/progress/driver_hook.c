/* driver_hook.c - Open MPI's progress callbacks: every native MPI call advances the engine.
 *
 * opal_progress_register is exported by libopen-pal but by no header, so it is looked up at run
 * time. The engine's try-lock guards against re-entry: our own native calls come back here.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "nbc/progress/driver.h"

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

static int hook_counted(void)
{
    int n;

    tally_poll_begin();
    n = engine_progress(NULL);
    tally_poll_end();
    return n;
}

static int hook(void)
{
    return tally_on && engine_busy() ? hook_counted() : engine_progress(NULL);
}

static bool stays; /* a driver wants it, no need to lend it */

static bool add_hook(void)
{
    change_callbacks *add = find("opal_progress_register");

    return add && add(hook) == 0;
}

static void remove_hook(void)
{
    change_callbacks *remove = find("opal_progress_unregister");

    if (remove)
        remove(hook);
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
bool driver_hook_lend(void)
{
    return !stays && add_hook();
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
