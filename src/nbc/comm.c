/* comm.c - see comm.h. Lists are guarded by the engine's lock, creation by the library's. */
#include "nbc/comm.h"

#include "nbc/channel.h"
#include "nbc/clock.h"
#include "nbc/engine.h"
#include "nbc/exec.h"
#include "nbc/library.h"
#include "nbc/places.h"
#include "nbc/watch.h"
#include "persistent/plan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

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
    engine_enter();
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

/* Persistent requests that nobody has freed hold a communicator, and callbacks of the program that
 * MPI_Finalize calls after ours may still use them. */
bool comm_end_all(void)
{
    comm *c, *next;

    DL_FOREACH_SAFE (all, c, next) {
        if (c->user != MPI_COMM_NULL)
            PMPI_Comm_delete_attr(c->user, key);
    }
    comm_reap();
    if (all)
        return false;
    PMPI_Comm_free_keyval(&key);
    return true;
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

static void set_current(comm *c, const handshake *h, const char *caller)
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

int comm_meet(comm *c, const char *caller, const hello *mine, handshake *h)
{
    int error = handshake_open(h, c->p, c->rank, mine);

    if (error)
        return error;
    set_current(c, h, caller);
    error = handshake_run(h, c->user);
    set_current(c, NULL, NULL);
    return error;
}

/* Ready, with this result. Engine lock held or nobody else can be waiting. */
static void become_ready(comm *c, int error)
{
    c->failure = error;
    library_lock();
    c->ready = true;
    bool unused = c->refs == 0;
    library_unlock();
    if (unused)
        bury(c);
}

int comm_add_lane(comm *c, const handshake *h)
{
    comm_wire *w = &c->wire;
    comm_lane lane = {.mine = h ? h->mine.number : w->nlanes};
    comm_lane *lanes = realloc(w->lane, (size_t)(w->nlanes + 1) * sizeof *lanes);

    if (!lanes)
        return MPI_ERR_NO_MEM;
    w->lane = lanes;
    if (h) {
        lane.of = malloc((size_t)c->p * sizeof *lane.of);
        if (!lane.of)
            return MPI_ERR_NO_MEM;
        for (int r = 0; r < c->p; r++)
            lane.of[r] = h->all[r].number;
    }
    w->lane[w->nlanes++] = lane;
    c->persistent.capacity += w->nlanes == 1 ? c->nwindows - c->split : c->nwindows;
    return MPI_SUCCESS;
}

/* One process: no messages, nobody to ask. */
static int be_alone(comm *c, const hello *mine)
{
    c->topo = topo_make(&mine->at, 1);
    c->wire.comm = library_self();
    c->begun = true;
    become_ready(c, c->topo ? comm_add_lane(c, NULL) : MPI_ERR_NO_MEM);
    return c->failure;
}

static bool all_have_numbers(const handshake *h)
{
    bool all_have = true;

    for (int r = 0; r < h->p; r++)
        all_have &= h->all[r].number >= 0;
    return all_have;
}

/* The handshake is over and the channel there. */
static int go_over_channel(comm *c)
{
    int error = comm_add_lane(c, &c->first);

    c->wire.comm = channel_comm();
    c->wire.from_channel = error == MPI_SUCCESS;
    return error;
}

/* Collective, blocks. MPI_Comm_create copies no attributes. */
static int go_over_own(comm *c)
{
    MPI_Group group;
    int error = PMPI_Comm_group(c->user, &group);

    if (error)
        return error;
#ifdef TUTTI_SIMULATED
    error = PMPI_Comm_dup(c->user, &c->wire.comm);
#else
    error = PMPI_Comm_create(c->user, group, &c->wire.comm);
#endif
    PMPI_Group_free(&group);
    c->wire.ours = error == MPI_SUCCESS;
    if (!error)
        error = PMPI_Comm_set_errhandler(c->wire.comm, MPI_ERRORS_RETURN);
    return error ? error : comm_add_lane(c, NULL);
}

/* Where the members are in the channel, once there is one. */
static int find_places(comm *c)
{
    int error = MPI_SUCCESS;

    if (!c->placed && channel_comm() != MPI_COMM_NULL) {
        error = channel_places(c->user, c->p, &c->wire.place, &c->covered);
        c->placed = error == MPI_SUCCESS;
    }
    return error;
}

/* Another thread of this process makes the channel, as threads of others have done already. */
static int wait_for_channel(comm *c)
{
    for (int idle = 0; channel_comm() == MPI_COMM_NULL;)
        engine_idle_turn(&idle);
    return find_places(c);
}

/* All have come, and all are in a call that may block: decide alike what messages travel over. */
static int connect(comm *c)
{
    bool channel = false, threads = false;

    for (int r = 0; r < c->p; r++) {
        channel |= c->first.all[r].channel;
        threads |= c->first.all[r].threaded;
    }
    if (!all_have_numbers(&c->first))
        return go_over_own(c);
    if (channel) {
        int error = wait_for_channel(c);
        return error ? error : go_over_channel(c);
    }
    /* two threads could make a channel each, in another order on another rank */
    if (threads ? c->user == MPI_COMM_WORLD : channel_is_world(c->user, c->p)) {
        int error = channel_make(c->user);
        if (!error)
            error = find_places(c);
        return error ? error : go_over_channel(c);
    }
    return go_over_own(c);
}

static void end_first(comm *c, int error)
{
    if (!c->wire.from_channel && c->first.mine.number >= 0)
        channel_number_return(c->first.mine.number);
    handshake_close(&c->first);
    c->begun = true;
    become_ready(c, error);
}

static int begin_and_wait(comm *c, const char *caller, const hello *mine)
{
    int error = comm_meet(c, caller, mine, &c->first);

    if (!error) {
        c->topo = handshake_topo(&c->first);
        error = c->topo ? connect(c) : MPI_ERR_NO_MEM;
    }
    end_first(c, error);
    return error;
}

static int begin(comm *c, const char *caller, const hello *mine)
{
    int error = handshake_begin(&c->first, c->user, c->p, c->rank, mine);

    if (error) {
        if (mine->number >= 0)
            channel_number_return(mine->number);
        return error;
    }
    set_current(c, &c->first, caller);
    c->begun = true;
    return MPI_SUCCESS;
}

/* There was no number for it: now it may get a communicator of its own. */
static int feed(comm *c)
{
    c->starved = false;
    c->failure = go_over_own(c);
    return c->failure;
}

int comm_begin(comm *c, const char *caller, bool may_block)
{
    hello mine = {.threaded = library_threaded};
    int error;

    if (c->begun && c->ready && c->starved && may_block)
        return feed(c);
    if (c->begun)
        return c->ready ? c->failure : MPI_SUCCESS;
    error = places_mine(&mine.at);
    if (!error && c->p == 1)
        return be_alone(c, &mine);
    if (!error)
        error = find_places(c);
    if (error)
        return error;
    mine.channel = c->placed && c->covered;
    mine.number = channel_number_take(false);
    return mine.channel && !may_block ? begin(c, caller, &mine) : begin_and_wait(c, caller, &mine);
}

bool comm_prepared(comm *c)
{
    if (c->begun || c->p == 1)
        return true;
    return channel_made_early() && find_places(c) == MPI_SUCCESS && c->placed && c->covered;
}

/* A non-blocking first call has told and heard. Engine lock held. */
static void finish_first(comm *c, int error)
{
    c->current = NULL;
    if (!error) {
        c->topo = handshake_topo(&c->first);
        c->starved = !all_have_numbers(&c->first);
        error = !c->topo ? MPI_ERR_NO_MEM : c->starved ? MPI_ERR_OTHER : go_over_channel(c);
    }
    end_first(c, error);
}

void comm_abandon(void)
{
    for (comm *c = all; c; c = c->next) {
        c->lost = !c->ready;
        c->gated_head = c->gated_tail = NULL;
    }
}

static bool advance(comm *c)
{
    int error;

    if (c->lost)
        return true;
    if (!c->begun || c->ready)
        return c->current == NULL;
    if (!handshake_test(&c->first, &error))
        return false;
    finish_first(c, error);
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
            watch_comm(c);
        }
        if (!c->ready)
            continue;
        opened += !was_ready;
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
