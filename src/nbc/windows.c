/* windows.c - the windows of tags that persistent requests hold for their life: see comm.h. */
#include "nbc/comm.h"
#include "nbc/engine.h"
#include "nbc/exec.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* All windows have been used once: find out which are free on every rank. */
static int agree(comm *c)
{
    int n = c->windows - c->split, error;
    exec *e;
    MPI_Request request;

    if (!c->held)
        c->held = malloc((size_t)n);
    if (!c->held)
        return MPI_ERR_NO_MEM;
    memset(c->held, 0, (size_t)n);
    for (e = c->persistent; e; e = e->window_next)
        c->held[e->window - c->split] = 1;
    error =
        PMPI_Iallreduce(MPI_IN_PLACE, c->held, n, MPI_UNSIGNED_CHAR, MPI_MAX, c->shadow, &request);
    return error ? error : comm_wait_native(&request);
}

static int find_window(comm *c, int *window)
{
    if (c->next_persistent < c->windows) {
        *window = c->next_persistent++;
        return MPI_SUCCESS;
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; c->held && i < c->windows - c->split; i++)
            if (!c->held[i]) {
                c->held[i] = 1;
                *window = c->split + i;
                return MPI_SUCCESS;
            }
        int error = round == 0 ? agree(c) : MPI_SUCCESS;
        if (error)
            return error;
    }
    return MPI_ERR_OTHER;
}

int comm_persistent_window(comm *c, exec *e)
{
    int error = find_window(c, &e->window);

    if (error)
        return error;
    e->persistent = true;
    DL_APPEND2(c->persistent, e, window_prev, window_next);
    return MPI_SUCCESS;
}

void comm_persistent_release(comm *c, exec *e)
{
    DL_DELETE2(c->persistent, e, window_prev, window_next);
    e->persistent = false;
}
