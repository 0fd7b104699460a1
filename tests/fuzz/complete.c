/* SPDX-License-Identifier: BSD-3-Clause */
/* complete.c - what is open, and how it is completed: any family, on any subset, in any order,
 * among null requests. */
#include "call.h"

#include <sched.h>
#include <string.h>

enum { NULLS = 4, MOST = 24, ARRAY = MOST + NULLS };

void pending_add(fuzz *f, op *o, int part, MPI_Request request, void *own)
{
    if (f->pending_count == MAX_PENDING)
        fail(f, o, "the fuzzer's table of requests is full");
    else
        f->pending[f->pending_count++] = (pending){o, part, o->wait_from, request, own};
    o->open++;
}

static void finish(fuzz *f, int index, const MPI_Status *status)
{
    op *o = f->pending[index].o;
    int part = f->pending[index].part;

    f->pending[index].o = NULL;
    if (o->what->part)
        o->what->part(f, o, part, status);
    if (--o->open > 0)
        return;
    if (o->what->check)
        o->what->check(f, o);
    watch_beat();
}

static void compact(fuzz *f)
{
    int n = 0;

    for (int i = 0; i < f->pending_count; i++)
        if (f->pending[i].o)
            f->pending[n++] = f->pending[i];
    f->pending_count = n;
}

/* ---- the families of the MPI ---- */

static int any(int index, bool flag, int done[])
{
    done[0] = index;
    return flag && index != MPI_UNDEFINED;
}

static int all(int n, bool flag, int done[])
{
    for (int i = 0; i < n; i++)
        done[i] = i;
    return flag ? n : 0;
}

static int native_family(enum family w, int n, MPI_Request *r, int done[], MPI_Status status[])
{
    int flag = 1, k = 0;

    switch (w) {
    case WAIT:
        MPI_Wait(r, status);
        return all(1, true, done);
    case WAITALL:
        MPI_Waitall(n, r, status);
        return all(n, true, done);
    case WAITANY:
        MPI_Waitany(n, r, &k, status);
        return any(k, true, done);
    case WAITSOME:
        MPI_Waitsome(n, r, &k, done, status);
        return k == MPI_UNDEFINED ? 0 : k;
    case TEST:
        MPI_Test(r, &flag, status);
        return all(1, flag, done);
    case TESTALL:
        MPI_Testall(n, r, &flag, status);
        return all(n, flag, done);
    case TESTANY:
        MPI_Testany(n, r, &k, &flag, status);
        return any(k, flag, done);
    default:
        MPI_Testsome(n, r, &k, done, status);
        return k == MPI_UNDEFINED ? 0 : k;
    }
}

/* ---- calls that complete nothing ---- */

static int count_of(int n, const MPI_Request r[])
{
    int k = 0;

    for (int i = 0; i < n; i++)
        k += r[i] != MPI_REQUEST_NULL;
    return k;
}

/* How many of them the MPI says are complete; at least. They are not const in MPICH 4.2. */
static int look(fuzz *f, int n, MPI_Request r[])
{
    int flag, k = 0;
    MPI_Status status;

#ifdef TUTTI_HAVE_GET_STATUS_MANY
    int indices[ARRAY];
    MPI_Status statuses[ARRAY];

    switch (rng_below(&f->mine, 4)) {
    case 0:
        MPI_Request_get_status_all(n, r, &flag, statuses);
        return flag ? count_of(n, r) : 0;
    case 1:
        MPI_Request_get_status_any(n, r, &k, &flag, &status);
        return flag && k != MPI_UNDEFINED;
    case 2:
        MPI_Request_get_status_some(n, r, &k, indices, statuses);
        return k == MPI_UNDEFINED ? 0 : k;
    default:
        break;
    }
#endif
    for (int i = 0; i < n; i++) {
        MPI_Request_get_status(r[i], &flag, &status);
        k += flag && r[i] != MPI_REQUEST_NULL;
    }
    (void)f;
    return k;
}

/* What a test after that must complete, at least; requests of one thread. */
static int owed(enum family w, int complete, int n, const MPI_Request r[])
{
    switch (w) {
    case TEST:
    case TESTALL:
        return complete == count_of(n, r) ? n : 0;
    case TESTANY:
        return complete > 0;
    case TESTSOME:
        return complete;
    default:
        return 0;
    }
}

/* MPICH 4.2 and 5.0 give the wait for a persistent receive an empty status once they were asked */
static bool may_look(const pending *e)
{
    return !e->o->what->part || e->o->of < 0;
}

/* To an integer and back. */
static MPI_Request as_integer(MPI_Request r)
{
#ifdef TUTTI_HAVE_REQUEST_TOINT
    return MPI_Request_fromint(MPI_Request_toint(r));
#else
    return MPI_Request_f2c(MPI_Request_c2f(r));
#endif
}

/* ---- a call on some ---- */

typedef struct selection {
    bool own; /* requests of Tutti, not of the MPI */
    int n;
    int index[ARRAY]; /* of the pending table, -1: a null request */
} selection;

static bool ours_of(const pending *e)
{
    return names_are_ours && (e->o->what->traits & OURS);
}

/* May this rank wait for it now? */
static bool due(const fuzz *f, const pending *e)
{
    return e->wait_from <= f->at;
}

static void select_some(fuzz *f, bool waiting, bool own, selection *s)
{
    int percent = rng_chance(&f->mine, 30) ? 100 : 1 + rng_below(&f->mine, 99);

    *s = (selection){.own = own};
    for (int i = 0; i < f->pending_count && s->n < MOST; i++) {
        pending *e = &f->pending[i];
        if ((e->own != NULL) == own && (!waiting || due(f, e)) && rng_chance(&f->mine, percent))
            s->index[s->n++] = i;
    }
    int nulls = s->n > 0 && rng_chance(&f->mine, 30) ? 1 + rng_below(&f->mine, NULLS) : 0;
    for (int i = 0; i < nulls; i++)
        s->index[s->n++] = -1;
    for (int i = s->n - 1; i > 0; i--) {
        int j = rng_below(&f->mine, i + 1), swap = s->index[i];
        s->index[i] = s->index[j];
        s->index[j] = swap;
    }
}

/* Before a native wait: what Tutti would not advance meanwhile. False: use a test instead. */
static bool may_wait(fuzz *f, const selection *s)
{
    bool kept[MAX_PENDING] = {false};

    if (s->own || !f->restricted)
        return true;
    for (int i = 0; i < s->n; i++) {
        if (s->index[i] < 0)
            continue;
        if (f->manual && ours_of(&f->pending[s->index[i]]))
            return false;
        kept[s->index[i]] = true;
    }
    clear_ours(f, kept);
    return true;
}

static void apply(fuzz *f, enum family w, const selection *s)
{
    MPI_Request request[ARRAY];
    void *own[ARRAY];
    int done[ARRAY], k, least = 0;
    bool looks = !s->own && rng_chance(&f->mine, 20), integers = rng_chance(&f->mine, 5);
    MPI_Status status[ARRAY];

    for (int i = 0; i < s->n; i++) {
        const pending *e = s->index[i] < 0 ? NULL : &f->pending[s->index[i]];
        request[i] = e ? e->request : MPI_REQUEST_NULL;
        if (integers)
            request[i] = as_integer(request[i]);
        own[i] = e ? e->own : NULL;
        looks = looks && (!e || may_look(e));
    }
    if (looks)
        least = owed(w, look(f, s->n, request), s->n, request);
    if (s->own)
        k = own_family(w, s->n, own, done, status);
    else
        k = native_family(w, s->n, request, done, status);
    if (k < least)
        fail(f, f->current, "%d requests are complete, and a test finds %d", least, k);
    for (int i = 0; i < k; i++)
        if (s->index[done[i]] >= 0)
            finish(f, s->index[done[i]], &status[i]);
}

static int names_of(const fuzz *f, bool own)
{
    int n = 0;
    for (int i = 0; i < f->pending_count; i++)
        n += (f->pending[i].own != NULL) == own;
    return n;
}

void complete_some(fuzz *f, int wait_percent)
{
    selection s;
    bool waiting = rng_chance(&f->mine, wait_percent);
    enum family w = (enum family)(rng_below(&f->mine, 4) + (waiting ? WAIT : TEST));

    if (f->pending_count == 0)
        return;
    f->doing = waiting ? "wait" : "test";
    select_some(f, waiting, rng_below(&f->mine, f->pending_count) < names_of(f, true), &s);
    if (s.n == 0)
        return;
    if (w == WAIT || w == TEST)
        s.n = 1; /* the others are not waited for: may_wait completes what is due of them */
    if (waiting && !may_wait(f, &s))
        w = (enum family)(w + TEST - WAIT);
    apply(f, w, &s);
    compact(f);
    if (f->restricted)
        own_progress();
}

static void test_one(fuzz *f, int index)
{
    selection s = {.own = f->pending[index].own != NULL, .n = 1, .index = {index}};

    apply(f, TEST, &s);
}

/* Tests until all is complete that wanted says; other entries stay where they are. */
static void test_until(fuzz *f, bool (*wanted)(const fuzz *, int, const void *), const void *what)
{
    for (bool left = true; left;) {
        left = false;
        for (int i = 0; i < f->pending_count; i++) {
            if (!f->pending[i].o || !wanted(f, i, what))
                continue;
            test_one(f, i);
            left |= f->pending[i].o != NULL;
        }
        own_progress();
        sched_yield();
    }
}

static bool not_kept(const fuzz *f, int index, const void *kept)
{
    const pending *e = &f->pending[index];

    return ours_of(e) && due(f, e) && !(kept && ((const bool *)kept)[index]);
}

/* In a selection that is being waited for, indices must stay: the caller compacts. */
void clear_ours(fuzz *f, const bool kept[])
{
    f->doing = "completing Tutti's operations before a native wait";
    test_until(f, not_kept, kept);
    if (!kept)
        compact(f);
}

static bool belongs(const fuzz *f, int index, const void *o)
{
    return f->pending[index].o == o;
}

void complete_op(fuzz *f, op *o)
{
    f->doing = "completing an operation";
    test_until(f, belongs, o);
    compact(f);
}

void complete_all(fuzz *f)
{
    f->at = f->op_count;
    f->doing = "completing all";
    while (f->pending_count > 0)
        complete_some(f, 70);
}
