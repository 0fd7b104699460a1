/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - see report.h. */
#include "nbc/run/report.h"

#include "nbc/comm/comm.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/watch.h"
#include "nbc/run/steps.h"

#include <stdio.h>

enum { LINE = 1024 };

static bool is_due(const exec *e)
{
    return !e->stats.reported && watch_too_long(e->stats.started);
}

static int begin_line(const exec *e, char line[LINE])
{
    return snprintf(line, LINE, "%s (%s) on rank %d of %d: pending for %.1f s", e->stats.collective,
                    e->stats.algorithm, e->comm->rank, e->comm->p, watch_since(e->stats.started));
}

static int add_message_text(const exec *e, int index, char *at, size_t room)
{
    const step *st = &e->bound.sched->steps[index];
    const message *m = &e->bound.messages[st->message];
    MPI_Count size = 0;

    mpi_type_size(m->type, &size);
    return snprintf(at, room, " [%s rank %d, tag %d, %lld bytes]",
                    st->kind == STEP_SEND ? "send to" : "receive from", st->peer, exec_tag(e, m),
                    (long long)size * m->count);
}

static int add_shm(const exec *e, int index, char *at, size_t room)
{
    const step *st = &e->bound.sched->steps[index];

    return snprintf(at, room, " [%s rank %d, in shared memory, %lld bytes]",
                    st->kind == STEP_SEND ? "send to" : "receive from", st->peer,
                    (long long)e->shm->message[st->message].bytes);
}

static void report(exec *e)
{
    char line[LINE];
    size_t n = (size_t)begin_line(e, line);

    n += (size_t)snprintf(line + n, LINE - n,
                          ": %d of %d steps done, open:", e->bound.sched->nsteps - e->run.left,
                          e->bound.sched->nsteps);
    for (int k = 0; k < e->run.nprobes; k++)
        for (int i = e->run.probe_step[k]; i >= 0 && n < LINE; i = e->run.after[i])
            n += (size_t)add_message_text(e, i, line + n, LINE - n);
    for (int k = 0; shm_waits(e->shm) && k < e->shm->nopen && n < LINE; k++)
        n += (size_t)add_shm(e, e->shm->open[k], line + n, LINE - n);
    if (e->run.local_head < e->run.local_tail && n < LINE) /* steps.c */
        n += (size_t)snprintf(line + n, LINE - n,
                              " [user-defined reduction deferred until the application calls MPI]");
    env_say_here("%s%s", line, n < LINE ? "" : "...");
    e->stats.reported = true;
}

void report_running(exec *running)
{
    for (exec *e = running; e; e = e->next)
        if (is_due(e))
            report(e);
}

/* A handshake that it waits for has a line of its own. */
void report_gated(exec *e)
{
    char line[LINE];

    if (!is_due(e))
        return;
    e->stats.reported = true;
    if (!e->comm->ready)
        return;
    begin_line(e, line);
    env_say_here("%s: blocked: %s", line,
                 gate_has_window(&e->comm->gate, &e->ticket)
                     ? "an operation of this communicator waits for sizes from other ranks"
                     : "all tag windows of this communicator are in use");
}
