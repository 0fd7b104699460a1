/* SPDX-License-Identifier: BSD-3-Clause */
/* open_simulated.c - see open_simulated.h. */
#include "nbc/run/open_simulated.h"
#include "nbc/process/native_mpi.h"

#include <stdlib.h>

enum { POSTED = SCHED_WINDOW };

bool open_hold(exec *e, int index)
{
    const step *st = &e->bound.sched->steps[index];
    struct held *h = &e->run.held[st->queue];

    if (st->kind != STEP_RECV || h->posted < POSTED) {
        h->posted++;
        return false;
    }
    if (h->n++ > 0)
        e->run.after[h->last] = index;
    else
        h->first = index;
    h->last = index;
    return true;
}

int open_release(exec *e, int queue)
{
    struct held *h = &e->run.held[queue];
    int index = h->first;

    if (h->n == 0) {
        h->posted--;
        return -1;
    }
    h->n--;
    h->first = e->run.after[index];
    return index;
}

static void close_message(exec *e, int index, int error)
{
    int q = e->bound.sched->steps[index].queue, at = 0, before;

    while (at < e->run.nprobes && e->run.probe_step[at] != index)
        at++;
    if (at < e->run.nprobes) {
        open_next(e, at);
    } else {
        for (before = e->run.queue_head[q]; e->run.after[before] != index;
             before = e->run.after[before])
            ;
        open_drop_behind(e, q, before);
    }
    e->run.finished[0] = (struct finished){.step = index, .error = error};
}

/* Does anything wait for this message? Not for the sends of most schedules. */
static bool awaited(const sched *s, int index)
{
    return s->steps[index].kind == STEP_RECV || s->succ_at[index] < s->succ_at[index + 1];
}

/* The oldest open messages of each queue, all or those that something waits for. Returns how many.
 */
static int list_oldest(const exec *e, bool all, int steps[], MPI_Request requests[])
{
    enum { OLDEST = SCHED_WINDOW };
    int n = 0;

    for (int i = 0; i < e->run.nprobes; i++) {
        int k = e->run.probe_step[i];
        for (int taken = 0; taken < OLDEST && k >= 0; k = e->run.flat ? -1 : e->run.after[k]) {
            if (!all && !awaited(e->bound.sched, k))
                continue;
            steps[n] = k;
            requests[n++] = e->run.requests[e->bound.sched->steps[k].message];
            taken++;
        }
    }
    return n;
}

/* A message to MPI_PROC_NULL: SimGrid 3.32's MPI_Waitany crashes on the request of such a one. */
static bool is_empty_message(const bound *b, int index)
{
    return b->messages[b->sched->steps[index].message].empty;
}

/* Not only for the oldest of each queue: what a younger one makes ready may be what the oldest
 * waits for. Not for all, because SimGrid's time grows with their number; if that should ever not
 * be enough, SimGrid reports a deadlock. */
void open_wait_any(exec *e)
{
    int n, which, error;
    int *steps = malloc((size_t)e->run.nopen * sizeof *steps);
    MPI_Request *requests = malloc((size_t)e->run.nopen * sizeof(MPI_Request));

    if (!steps || !requests)
        abort(); /* the simulation, not a program's run */
    n = list_oldest(e, false, steps, requests);
    if (n == 0) /* only sends are left */
        n = list_oldest(e, true, steps, requests);
    for (which = 0; which < n && !is_empty_message(&e->bound, steps[which]); which++)
        ;
    error = which < n ? native_mpi.Wait(&requests[which], MPI_STATUS_IGNORE)
                      : native_mpi.Waitany(n, requests, &which, MPI_STATUS_IGNORE);
    close_message(e, steps[which], error);
    free(requests);
    free(steps);
}
