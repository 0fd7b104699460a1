/* comm.c - see comm.h. Lists are guarded by the engine's lock, creation by the library's. */
#include "nbc/comm.h"

#include "nbc/engine.h"
#include "nbc/exec.h"
#include "nbc/library.h"
#include "nbc/watch.h"
#include "persistent/plan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { MAX_WINDOWS = 65536 };

int comm_tag_limit;

static int key = MPI_KEYVAL_INVALID;
static comm *all;            /* engine lock */
static comm *latest;         /* the last one found; without threads only */
static _Atomic(comm *) dead; /* no references left; linked by dead_next */
static bool ending;          /* MPI_Finalize has begun */

/* ---- references ---- */

void comm_ref(comm *c)
{
    library_lock();
    c->refs++;
    library_unlock();
}

/* Hand it to comm_reap. From anywhere, also from inside the engine: takes no lock. */
static void bury(comm *c)
{
    c->dead_next = atomic_load(&dead);
    while (!atomic_compare_exchange_weak(&dead, &c->dead_next, c))
        ;
}

/* While MPI still duplicates, it will write to the state: comm_advance buries it then. */
void comm_unref(comm *c)
{
    library_lock();
    bool last = --c->refs == 0 && (c->ready || !c->begun);
    library_unlock();
    if (last)
        bury(c);
}

void comm_reap(void)
{
    plan_reap();
    if (!atomic_load_explicit(&dead, memory_order_relaxed) || key == MPI_KEYVAL_INVALID)
        return; /* nothing to do, or MPI_Finalize has been here */
    engine_enter();
    comm *c = atomic_exchange(&dead, NULL), *rest;
    for (rest = c; rest; rest = rest->dead_next)
        DL_DELETE(all, rest);
    engine_leave();
    while (c) {
        comm *next = c->dead_next;
        if (c->shadow != MPI_COMM_NULL)
            PMPI_Comm_free(&c->shadow);
        plan_cache_clear(c); /* of operations that were prepared after the user had freed it */
        topo_free(c->topo);
        free(c->held);
        free(c);
        c = next;
    }
}

/* Open MPI 4.1 crashes when a communicator is freed that it is still duplicating. MPI_Comm_free is
 * collective and may wait for it. MPICH defers the free, and with it our delete callback, into the
 * completion of the duplication itself: waiting there would wait for ever. */
static void finish_duplication(comm *c)
{
#ifdef OPEN_MPI
    const bool waits = true;
#else
    const bool waits = false;
#endif

    if (waits && !ending)
        comm_wait_ready(c);
}

/* Delete callback: the user frees the communicator, or MPI_Finalize has begun. */
static int detach(MPI_Comm user, int keyval, void *value, void *extra)
{
    comm *c = value;
    bool before;

    (void)user, (void)keyval, (void)extra;
    finish_duplication(c);
    c->user = MPI_COMM_NULL;
    if (!library_threaded) /* else it is never set */
        latest = NULL;
    before = library_in_callback;
    library_in_callback = true;
    plan_cache_clear(c);
    library_in_callback = before;
    comm_unref(c);
    return MPI_SUCCESS;
}

/* ---- create ---- */

static int windows_available(void)
{
    int *tag_ub = NULL, flag = 0;
    int64_t tags = 32768;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag);
    if (flag)
        tags = (int64_t)*tag_ub + 1;
    if (comm_tag_limit && comm_tag_limit < tags)
        tags = comm_tag_limit;
    return tags / SCHED_WINDOW < MAX_WINDOWS ? (int)(tags / SCHED_WINDOW) : MAX_WINDOWS;
}

static int create(MPI_Comm user, comm **result)
{
    comm *c = calloc(1, sizeof *c);
    int error, inter = 0;

    if (!c)
        return MPI_ERR_NO_MEM;
    *c = (comm){.user = user, .shadow = MPI_COMM_NULL, .refs = 1, .windows = windows_available()};
    c->split = c->next_persistent = c->windows / 2;
    error = PMPI_Comm_test_inter(user, &inter);
    if (error || inter) {
        error = MPI_ERR_COMM;
        goto fail;
    }
    PMPI_Comm_size(user, &c->p);
    PMPI_Comm_rank(user, &c->rank);
    error = PMPI_Comm_set_attr(user, key, c);
    if (error)
        goto fail;
    engine_enter();
    DL_APPEND(all, c);
    engine_leave();
    *result = c;
    return MPI_SUCCESS;
fail:
    free(c);
    return error;
}

int comm_begin(comm *c)
{
    int error;

    if (c->begun)
        return c->ready ? c->failure : MPI_SUCCESS;
#ifdef TUTTI_SIMULATED /* SimGrid has no MPI_Comm_idup */
    c->duplication = MPI_REQUEST_NULL;
    error = PMPI_Comm_dup(c->user, &c->shadow);
#else
    error = PMPI_Comm_idup(c->user, &c->shadow, &c->duplication);
#endif
    if (error)
        return error;
    c->begun = true;
    engine_poll_communicators(true);
    return MPI_SUCCESS;
}

int comm_get(MPI_Comm user, comm **result)
{
    comm *c = NULL;
    int flag = 0, error;

    if (user == MPI_COMM_NULL)
        return MPI_ERR_COMM;
    if (latest && latest->user == user) { /* an attribute look-up costs tens of nanoseconds */
        *result = latest;
        return MPI_SUCCESS;
    }
    error = PMPI_Comm_get_attr(user, key, &c, &flag);
    if (error)
        return MPI_ERR_COMM;
    if (!flag)
        return create(user, result);
    *result = c;
    if (!library_threaded)
        latest = c;
    return MPI_SUCCESS;
}

int comm_start_all(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, detach, &key, NULL);
}

/* Persistent requests that nobody has freed hold it: give back at least what is MPI's. */
static void abandon(comm *c)
{
    for (exec *e = c->persistent; e; e = e->window_next)
        if (exec_get_state(e) == EXEC_IDLE)
            exec_unbind(e);
    if (c->ready && c->shadow != MPI_COMM_NULL && !engine_busy())
        PMPI_Comm_free(&c->shadow);
}

void comm_end_all(void)
{
    comm *c, *next;

    ending = true;
    DL_FOREACH_SAFE (all, c, next) {
        if (c->user != MPI_COMM_NULL)
            PMPI_Comm_delete_attr(c->user, key);
    }
    comm_reap();
    for (c = all; c; c = c->next)
        abandon(c);
    PMPI_Comm_free_keyval(&key);
}

/* ---- the gate ---- */

static bool window_free(const comm *c, const exec *e)
{
    return !c->window_head || e->operation - c->window_head->operation < c->split;
}

static void window_take(comm *c, exec *e)
{
    e->window_next = NULL;
    e->window_prev = c->window_tail;
    if (c->window_tail)
        c->window_tail->window_next = e;
    else
        c->window_head = e;
    c->window_tail = e;
}

bool comm_gate(comm *c, exec *e)
{
    if (e->persistent)
        return false;
    if (c->ready && !c->gated_head && window_free(c, e)) {
        window_take(c, e);
        return false;
    }
    e->gate_next = NULL;
    if (c->gated_tail)
        c->gated_tail->gate_next = e;
    else
        c->gated_head = e;
    c->gated_tail = e;
    return true;
}

void comm_window_done(comm *c, exec *e)
{
    if (e->persistent)
        return;
    if (e->window_prev)
        e->window_prev->window_next = e->window_next;
    else
        c->window_head = e->window_next;
    if (e->window_next)
        e->window_next->window_prev = e->window_prev;
    else
        c->window_tail = e->window_prev;
    if (c->gated_head)
        engine_poll_communicators(true);
}

static void open_gate(comm *c)
{
    while (c->gated_head && window_free(c, c->gated_head)) {
        exec *e = c->gated_head;
        c->gated_head = e->gate_next;
        if (!c->gated_head)
            c->gated_tail = NULL;
        window_take(c, e);
        engine_begin(e);
        engine_wake(); /* nothing may have run before */
    }
}

/* A duplication may fail: MPICH has some two thousand communicators. What it leaves in its place is
 * not to be used, nor freed. */
static bool advance_duplication(comm *c)
{
    int flag = c->duplication == MPI_REQUEST_NULL;
    int error = flag ? MPI_SUCCESS : PMPI_Test(&c->duplication, &flag, MPI_STATUS_IGNORE);

    if (!error && !flag)
        return false;
    if (error) {
        c->shadow = MPI_COMM_NULL;
        c->failure = error;
        return true;
    }
    PMPI_Comm_set_errhandler(c->shadow, MPI_ERRORS_RETURN);
    c->failure = places_begin(&c->exchange, c->shadow, c->p, c->rank, NULL);
    return true;
}

static bool advance(comm *c)
{
    if (c->ready || !c->begun)
        return true;
    if (!c->exchange.at && !advance_duplication(c))
        return false;
    if (c->exchange.at && !places_advance(&c->exchange, &c->topo, &c->failure))
        return false;
    library_lock();
    c->ready = true;
    bool unused = c->refs == 0;
    library_unlock();
    if (unused)
        bury(c);
    return true;
}

int comm_advance(void)
{
    comm *c, *next;
    int opened = 0;
    bool pending = false;

    engine_poll_communicators(false); /* set again by whatever closes a gate meanwhile */
    DL_FOREACH_SAFE (all, c, next) {
        bool was_ready = c->ready;

        if (!advance(c)) {
            pending = true;
            watch_gated(c->gated_head);
            continue;
        }
        opened += c->ready != was_ready;
        open_gate(c);
        watch_gated(c->gated_head);
    }
    if (pending)
        engine_poll_communicators(true);
    return opened;
}

int comm_wait_native(MPI_Request *request)
{
    int flag = 0, idle = 0, error = MPI_SUCCESS;

    while (!error && !flag) {
        engine_idle_turn(&idle);
        error = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
    }
    return error;
}

int comm_wait_ready(comm *c)
{
    for (int idle = 0; c->begun && !c->ready;)
        engine_idle_turn(&idle);
    return c->failure;
}

int comm_raise(const comm *c, int error)
{
    MPI_Comm user = c && c->user != MPI_COMM_NULL ? c->user : MPI_COMM_WORLD;

#ifdef TUTTI_SIMULATED /* SimGrid calls a null pointer for MPI_ERRORS_RETURN */
    MPI_Errhandler handler;
    if (PMPI_Comm_get_errhandler(user, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN)
        return error;
#endif
    PMPI_Comm_call_errhandler(user, error);
    return error;
}
