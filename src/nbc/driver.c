/* driver.c - choose the driver, and the callbacks that all native requests share. */
#include "nbc/driver.h"

#include "nbc/engine.h"
#include "nbc/env.h"
#include "nbc/library.h"

#include <string.h>

const driver *const driver_table[] = {
#ifdef TUTTI_HAVE_MPIX_GREQUEST
    &driver_poll,
#endif
    &driver_hook,
    &driver_manual,
    NULL,
};

/* The operation is collective over peers that count on us: it cannot be taken back. */
int driver_cancel(void *extra_state, int complete)
{
    (void)extra_state, (void)complete;
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

int driver_query(void *extra_state, MPI_Status *status)
{
    exec *e = extra_state;

    library_empty_status(status);
    return e->error;
}

/* The user has completed the request, or has freed it while the operation runs (which MPI
 * forbids): then the engine finishes it and nobody is told. */
int driver_free(void *extra_state)
{
    exec *e = extra_state;

    if (exec_get_state(e) != EXEC_DONE)
        e->detached = true;
    else
        e->collect(e);
    return MPI_SUCCESS;
}

int driver_wait(int count, void **extra_states, double timeout, MPI_Status *status)
{
    int idle = 0;

    (void)timeout, (void)status;
    for (int i = 0; i < count; i++)
        while (exec_get_state(extra_states[i]) != EXEC_DONE)
            engine_idle_turn(&idle);
    return MPI_SUCCESS;
}

/* ---- self-test ---- */

static exec probe;

/* Does a native MPI_Test of a pending request enter the engine? */
static bool passes(const driver *d)
{
    MPI_Request request;
    unsigned before;
    int flag = 0;

    memset(&probe, 0, sizeof probe);
    if (d->request(&probe, &request) != MPI_SUCCESS)
        return false;
    before = engine_calls();
    for (int i = 0; i < 100 && engine_calls() == before; i++)
        PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    bool entered = engine_calls() != before;
    PMPI_Grequest_complete(request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return entered;
}

static bool try_driver(const driver *d)
{
    if (d->start() != MPI_SUCCESS)
        return false;
    if (d == &driver_manual || passes(d))
        return true;
    d->stop();
    return false;
}

int driver_choose(const char *forced, const driver **chosen, const char **reason)
{
    for (int i = 0; driver_table[i]; i++) {
        const driver *d = driver_table[i];
        if (forced && strcmp(forced, d->name) != 0)
            continue;
        if (try_driver(d)) {
            *chosen = d;
            *reason = forced ? "forced by TUTTI_PROGRESS" : d->how;
            if (env_verbose())
                env_say("progress driver %s: %s", d->name, *reason);
            return MPI_SUCCESS;
        }
    }
    env_say("TUTTI_PROGRESS=%s: not possible with this MPI; poll (MPICH), hook (Open MPI) or "
            "manual",
            forced);
    return MPI_ERR_ARG;
}
