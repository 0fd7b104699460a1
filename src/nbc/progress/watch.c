/* watch.c - see watch.h. */
#include "nbc/progress/watch.h"

#include "nbc/process/clock.h"
#include "nbc/comm/comm.h"
#include "nbc/process/env.h"
#include "nbc/run/steps.h"

#include <stdio.h>

enum { LINE = 1024 };

static const double longest_pause = 0.1; /* seconds without a poll: the program has computed */

bool watch_on;

static double timeout;
static double last, since; /* the last poll, and the first one without a pause since */
static double now;         /* of this poll */

void watch_start(double seconds)
{
    timeout = seconds;
    watch_on = seconds > 0;
}

/* Open for too long, and polled all the time? */
static bool too_long(double opened)
{
    return now - (opened > since ? opened : since) > timeout;
}

static bool is_due(const exec *e)
{
    return !e->reported && too_long(e->started);
}

static int begin_line(const exec *e, char line[LINE])
{
    return snprintf(line, LINE, "%s (%s) on rank %d of %d is open for %.1f s", e->collective,
                    e->algorithm, e->comm->rank, e->comm->p, now - e->started);
}

static int add_message(const exec *e, int index, char *at, size_t room)
{
    const step *st = &e->sched->steps[index];
    const message *m = &e->messages[st->message];
    MPI_Count size = 0;

    PMPI_Type_size_x(m->type, &size);
    return snprintf(at, room, " [%s rank %d, tag %d, %lld bytes]",
                    st->kind == STEP_SEND ? "send to" : "receive from", st->peer, steps_tag(e, m),
                    (long long)size * m->count);
}

static void report(exec *e)
{
    char line[LINE];
    size_t n = (size_t)begin_line(e, line);

    n += (size_t)snprintf(line + n, LINE - n,
                          ": %d of %d steps done, open:", e->sched->nsteps - e->left,
                          e->sched->nsteps);
    for (int k = 0; k < e->nprobes; k++)
        for (int i = e->probe_step[k]; i >= 0 && n < LINE; i = e->after[i])
            n += (size_t)add_message(e, i, line + n, LINE - n);
    env_say_here("%s%s", line, n < LINE ? "" : "...");
    e->reported = true;
}

void watch_tick(void)
{
    now = clock_now();
    if (now - last > longest_pause)
        since = now;
    last = now;
}

void watch_turn(exec *running)
{
    for (exec *e = running; e; e = e->next)
        if (is_due(e))
            report(e);
}

static void report_gated(exec *e)
{
    char line[LINE];

    begin_line(e, line);
    env_say_here("%s: waits for the tags of an older operation", line);
    e->reported = true;
}

void watch_gated(exec *gated)
{
    for (exec *e = watch_on ? gated : NULL; e; e = e->gate_next)
        if (is_due(e))
            report_gated(e);
}

void watch_comm(comm *c)
{
    char missing[LINE / 2];

    if (!watch_on || !c->current || c->reported || !too_long(c->opened))
        return;
    handshake_missing(c->current, missing, sizeof missing);
    env_say_here("%s on rank %d of %d is open for %.1f s: waits for %s to call it on this "
                 "communicator, too",
                 c->caller, c->rank, c->p, now - c->opened, missing);
    c->reported = true;
}
