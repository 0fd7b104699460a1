/* together.c - see together.h. */
#include "api/together.h"

#include "nbc/library.h"
#include "nbc/run/engine.h"

int together_ready(MPI_Comm user, const char *caller, comm **c)
{
    int error = library_enter();

    *c = NULL;
    if (!error)
        error = comm_get(user, c);
    if (error)
        return error;
    comm_reap();
    error = comm_begin(*c, caller, true);
    return error ? error : comm_wait_ready(*c);
}

void together_pass_gate(const comm *c)
{
    bool closed = true;

    for (int idle = 0; closed;) {
        bool prepares = engine_prepares(c);
        engine_enter();
        closed = prepares || c->gated_head != NULL;
        engine_leave();
        if (closed)
            engine_idle_turn(&idle);
    }
}
