/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - see open.h. */
#include "nbc/run/open.h"

#include "nbc/comm/channel.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/simulated.h"
#include "nbc/process/trace.h"

enum { SWEEP = 64, FEW = 4, POKE = 64 };

static void add_probe(exec *e, int index)
{
    e->run.probe_step[e->run.nprobes] = index;
    e->run.probe_request[e->run.nprobes++] = e->run.requests[e->bound.sched->steps[index].message];
}

static void add_to_queue(exec *e, int index)
{
    int q = e->bound.sched->steps[index].queue;

    e->run.after[index] = -1;
    if (e->run.queue_head[q] < 0) {
        e->run.queue_head[q] = index;
        add_probe(e, index);
    } else {
        e->run.after[e->run.queue_tail[q]] = index;
    }
    e->run.queue_tail[q] = index;
}

void open_add(exec *e, int index)
{
    if (e->run.flat)
        add_probe(e, index);
    else
        add_to_queue(e, index);
    e->run.nopen++;
}

void open_next(exec *e, int i)
{
    const step *steps = e->bound.sched->steps;
    int index = e->run.probe_step[i], q = steps[index].queue, next = e->run.after[index];

    e->run.queue_head[q] = next;
    if (next < 0) {
        int last = --e->run.nprobes;
        e->run.probe_step[i] = e->run.probe_step[last];
        e->run.probe_request[i] = e->run.probe_request[last];
        return;
    }
    e->run.probe_step[i] = next;
    e->run.probe_request[i] = e->run.requests[steps[next].message];
}

/* After MPI_ERR_IN_STATUS the errors are in the statuses. */
static int status_error(int call_error, const MPI_Status *status)
{
    int class = call_error;

    if (call_error == MPI_SUCCESS)
        return MPI_SUCCESS;
    PMPI_Error_class(call_error, &class);
    return class == MPI_ERR_IN_STATUS ? status->MPI_ERROR : call_error;
}

static void add_finished(exec *e, int n, int index, int error)
{
    e->run.finished[n] = (struct finished){.step = index, .error = error};
}

/* Few probes: one native test each, up to the first that is not complete; the next poll begins
 * with another one. Cheaper than MPI_Testsome, and one round of MPI's progress. */
static int poll_few(exec *e)
{
    int n = 0;

    while (e->run.nprobes > 0) {
        int flag = 0, i = e->run.turn % e->run.nprobes, index = e->run.probe_step[i];
        int error = native_mpi.Test(&e->run.probe_request[i], &flag, MPI_STATUS_IGNORE);

        if (!flag && error == MPI_SUCCESS) {
            e->run.turn = i + 1;
            break;
        }
        open_next(e, i);
        add_finished(e, n++, index, error);
    }
    return n;
}

/* Completed probes are taken from the highest index down: open_next moves the last one into the
 * place of one that is gone. */
static int poll_some(exec *e)
{
    int n = 0, error = native_mpi.Testsome(e->run.nprobes, e->run.probe_request, &n, e->run.indices,
                                           e->run.statuses);

    if (n == MPI_UNDEFINED || n == 0)
        return 0;
    for (int k = 1; k < n; k++) /* MPI promises no order */
        for (int j = k; j > 0 && e->run.indices[j] < e->run.indices[j - 1]; j--) {
            int i = e->run.indices[j];
            MPI_Status status = e->run.statuses[j];
            e->run.indices[j] = e->run.indices[j - 1];
            e->run.statuses[j] = e->run.statuses[j - 1];
            e->run.indices[j - 1] = i;
            e->run.statuses[j - 1] = status;
        }
    for (int k = n - 1; k >= 0; k--) {
        add_finished(e, n - 1 - k, e->run.probe_step[e->run.indices[k]],
                     status_error(error, &e->run.statuses[k]));
        open_next(e, e->run.indices[k]);
    }
    return n;
}

void open_drop_behind(exec *e, int q, int before)
{
    int index = e->run.after[before];

    e->run.after[before] = e->run.after[index];
    if (e->run.queue_tail[q] == index)
        e->run.queue_tail[q] = before;
}

/* Test every open message that is not the oldest of its queue. */
static int sweep(exec *e)
{
    int n = 0;

    for (int q = 0; q < e->bound.sched->nqueues; q++)
        for (int before = e->run.queue_head[q]; before >= 0 && e->run.after[before] >= 0;) {
            int index = e->run.after[before], flag = 0;
            MPI_Request *r = &e->run.requests[e->bound.sched->steps[index].message];
            int error = native_mpi.Test(r, &flag, MPI_STATUS_IGNORE);

            if (!flag && error == MPI_SUCCESS) {
                before = index;
                continue;
            }
            open_drop_behind(e, q, before);
            add_finished(e, n++, index, error);
        }
    return n;
}

int open_poll(exec *e)
{
    int n = 0;

    e->stats.polls++;
    if (e->run.nprobes == 0) { /* all that is open is in shared memory */
        if (++e->run.fruitless % POKE == 0)
            channel_poke();
        return 0;
    }
    if (e->run.nprobes > FEW)
        n = poll_some(e);
    else
        n = poll_few(e);
    if (n == 0 && ++e->run.fruitless % SWEEP == 0)
        n = sweep(e);
    if (n)
        e->run.fruitless = 0;
    return n;
}

/* Every open message as a probe, not only the oldest of each queue. */
static void probe_all(exec *e)
{
    int n = 0;

    for (int q = 0; q < e->bound.sched->nqueues; q++)
        for (int i = e->run.queue_head[q]; i >= 0; i = e->run.after[i]) {
            e->run.probe_step[n] = i;
            e->run.probe_request[n++] = e->run.requests[e->bound.sched->steps[i].message];
        }
    e->run.nprobes = n;
}

/* MPI_Waitall may give up at an error and leave others, marked MPI_ERR_PENDING, as they are. */
static int finish_pending(MPI_Request *request, int error)
{
    int class = error;

    if (error != MPI_SUCCESS)
        PMPI_Error_class(error, &class);
    return class == MPI_ERR_PENDING ? native_mpi.Wait(request, MPI_STATUS_IGNORE) : error;
}

/* One request costs MPICH 10 to 20 ns less in MPI_Wait than in MPI_Waitall. */
static int wait_all_probes(int n, MPI_Request *requests, MPI_Status *statuses)
{
    if (simulated())
        return simulated_waitall(n, requests);
    if (n == 1)
        return native_mpi.Wait(requests, MPI_STATUS_IGNORE);
    return native_mpi.Waitall(n, requests, statuses);
}

int open_wait(exec *e)
{
    int error;

    if (e->run.nprobes < e->run.nopen)
        probe_all(e);
    error = wait_all_probes(e->run.nprobes, e->run.probe_request, e->run.statuses);
    if (error == MPI_SUCCESS && e->run.left == e->run.nprobes && !e->bound.unpacks &&
        !trace_is_on()) {
        e->run.left = e->run.nopen = 0; /* nothing comes after them */
        return 0;
    }
    for (int k = 0; k < e->run.nprobes; k++) {
        int one =
            finish_pending(&e->run.probe_request[k], status_error(error, &e->run.statuses[k]));
        add_finished(e, k, e->run.probe_step[k], one);
    }
    return e->run.nprobes;
}

/* ---- give up ---- */

/* What a send reads that nobody has matched stays as it is: whoever still receives it gets what was
 * sent. */
static void leave_send(exec *e, MPI_Request *r)
{
    native_mpi.Request_free(r);
    e->bound.pack = NULL;
}

/* True: it is over. */
static bool give_up_one(exec *e, int index)
{
    const step *st = &e->bound.sched->steps[index];
    MPI_Request *r = &e->run.requests[st->message];
    int over = *r == MPI_REQUEST_NULL;

    if (!over && native_mpi.Test(r, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        over = true;
    if (over)
        *r = MPI_REQUEST_NULL;
    else if (st->kind == STEP_SEND)
        leave_send(e, r);
    else if (native_mpi.Cancel(r) == MPI_SUCCESS)
        native_mpi.Test(r, &over, MPI_STATUS_IGNORE);
    return over || st->kind == STEP_SEND;
}

bool open_give_up(exec *e)
{
    bool over = true;

    for (int i = 0; e->run.flat && i < e->run.nprobes; i++)
        over &= give_up_one(e, e->run.probe_step[i]);
    for (int q = 0; !e->run.flat && q < e->bound.sched->nqueues; q++)
        for (int i = e->run.queue_head[q]; i >= 0; i = e->run.after[i])
            over &= give_up_one(e, i);
    return over;
}
