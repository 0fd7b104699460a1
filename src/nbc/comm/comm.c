/* comm.c - see comm.h. Lists are guarded by the engine's lock, creation by the library's. */
#include "nbc/comm/comm.h"

#include "nbc/comm/channel.h"
#include "nbc/process/clock.h"
#include "nbc/run/engine.h"
#include "nbc/run/exec.h"
#include "nbc/library.h"
#include "nbc/progress/watch.h"
#include "nbc/plan/plan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { BATCH = 16 }; /* handshakes tested by one call */

static int key = MPI_KEYVAL_INVALID;
static comm *all;            /* engine lock */
static comm *latest;         /* the last one found; without threads only */
static _Atomic(comm *) dead; /* no references left; linked by dead_next */

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

/* During the handshake MPI will write to the state: comm_advance buries it then. */
void comm_unref(comm *c)
{
    library_lock();
    bool last = --c->refs == 0 && (c->ready || !c->begun);
    library_unlock();
    if (last)
        bury(c);
}

static void wire_free(comm_wire *w)
{
    for (int i = 0; i < w->nlanes; i++) {
        if (w->from_channel)
            channel_number_return(w->lane[i].mine);
        free(w->lane[i].of);
    }
    free(w->lane);
    free(w->place);
    if (w->ours)
        PMPI_Comm_free(&w->comm);
}

void comm_reap(void)
{
    plan_reap();
    if (!atomic_load_explicit(&dead, memory_order_relaxed) || key == MPI_KEYVAL_INVALID)
        return; /* nothing to do, or MPI_Finalize has been here */
    if (!engine_try_enter())
        return; /* another time */
    comm *c = atomic_exchange(&dead, NULL), *rest;
    for (rest = c; rest; rest = rest->dead_next)
        DL_DELETE(all, rest);
    engine_leave();
    while (c) {
        comm *next = c->dead_next;
        plan_cache_clear(c); /* of operations that were prepared after the user had freed it */
        wire_free(&c->wire);
        topo_free(c->topo);
        free(c->persistent.held);
        free(c);
        c = next;
    }
}

/* Delete callback: the user frees the communicator, or MPI_Finalize has begun. */
static int detach(MPI_Comm user, int keyval, void *value, void *extra)
{
    comm *c = value;
    bool before;

    (void)user, (void)keyval, (void)extra;
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

static int create(MPI_Comm user, comm **result)
{
    comm *c = calloc(1, sizeof *c);
    int error, inter = 0;

    if (!c)
        return MPI_ERR_NO_MEM;
    *c = (comm){.user = user, .refs = 1, .nwindows = channel_windows()};
    c->wire.comm = MPI_COMM_NULL;
    c->split = c->nwindows / 2;
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

bool comm_end_all(void)
{
    comm *c, *next;

    DL_FOREACH_SAFE (all, c, next) {
        if (c->user != MPI_COMM_NULL)
            PMPI_Comm_delete_attr(c->user, key);
    }
    comm_reap();
    return all == NULL;
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
        engine_wake(false); /* nothing may have run before */
    }
}

/* ---- the handshake ---- */

void comm_set_current(comm *c, const handshake *h, const char *caller)
{
    engine_enter();
    c->current = h;
    c->caller = caller;
    c->reported = false;
    if (h && watch_on)
        c->opened = clock_now();
    engine_leave();
    if (h)
        engine_poll_communicators(true);
}

int comm_meet(comm *c, const char *caller, const hello *mine, bool may_block, handshake *h)
{
    int error = handshake_open(h, c->p, c->rank, mine);

    if (error)
        return error;
    comm_set_current(c, h, caller);
    error = handshake_run(h, c->user, may_block);
    comm_set_current(c, NULL, NULL);
    return error;
}

void comm_become_ready(comm *c, int error)
{
    c->failure = error;
    library_lock();
    c->ready = true;
    bool unused = c->refs == 0;
    library_unlock();
    if (unused)
        bury(c);
}

void comm_abandon(void)
{
    for (comm *c = all; c; c = c->next) {
        c->lost = !c->ready;
        c->gated_head = c->gated_tail = NULL;
    }
}

/* The next communicator with a handshake under way; it goes to the end of the list, so that all get
 * their turn. */
static comm *next_pending(void)
{
    comm *c;

    DL_FOREACH (all, c) {
        if (!c->current || c->lost || c->tested)
            continue;
        DL_DELETE(all, c);
        DL_APPEND(all, c);
        return c;
    }
    return NULL;
}

/* Not with the lock: MPICH calls the program's callbacks in there, if the program has freed the
 * communicator, and they may come back to us. The state lives until the handshake is over. */
static void test_handshake(comm *c)
{
    int error;
    bool over;

    c->tested = true;
    engine_leave();
    over = handshake_test(&c->first, &error);
    engine_enter();
    c->tested = false;
    if (over)
        comm_first_finish(c, error);
}

int comm_advance(void)
{
    comm *c, *first = NULL;
    int opened = 0;
    bool pending = false;

    engine_poll_communicators(false); /* set again by whatever closes a gate meanwhile */
    for (int i = 0; i < BATCH && (c = next_pending()) && c != first; i++) {
        if (!first)
            first = c;
        if (c->begun && c->current == &c->first) { /* else a call waits for it by itself */
            test_handshake(c);
            opened += c->ready;
        }
        watch_comm(c);
    }
    DL_FOREACH (all, c) {
        pending |= c->current && !c->lost;
        if (c->ready && c->gated_head)
            open_gate(c);
        watch_gated(c->gated_head);
    }
    if (pending)
        engine_poll_communicators(true);
    return opened;
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

int comm_raise_for(MPI_Comm user, const comm *c, int error)
{
    if (!error)
        return MPI_SUCCESS;
    if (c || (user == MPI_COMM_NULL && error != MPI_ERR_OTHER))
        return comm_raise(c, error);
    if (user != MPI_COMM_NULL) /* an intercommunicator; or the program has sessions only */
        PMPI_Comm_call_errhandler(user, error);
    return error; /* else MPI does not run: there is no handler to call */
}
