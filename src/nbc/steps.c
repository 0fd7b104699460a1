/* steps.c - see steps.h.
 *
 * Polling: messages from one peer complete in order, or nearly. So only the oldest open message of
 * each (peer, direction) is tested; the others wait in a list behind it. A poll costs the number
 * of peers with something open. Every SWEEP fruitless polls all open messages are tested, so that
 * nothing depends on that order.
 */
#include "nbc/steps.h"

#include "nbc/comm.h"
#include "nbc/wire.h"

enum { SWEEP = 64, FEW = 4, RETIRED = -1 };

static void keep_error(exec *e, int error)
{
    if (error != MPI_SUCCESS && e->error == MPI_SUCCESS)
        e->error = error;
}

/* ---- open messages ---- */

/* Message `index` has been posted: it becomes the probe of its queue, or waits behind the tail. */
static void open_add(exec *e, int index, const step *st)
{
    int q = st->queue;

    e->after[index] = -1;
    if (e->queue_head[q] < 0) {
        e->queue_head[q] = index;
        e->probe_step[e->nprobes] = index;
        e->probe_request[e->nprobes++] = e->requests[st->message];
    } else {
        e->after[e->queue_tail[q]] = index;
    }
    e->queue_tail[q] = index;
    e->nopen++;
}

/* The head of probe i has completed: the next of its queue takes its place, or the last probe. */
static void probe_next(exec *e, int i)
{
    const step *steps = e->sched->steps;
    int index = e->probe_step[i], q = steps[index].queue, next = e->after[index];

    e->queue_head[q] = next;
    if (next < 0) {
        int last = --e->nprobes;
        e->probe_step[i] = e->probe_step[last];
        e->probe_request[i] = e->probe_request[last];
        return;
    }
    e->probe_step[i] = next;
    e->probe_request[i] = e->requests[steps[next].message];
}

/* ---- issue and retire ---- */

static void retire(exec *e, int index)
{
    const sched *s = e->sched;

    e->left--;
    e->waiting[index] = RETIRED;
    for (int k = s->succ_at[index]; k < s->succ_at[index + 1]; k++) {
        int next = s->succ[k];
        if (--e->waiting[next] > 0)
            continue;
        if (step_is_message(&s->steps[next]))
            e->ready[e->ready_tail++] = next;
        else
            e->ready[e->local_tail++] = next;
    }
}

/* As if MPI packed it (simulated.h). */
static void simulate_derived(const exec *e, const step *st)
{
#ifdef TUTTI_SIMULATED
    if (st->n > 1 && !wire_packed(&e->messages[st->message]))
        simulated_copy(wire_bytes(e, st));
#else
    (void)e, (void)st;
#endif
}

static int post(exec *e, const step *st)
{
    const message *m = &e->messages[st->message];
    MPI_Request *r = &e->requests[st->message];
    char *at = e->base[m->base] + m->offset;
    int tag = steps_tag(e, st);

    if (e->persistent_messages)
        return PMPI_Start(r);
    if (st->kind == STEP_SEND)
        simulate_derived(e, st);
    simulated_pay();
    if (st->kind == STEP_SEND)
        return PMPI_Isend(at, m->count, m->type, st->peer, tag, e->comm->shadow, r);
    return PMPI_Irecv(at, m->count, m->type, st->peer, tag, e->comm->shadow, r);
}

/* An error is kept and the operation goes on, so that the peers are not left waiting: a message
 * that could not be packed is sent all the same, one that could not be posted counts as done. */
static void issue_message(exec *e, int index)
{
    const step *st = &e->sched->steps[index];
    int error;

    if (st->kind == STEP_SEND && wire_packed(&e->messages[st->message]))
        keep_error(e, wire_pack(e, st));
    error = post(e, st);
    if (error == MPI_SUCCESS) {
        open_add(e, index, st);
        return;
    }
    keep_error(e, error);
    retire(e, index);
}

static void run_local(exec *e, const step *st)
{
    const raw_copy *c = &e->copies[st->queue];

    if (c->bytes)
        wire_copy(e, c);
    else if (st->kind != STEP_FENCE)
        keep_error(e, wire_local(e, st));
}

static void issue_local(exec *e, int index)
{
    run_local(e, &e->sched->steps[index]);
    retire(e, index);
}

/* Issue what is ready, messages first. */
static void issue_ready(exec *e)
{
    for (;;) {
        if (e->ready_head < e->ready_tail)
            issue_message(e, e->ready[e->ready_head++]);
        else if (e->local_head < e->local_tail)
            issue_local(e, e->ready[e->local_head++]);
        else
            break;
    }
    simulated_pay();
}

/* A message has come or gone. */
static void finish_message(exec *e, int index, int error)
{
    const step *st = &e->sched->steps[index];

    e->nopen--;
    if (error == MPI_SUCCESS && st->kind == STEP_RECV && wire_packed(&e->messages[st->message]))
        error = wire_unpack(e, st);
    if (st->kind == STEP_RECV)
        simulate_derived(e, st);
    keep_error(e, error);
    retire(e, index);
}

/* ---- poll ---- */

/* After MPI_ERR_IN_STATUS the statuses tell. */
static int status_error(int call_error, const MPI_Status *status)
{
    int class = call_error;

    if (call_error == MPI_SUCCESS)
        return MPI_SUCCESS;
    PMPI_Error_class(call_error, &class);
    return class == MPI_ERR_IN_STATUS ? status->MPI_ERROR : call_error;
}

/* Few probes: one native test each, up to the first that is not complete; the next poll begins
 * with another one. Cheaper than MPI_Testsome, and one round of MPI's progress. */
static int poll_few(exec *e)
{
    int n = 0;

    while (e->nprobes > 0) {
        int flag = 0, i = e->turn % e->nprobes, index = e->probe_step[i];
        int error = PMPI_Test(&e->probe_request[i], &flag, MPI_STATUS_IGNORE);

        if (!flag && error == MPI_SUCCESS) {
            e->turn = i + 1;
            break;
        }
        probe_next(e, i);
        finish_message(e, index, error);
        n++;
    }
    return n;
}

/* Completed probes are taken from the highest index down: probe_next moves the last one into the
 * place of one that is gone. */
static int poll_some(exec *e)
{
    int n = 0, error = PMPI_Testsome(e->nprobes, e->probe_request, &n, e->indices, e->statuses);

    if (n == MPI_UNDEFINED || n == 0)
        return 0;
    for (int k = 1; k < n; k++) /* MPI promises no order */
        for (int j = k; j > 0 && e->indices[j] < e->indices[j - 1]; j--) {
            int i = e->indices[j];
            MPI_Status status = e->statuses[j];
            e->indices[j] = e->indices[j - 1];
            e->statuses[j] = e->statuses[j - 1];
            e->indices[j - 1] = i;
            e->statuses[j - 1] = status;
        }
    for (int k = n - 1; k >= 0; k--) {
        int index = e->probe_step[e->indices[k]];
        probe_next(e, e->indices[k]);
        finish_message(e, index, status_error(error, &e->statuses[k]));
    }
    return n;
}

/* The open message behind another one of its queue has completed. */
static void drop_behind(exec *e, int q, int before)
{
    int index = e->after[before];

    e->after[before] = e->after[index];
    if (e->queue_tail[q] == index)
        e->queue_tail[q] = before;
}

/* Test every open message that is not the oldest of its queue. */
static int sweep(exec *e)
{
    int done = 0;

    for (int q = 0; q < e->sched->nqueues; q++)
        for (int before = e->queue_head[q]; before >= 0 && e->after[before] >= 0;) {
            int index = e->after[before], flag = 0;
            MPI_Request *r = &e->requests[e->sched->steps[index].message];
            int error = PMPI_Test(r, &flag, MPI_STATUS_IGNORE);

            if (!flag && error == MPI_SUCCESS) {
                before = index;
                continue;
            }
            drop_behind(e, q, before);
            finish_message(e, index, error);
            done++;
        }
    return done;
}

int steps_poll(exec *e)
{
    int n = 0;

    e->polls++;
    if (e->nprobes > FEW)
        n = poll_some(e);
    else
        n = poll_few(e);
    if (n == 0 && ++e->fruitless % SWEEP == 0)
        n = sweep(e);
    if (n) {
        e->fruitless = 0;
        issue_ready(e);
    }
    return n;
}

/* A flat schedule needs none of the book-keeping: nothing waits for anything, no queue has a second
 * message, the ready lists stay empty. Saves a quarter of the instructions of a small exchange. */
static void begin_flat(exec *e)
{
    const sched *s = e->sched;
    int n = 0;

    e->error = MPI_SUCCESS;
    e->fruitless = e->turn = 0;
    for (int i = 0; i < s->nready; i++) {
        int index = s->ready[i], error;
        const step *st = &s->steps[index];

        if (!step_is_message(st)) {
            run_local(e, st);
            continue;
        }
        if (st->kind == STEP_SEND && wire_packed(&e->messages[st->message]))
            keep_error(e, wire_pack(e, st));
        error = post(e, st);
        keep_error(e, error);
        if (error != MPI_SUCCESS)
            continue;
        e->probe_step[n] = index;
        e->probe_request[n++] = e->requests[st->message];
    }
    e->left = e->nopen = e->nprobes = n;
    simulated_pay();
}

void steps_begin(exec *e)
{
    const sched *s = e->sched;

    if (s->flat) {
        begin_flat(e);
        return;
    }
    exec_reset(e);
    for (int i = 0; i < s->nready; i++)
        if (step_is_message(&s->steps[s->ready[i]]))
            issue_message(e, s->ready[i]);
        else
            issue_local(e, s->ready[i]);
    issue_ready(e);
}

void steps_fail(exec *e, int error)
{
    exec_reset(e);
    e->left = 0;
    e->error = error;
}

/* What is open of a flat schedule are its probes. */
bool steps_retired(const exec *e, int index)
{
    if (!e->sched->flat)
        return e->waiting[index] == RETIRED;
    for (int i = 0; i < e->nprobes; i++)
        if (e->probe_step[i] == index)
            return false;
    return true;
}

/* Every open message as a probe, not only the oldest of each queue. */
static void probe_all(exec *e)
{
    int n = 0;

    for (int q = 0; q < e->sched->nqueues; q++)
        for (int i = e->queue_head[q]; i >= 0; i = e->after[i]) {
            e->probe_step[n] = i;
            e->probe_request[n++] = e->requests[e->sched->steps[i].message];
        }
    e->nprobes = n;
}

/* MPI_Waitall may give up at an error and leave others, marked MPI_ERR_PENDING, as they are. */
static int finish_pending(MPI_Request *request, int error)
{
    int class = error;

    if (error != MPI_SUCCESS)
        PMPI_Error_class(error, &class);
    return class == MPI_ERR_PENDING ? PMPI_Wait(request, MPI_STATUS_IGNORE) : error;
}

#ifdef TUTTI_SIMULATED

static void close_message(exec *e, int index, int error)
{
    int q = e->sched->steps[index].queue, at = 0, before;

    while (at < e->nprobes && e->probe_step[at] != index)
        at++;
    if (at < e->nprobes) {
        probe_next(e, at);
    } else {
        for (before = e->queue_head[q]; e->after[before] != index; before = e->after[before])
            ;
        drop_behind(e, q, before);
    }
    finish_message(e, index, error);
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
    enum { OLDEST = 4 };
    int n = 0;

    for (int i = 0; i < e->nprobes; i++) {
        int k = e->probe_step[i];
        for (int taken = 0; taken < OLDEST && k >= 0; k = e->sched->flat ? -1 : e->after[k]) {
            if (!all && !awaited(e->sched, k))
                continue;
            steps[n] = k;
            requests[n++] = e->requests[e->sched->steps[k].message];
            taken++;
        }
    }
    return n;
}

/* Not only for the oldest of each queue: what a younger one makes ready may be what the oldest
 * waits for. Not for all, because SimGrid's time grows with their number; if that should ever not
 * be enough, SimGrid reports a deadlock. */
void steps_wait_any(exec *e)
{
    int n, which, error;
    int *steps = malloc((size_t)e->nopen * sizeof *steps);
    MPI_Request *requests = malloc((size_t)e->nopen * sizeof(MPI_Request));

    if (!steps || !requests)
        abort(); /* the simulation, not a program's run */
    n = list_oldest(e, false, steps, requests);
    if (n == 0) /* only sends are left */
        n = list_oldest(e, true, steps, requests);
    error = PMPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
    close_message(e, steps[which], error);
    free(requests);
    free(steps);
    issue_ready(e);
}

#endif

/* SimGrid's MPI_Waitall takes time that grows with the square of n. */
static int wait_all(int n, MPI_Request *requests, MPI_Status *statuses)
{
#ifdef TUTTI_SIMULATED
    int error = MPI_SUCCESS;

    (void)statuses;
    for (int i = 0; i < n && !error; i++)
        error = PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return error;
#else
    return PMPI_Waitall(n, requests, statuses);
#endif
}

void steps_wait(exec *e)
{
    int error;

    if (e->nprobes < e->nopen)
        probe_all(e);
    error = wait_all(e->nprobes, e->probe_request, e->statuses);
    if (error == MPI_SUCCESS && e->left == e->nprobes &&
        !e->unpacks) { /* nothing comes after them */
        e->left = e->nopen = 0;
        return;
    }
    for (int k = 0; k < e->nprobes; k++) {
        int one = finish_pending(&e->probe_request[k], status_error(error, &e->statuses[k]));
        finish_message(e, e->probe_step[k], one);
    }
    simulated_pay();
}
