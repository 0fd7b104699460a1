/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - the table, and the clock of what is spent inside of calls. */
#include "nbc/stats/stats.h"

#include "nbc/process/clock.h"
#include "nbc/process/process.h"
#include "nbc/process/role.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

atomic_bool stats_on = true;

/* Tuning: native waits poll without a pause; programs compute for longer between tests. */
static const double one_wait = 20e-6;

typedef struct entry {
    UT_hash_handle hh;
    stats_row row;
} entry;

/* Guarded by process_lock, down to `clock_inside`. */
static entry *table;
static int nrows;
static int64_t without_row;
static stats_comm *comms;
static int ncomms, serials;
static struct {
    int threads; /* inside now */
    double entered, left;
    double total; /* until `left` */
} clock_inside;

/* State of this thread. Calls inside a call are part of it. */
static _Thread_local int depth;
static _Thread_local double began, inside_before, polled;

/* ---- inside of calls ---- */

/* Lock held. */
static double inside_at(double now)
{
    return clock_inside.total + (clock_inside.threads ? now - clock_inside.entered : 0);
}

/* since: this thread has been inside from then on. */
static void enter_clock(double since, double now)
{
    process_lock();
    if (clock_inside.threads++ == 0)
        clock_inside.entered = since > clock_inside.left ? since : clock_inside.left;
    began = now;
    inside_before = inside_at(now);
    process_unlock();
}

static void leave_clock(double now)
{
    process_lock();
    if (--clock_inside.threads == 0) {
        clock_inside.total += now - clock_inside.entered;
        clock_inside.left = now;
    }
    process_unlock();
}

void stats_enter(void)
{
    double now;

    if (depth++)
        return;
    now = clock_now();
    enter_clock(now, now);
}

int stats_leave(int error)
{
    if (--depth == 0)
        leave_clock(clock_now());
    return error;
}

void stats_poll_begin(void)
{
    double now;

    if (role_now == ROLE_THREAD || depth++)
        return;
    now = clock_now();
    enter_clock(now - polled < one_wait ? polled : now, now);
}

void stats_poll_end(void)
{
    if (role_now == ROLE_THREAD || --depth)
        return;
    polled = clock_now();
    leave_clock(polled);
}

/* ---- rows ---- */

void stats_add(stats_sums *to, const stats_sums *from)
{
    to->bytes += from->bytes;
    to->sent.mpi_messages += from->sent.mpi_messages;
    to->sent.mpi_bytes += from->sent.mpi_bytes;
    to->sent.shared_messages += from->sent.shared_messages;
    to->sent.shared_bytes += from->sent.shared_bytes;
    to->steps += from->steps;
    to->steps_waited += from->steps_waited;
    to->inside += from->inside;
    to->seconds += from->seconds;
}

int stats_size_class(int64_t bytes)
{
    int k = 0;

    for (; bytes > 0; bytes >>= 1)
        k++;
    return k;
}

/* Lock held. NULL: there is no room. */
static stats_row *row_of(const stats_key *key)
{
    entry *e;

    HASH_FIND(hh, table, key, sizeof *key, e);
    if (e || nrows >= STATS_ROWS)
        return e ? &e->row : NULL;
    e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->row.key = *key;
    HASH_ADD(hh, table, row.key, sizeof *key, e);
    if (!e->hh.tbl) {
        free(e);
        return NULL;
    }
    nrows++;
    return &e->row;
}

void stats_begin(stats_call *call)
{
    call->began = began;
    call->inside = inside_before;
}

static void count_end(stats_row *row, const stats_call *call, const stats_traffic *sent, double now)
{
    const stats_sums one = {.bytes = call->bytes,
                            .sent = *sent,
                            .inside = inside_at(now) - call->inside,
                            .seconds = now - call->began};

    row->most.calls[call->form - 1]++;
    row->most.repeated += call->repeats;
    stats_add(&row->sum, &one);
    row->most.inside = row->sum.inside;
    row->most.seconds = row->sum.seconds;
}

void stats_end(stats_call *call, const stats_traffic *sent)
{
    double now = clock_now();

    process_lock();
    call->row = row_of(&call->key);
    if (call->row)
        count_end(call->row, call, sent, now);
    else
        without_row++;
    process_unlock();
    if (call->form != STATS_FORM_PERSISTENT) /* the exec may serve the library itself next */
        call->form = STATS_FORM_NONE;
}

void stats_steps(stats_call *call, int64_t steps, int64_t waited)
{
    process_lock();
    if (call->row) {
        call->row->sum.steps += steps;
        call->row->sum.steps_waited += waited;
    }
    process_unlock();
}

void stats_left(const stats_call *call)
{
    stats_row *row;

    process_lock();
    row = row_of(&call->key);
    if (row) {
        row->most.left++;
        row->most.repeated += call->repeats;
        row->sum.bytes += call->bytes;
    } else {
        without_row++;
    }
    process_unlock();
}

/* ---- communicators ---- */

/* Lock held. Index, or 0; the first one is for those that have no room. */
static int new_comm(void)
{
    if (!comms) {
        comms = calloc(STATS_COMMS, sizeof *comms);
        ncomms = comms != NULL;
    }
    return comms && ncomms < STATS_COMMS ? ncomms++ : 0;
}

int stats_comm_add(int *serial)
{
    int index;

    process_lock();
    *serial = serials++;
    index = new_comm();
    process_unlock();
    return index;
}

void stats_comm_known(int index, int origin, int serial, int size)
{
    if (index <= 0)
        return;
    process_lock();
    comms[index].origin = origin;
    comms[index].serial = serial;
    comms[index].size = size;
    process_unlock();
}

/* Open MPI names what has no name: "MPI COMMUNICATOR 3 DUP FROM 0". */
void stats_comm_gone(int index, MPI_Comm user, bool ending)
{
    char name[MPI_MAX_OBJECT_NAME + STATS_NAME] = "";
    int length = 0;

    if (index <= 0)
        return;
    if (PMPI_Comm_get_name(user, name, &length) != MPI_SUCCESS ||
        strncmp(name, "MPI COMMUNICATOR ", 17) == 0)
        name[0] = '\0';
    process_lock();
    comms[index].freed = !ending;
    memcpy(comms[index].name, name, STATS_NAME - 1);
    process_unlock();
}

/* ---- the whole ---- */

bool stats_all(stats_table *t)
{
    *t = (stats_table){.comm = malloc((size_t)ncomms * sizeof *t->comm + 1),
                       .row = malloc((size_t)nrows * sizeof *t->row + 1)};
    if (!t->comm || !t->row) {
        stats_free(t);
        return false;
    }
    for (; t->ncomms < ncomms; t->ncomms++)
        t->comm[t->ncomms] = comms[t->ncomms];
    for (entry *e = table; e; e = e->hh.next)
        t->row[t->nrows++] = e->row;
    t->without_row = without_row;
    return true;
}

void stats_free(stats_table *t)
{
    free(t->comm);
    free(t->row);
    *t = (stats_table){0};
}

static bool same_comm(const stats_comm *a, const stats_comm *b)
{
    if (a->size != b->size)
        return false;
    if (a->size == 1)
        return strcmp(a->name, b->name) == 0;
    return a->origin == b->origin && a->serial == b->serial;
}

/* The index here of a communicator that another rank has. */
static int find_comm(const stats_comm *c)
{
    int index = 0;

    for (int i = 1; i < ncomms; i++)
        if (same_comm(&comms[i], c)) {
            if (!*comms[i].name)
                memcpy(comms[i].name, c->name, STATS_NAME);
            return i;
        }
    index = new_comm();
    if (index)
        comms[index] = *c;
    return index;
}

static double larger_time(double a, double b)
{
    return a > b ? a : b;
}

static void merge_row(stats_row *to, const stats_row *from)
{
    stats_most *m = &to->most;

    stats_add(&to->sum, &from->sum);
    for (int f = 0; f < STATS_FORMS; f++)
        if (m->calls[f] < from->most.calls[f])
            m->calls[f] = from->most.calls[f];
    if (m->left < from->most.left)
        m->left = from->most.left;
    if (m->repeated < from->most.repeated)
        m->repeated = from->most.repeated;
    m->inside = larger_time(m->inside, from->most.inside);
    m->seconds = larger_time(m->seconds, from->most.seconds);
}

void stats_merge(const stats_table *theirs)
{
    int here[STATS_COMMS] = {0};

    for (int i = 1; i < theirs->ncomms; i++)
        here[i] = theirs->comm[i].size ? find_comm(&theirs->comm[i]) : 0;
    for (int i = 0; i < theirs->nrows; i++) {
        const stats_row *from = &theirs->row[i];
        stats_key key = from->key;
        stats_row *row;

        key.comm = here[key.comm];
        row = row_of(&key);
        if (row)
            merge_row(row, from);
        else
            without_row +=
                from->most.calls[0] + from->most.calls[1] + from->most.calls[2] + from->most.left;
    }
    without_row += theirs->without_row;
}

void stats_clear(void)
{
    entry *e, *next;

    HASH_ITER (hh, table, e, next) {
        HASH_DEL(table, e);
        free(e);
    }
    free(comms);
    comms = NULL;
    nrows = ncomms = 0;
}
