/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_json.c - see trace_json.h. */
#include "nbc/comm/trace_json.h"

#include "nbc/process/role.h"
#include "nbc/process/trace.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct writer {
    FILE *out;
    bool first;
    int rank;
    const trace_clock *clock;
    int64_t zero;
    const trace_event *event;
    int64_t n, dropped;
} writer;

int64_t trace_common(const trace_clock *c, int64_t at)
{
    int64_t passed = c->at[1] - c->at[0];
    double grown = (double)(c->offset[1] - c->offset[0]);

    if (passed <= 0)
        return at + c->offset[1];
    return at + c->offset[0] + (int64_t)(grown * (double)(at - c->at[0]) / (double)passed);
}

/* ---- pairs ---- */

static bool opens(const trace_event *e)
{
    return e->kind == TRACE_BEGIN || e->kind == TRACE_POST;
}

static bool closes(const trace_event *e)
{
    return e->kind == TRACE_END || e->kind == TRACE_DONE;
}

static int64_t key_of_event(const trace_event *e)
{
    bool whole = e->kind == TRACE_BEGIN || e->kind == TRACE_END;

    return whole ? -1 : e->step;
}

/* Those of one pair side by side, in the order in which they happened: events of one operation are
 * in the buffer as they happened. */
static int by_pair(const void *a, const void *b)
{
    const trace_event *x = *(const trace_event *const *)a, *y = *(const trace_event *const *)b;
    int64_t k = key_of_event(x), l = key_of_event(y);

    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (k != l)
        return k < l ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* For each event: its other one, which is not there, opens. */
static bool find_open(const writer *w, unsigned char *open)
{
    const trace_event **list = malloc(((size_t)w->n + 1) * sizeof *list);
    size_t n = 0;

    if (!list)
        return false;
    for (int64_t i = 0; i < w->n; i++)
        if (opens(&w->event[i]) || closes(&w->event[i]))
            list[n++] = &w->event[i];
    qsort(list, n, sizeof *list, by_pair);
    for (size_t i = 0; i < n; i++)
        open[list[i] - w->event] =
            opens(list[i]) &&
            (i + 1 == n || !closes(list[i + 1]) || list[i + 1]->operation != list[i]->operation ||
             key_of_event(list[i + 1]) != key_of_event(list[i]));
    free(list);
    return true;
}

/* ---- lines ---- */

/* No two of a job are equal, and none is 0: Perfetto names threads by that alone. */
static int tid_of(const writer *w, int thread, int role)
{
    return 1000 * (w->rank + 1) + 10 * thread + role;
}

static double microseconds(const writer *w, int64_t at)
{
    return 1e-3 * (double)(trace_common(w->clock, at) - w->zero);
}

static const char *const callers[] = {"program", "MPI call", "progress thread"};

static void put_head(const writer *w, const trace_event *e, const char *phase, int64_t at)
{
    fprintf(w->out, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f", phase, w->rank,
            tid_of(w, e->thread, e->role), microseconds(w, at));
}

static void put_id(const writer *w, const trace_event *e)
{
    fprintf(w->out, ",\"id2\":{\"local\":\"0x%" PRIx64 "\"}",
            e->operation << 24 | (uint64_t)(key_of_event(e) + 1));
}

static void put_bytes(const writer *w, const trace_event *e)
{
    if (e->bytes >= 0)
        fprintf(w->out, ",\"send_bytes\":%" PRId64, e->bytes);
    if (e->received >= 0)
        fprintf(w->out, ",\"receive_bytes\":%" PRId64, e->received);
}

static void put_begin(const writer *w, const trace_event *e)
{
    put_head(w, e, "b", e->at);
    put_id(w, e);
    fprintf(w->out,
            ",\"cat\":\"operation\",\"name\":\"%s\",\"args\":{\"operation\":%" PRIu64
            ",\"algorithm\":\"%s\",\"communicator\":%d,\"ranks\":%d,\"rank\":%d,\"persistent\":%s",
            e->name, e->operation, e->detail, e->comm, e->size, e->rank,
            e->persistent ? "true" : "false");
    put_bytes(w, e);
    fprintf(w->out, "}}");
}

static void put_end(const writer *w, const trace_event *e)
{
    put_head(w, e, "e", e->at);
    put_id(w, e);
    fprintf(w->out,
            ",\"cat\":\"operation\",\"name\":\"%s\",\"args\":{\"by\":\"%s\",\"error\":%d,"
            "\"algorithm\":\"%s\"",
            e->name, callers[e->role], e->peer, e->detail);
    put_bytes(w, e);
    fprintf(w->out, "}}");
}

static void put_message(const writer *w, const trace_event *e, const char *phase)
{
    put_head(w, e, phase, e->at);
    put_id(w, e);
    fprintf(w->out,
            ",\"cat\":\"message\",\"name\":\"%s\",\"args\":{\"operation\":%" PRIu64
            ",\"step\":%d,\"peer\":%d,\"bytes\":%" PRId64 ",\"via\":\"%s\",\"by\":\"%s\"}}",
            e->name, e->operation, e->step, e->peer, e->bytes, e->shm ? "shared memory" : "MPI",
            callers[e->role]);
}

/* An operation, or a message. */
static void put_unfinished(const writer *w, const trace_event *e, int64_t at)
{
    put_head(w, e, "e", at);
    put_id(w, e);
    fprintf(w->out, ",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"unfinished\":true}}",
            e->kind == TRACE_BEGIN ? "operation" : "message", e->name);
}

/* Asynchronous events do not show whose row they are on. */
static void put_done_on_row(const writer *w, const trace_event *e)
{
    put_head(w, e, "i", e->at);
    fprintf(
        w->out,
        ",\"s\":\"t\",\"cat\":\"progress\",\"name\":\"%s %s %d\",\"args\":{\"operation\":%" PRIu64
        ",\"step\":%d,\"bytes\":%" PRId64 "}}",
        e->name[0] == 's' ? "sent" : "received", e->name[0] == 's' ? "to" : "from", e->peer,
        e->operation, e->step, e->bytes);
}

static void put_span(const writer *w, const trace_event *e)
{
    put_head(w, e, "X", e->since);
    fprintf(w->out, ",\"dur\":%.3f,\"cat\":\"%s\",\"name\":\"%s\",\"args\":{",
            microseconds(w, e->at) - microseconds(w, e->since), e->step < 0 ? "wait" : "local",
            e->name);
    if (e->operation)
        fprintf(w->out, "\"operation\":%" PRIu64, e->operation);
    if (e->step >= 0)
        fprintf(w->out, ",\"step\":%d,\"bytes\":%" PRId64, e->step, e->bytes);
    fprintf(w->out, "}}");
}

static void put_event(const writer *w, const trace_event *e)
{
    switch ((trace_kind)e->kind) {
    case TRACE_BEGIN:
        put_begin(w, e);
        break;
    case TRACE_END:
        put_end(w, e);
        break;
    case TRACE_POST:
        put_message(w, e, "b");
        break;
    case TRACE_DONE:
        put_message(w, e, "e");
        put_done_on_row(w, e);
        break;
    case TRACE_SPAN:
        put_span(w, e);
        break;
    }
}

/* ---- names ---- */

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
}

static void put_metadata(const writer *w, const char *what)
{
    fprintf(w->out, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{", w->rank,
            tid_of(w, 0, 0), what);
}

static void put_process(const writer *w, const char *host)
{
    fprintf(w->out, "%s", w->first ? "" : ",\n");
    put_metadata(w, "process_name");
    fprintf(w->out, "\"name\":\"rank %d on ", w->rank);
    put_escaped(w->out, host);
    fprintf(w->out, "\"}},\n");
    put_metadata(w, "process_sort_index");
    fprintf(w->out, "\"sort_index\":%d}},\n", w->rank);
    put_metadata(w, "process_labels");
    fprintf(w->out, "\"labels\":\"clock within %" PRId64 " ns", w->clock->error);
    if (w->dropped)
        fprintf(w->out, "; %" PRId64 " events dropped, TUTTI_TRACE_EVENTS keeps more", w->dropped);
    fprintf(w->out,
            "\",\"events\":%" PRId64 ",\"dropped\":%" PRId64 ",\"clock_error_ns\":%" PRId64 "}}",
            w->n, w->dropped, w->clock->error);
}

static void put_thread(const writer *w, int thread, int role)
{
    fprintf(
        w->out,
        ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s",
        w->rank, tid_of(w, thread, role), callers[role]);
    if (role != ROLE_THREAD && thread > 0)
        fprintf(w->out, ", thread %d", thread);
    fprintf(w->out, "\"}}");
}

static void put_threads(const writer *w)
{
    bool there[TRACE_THREADS][ROLES] = {{false}};

    for (int64_t i = 0; i < w->n; i++)
        there[w->event[i].thread][w->event[i].role] = true;
    for (int t = 0; t < TRACE_THREADS; t++)
        for (int role = 0; role < ROLES; role++)
            if (there[t][role])
                put_thread(w, t, role);
}

/* ---- */

static int64_t last_of(const writer *w)
{
    int64_t last = 0;

    for (int64_t i = 0; i < w->n; i++)
        last = w->event[i].at > last ? w->event[i].at : last;
    return last;
}

bool trace_json(FILE *out, bool first, int rank, const char *host, const trace_clock *c,
                int64_t zero)
{
    writer w = {.out = out, .first = first, .rank = rank, .clock = c, .zero = zero};
    unsigned char *open;
    int64_t last;

    w.event = trace_events(&w.n, &w.dropped);
    open = calloc((size_t)w.n + 1, 1);
    if (!open || !find_open(&w, open)) {
        free(open);
        return false;
    }
    put_process(&w, host);
    put_threads(&w);
    last = last_of(&w);
    for (int64_t i = 0; i < w.n; i++) {
        const trace_event *e = &w.event[i];
        put_event(&w, e);
        if (open[i])
            put_unfinished(&w, e, last);
    }
    free(open);
    return true;
}
