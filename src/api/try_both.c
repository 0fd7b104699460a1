/* SPDX-License-Identifier: BSD-3-Clause */
/* try_both.c - see try_both.h. */
#include "api/try_both.h"

#include "api/execs.h"
#include "api/together.h"
#include "nbc/plan/plan.h"
#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/simulated.h"

#include <stdlib.h>

/* Tuning: classes on a communicator. In a row what one call leaves for the next one to wait for is
 * found there; the first call of a row has that of another side. */
enum { CLASSES = 64 };

/* By how long a call takes by the estimate: rows of each side, and calls of a row. */
static const struct length {
    double us;
    int rows, length;
} lengths[] = {{50, 4, 6}, {100, 3, 4}, {1e9, 2, 2}}, measured = {0, COMM_ROWS, 4};

enum { NATIVE, OURS };

/* ---- which calls ---- */

static bool is_whole_number(MPI_Datatype type)
{
    const MPI_Datatype known[] = {
        MPI_BYTE,    MPI_CHAR,           MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR,
        MPI_SHORT,   MPI_UNSIGNED_SHORT, MPI_INT,         MPI_UNSIGNED,
        MPI_LONG,    MPI_UNSIGNED_LONG,  MPI_LONG_LONG,   MPI_UNSIGNED_LONG_LONG,
        MPI_INT8_T,  MPI_UINT8_T,        MPI_INT16_T,     MPI_UINT16_T,
        MPI_INT32_T, MPI_UINT32_T,       MPI_INT64_T,     MPI_UINT64_T,
        MPI_AINT,    MPI_OFFSET,         MPI_COUNT,       MPI_INTEGER,
        MPI_C_BOOL,  MPI_LOGICAL};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (type == known[i])
            return true;
    return false;
}

/* Has the result the same bits in whatever order the operands are taken? */
static bool is_exact(const call *c)
{
    if (!coll_has(c->coll.kind, COLL_REDUCES))
        return true;
    if (!c->op.predefined)
        return false;
    return (c->coll.p == 2 && c->op.symmetric) || is_whole_number(c->op.type);
}

static bool is_tried(const call *c, const decision_server *server)
{
    return !server->wise && coll_has_common_size(c->coll.kind) && c->coll.p > 1 && is_exact(c) &&
           !env_estimates() && !simulated();
}

/* ---- one class ---- */

static const struct length *length_for_server(const decision_server *server)
{
    const struct length *l = lengths;
    double us = 1e-6 * (double)(server->native ? server->times.native : server->times.ours);

    if (env_measures()) /* for wisdom: tools/tune_calls.c counts on it */
        return &measured;
    while (server->estimated && us >= l->us && l < lengths + 2)
        l++;
    return l;
}

/* The largest of each of all ranks' numbers. */
static int find_largest(comm *c, int64_t *mine, int64_t *all, int n)
{
    exec *e = NULL;
    int error = together_largest(c, mine, all, n, &e);

    if (!error) {
        error = execs_run(e);
        plan_return_exec(e);
    }
    return error;
}

static int calls_of(const comm_tried *t)
{
    return 2 * t->rows * t->length;
}

/* What has been found on another communicator of this shape counts if all ranks know it. */
static int ask_others(const call *c, const algo_set *without, comm_tried *t)
{
    bool native = false;
    int64_t known = decisions_find_faster(c->comm, t->class, without, &native) ? 1 + native : 0;
    int64_t mine[2] = {known, -known}, all[2];
    int error = find_largest(c->comm, mine, all, 2);

    if (!error && known && all[0] == -all[1]) {
        t->native = native;
        t->calls = calls_of(t) + 1;
    }
    return error;
}

/* *found: NULL: there are too many, or an error. */
static int find_class(const call *c, const decision_server *server, const algo_set *without,
                      comm_tried **found)
{
    uint64_t class = decisions_class(&c->coll, c->bytes.all);
    comm_tried **at = &c->comm->tried;
    int n = 0, error;

    for (; *at && (*at)->class != class; at = &(*at)->next)
        n++;
    *found = *at;
    if (*at || n == CLASSES)
        return MPI_SUCCESS;
    *at = *found = calloc(1, sizeof **at);
    if (!*at)
        return MPI_ERR_NO_MEM;
    (*at)->class = class;
    (*at)->rows = length_for_server(server)->rows;
    (*at)->length = length_for_server(server)->length;
    error = ask_others(c, without, *at);
    if (error) {
        free(*at);
        *at = *found = NULL;
    }
    return error;
}

/* The side that the k-th call goes to. Rows: 0 1 1 0 0 1 1 0 ... */
static int side_of_call(const comm_tried *t, int k)
{
    return (k / t->length + 1) / 2 % 2;
}

static void say_faster(const call *c, const comm_tried *t, const int64_t ns[2])
{
    if (env_verbose())
        env_say("%s of about %lld bytes on %d ranks: %s where the call blocks (tried: the MPI's "
                "takes %.3g us, Tutti's %.3g us)",
                coll_kind_name(c->coll.kind), (long long)c->bytes.all, c->coll.p,
                t->native ? "left to the MPI" : "by Tutti", 1e-3 * (double)ns[NATIVE],
                1e-3 * (double)ns[OURS]);
}

/* How long a row has taken is what it took on the rank that came last, where all wait for all: that
 * has waited for nobody. From a root, or to one, it is the longest time: some ranks need not wait.
 * Nanoseconds of a call in the quickest row of each side. */
static int find_quickest(const call *c, const comm_tried *t, int64_t quickest[2])
{
    bool some_wait = coll_has(c->coll.kind, COLL_ROOTED) || c->coll.kind == COLL_scan ||
                     c->coll.kind == COLL_exscan;
    int64_t mine[2 * COMM_ROWS], all[2 * COMM_ROWS], sign = some_wait ? 1 : -1;
    int error;

    for (int i = 0; i < 2 * t->rows; i++)
        mine[i] = sign * (int64_t)(1000 * t->us[i % 2][i / 2] / (float)(t->length - 1));
    error = find_largest(c->comm, mine, all, 2 * t->rows);
    if (error)
        return error;
    quickest[NATIVE] = quickest[OURS] = INT64_MAX;
    for (int i = 0; i < 2 * t->rows; i++)
        if (sign * all[i] < quickest[i % 2])
            quickest[i % 2] = sign * all[i];
    return MPI_SUCCESS;
}

/* One in twenty more counts for nothing. */
static int agree_on_faster(const call *c, const decision_server *server, const algo_set *without,
                           comm_tried *t)
{
    int64_t ns[2];
    int error = find_quickest(c, t, ns);

    if (error)
        return error;
    t->native = server->native ? 20 * ns[NATIVE] <= 21 * ns[OURS] : 21 * ns[NATIVE] < 20 * ns[OURS];
    t->calls++;
    decisions_keep_faster(c->comm, &c->coll, c->bytes.all, without, t->native, ns[!t->native],
                          t->length - 1);
    say_faster(c, t, ns);
    return MPI_SUCCESS;
}

int try_both(const call *c, const algo_set *without, decision_server *server, comm_tried **tried)
{
    comm_tried *t = NULL;
    int error = is_tried(c, server) ? find_class(c, server, without, &t) : MPI_SUCCESS;

    if (!t || error)
        return error;
    server->tried = true;
    if (t->calls < calls_of(t)) {
        *tried = t;
        server->native = side_of_call(t, t->calls) == NATIVE;
        return MPI_SUCCESS;
    }
    if (t->calls == calls_of(t))
        error = agree_on_faster(c, server, without, t);
    server->native = t->native;
    return error;
}

/* ---- a call that is tried ---- */

/* Callbacks of the program may run inside such a call, and make calls that are tried, too. */
enum { NESTED = 8 };
static _Thread_local struct running {
    comm_tried *of;
    int call;
    double since;
} running[NESTED];
static _Thread_local int nrunning;

/* It is counted at once, because callbacks run at other times on other ranks. */
void try_both_begin(comm_tried *tried)
{
    if (nrunning < NESTED)
        running[nrunning] = (struct running){tried, tried->calls, clock_now()};
    nrunning++;
    tried->calls++;
}

void try_both_end(void)
{
    const struct running *r = &running[--nrunning];
    comm_tried *t = nrunning < NESTED ? r->of : NULL;

    if (t && r->call % t->length)
        t->us[side_of_call(t, r->call)][r->call / t->length / 2] +=
            (float)(1e6 * (clock_now() - r->since));
}
