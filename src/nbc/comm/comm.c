/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c - attach the state to a communicator, count its references, give it back. */
#include "nbc/comm/comm.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/hooks.h"
#include "nbc/comm/neighbors.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/process/rest.h"
#include "nbc/process/simulated.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <utlist.h>

comm_hooks comm_above;
comm *comm_all, *comm_latest;

static int key = MPI_KEYVAL_INVALID;
static bool ending;              /* MPI_Finalize has begun */
static _Atomic(comm *) deferred; /* no references left; linked by deferred_next */

/* ---- references ---- */

void comm_ref(comm *c)
{
    process_lock();
    c->refs++;
    process_unlock();
}

void comm_defer_free(comm *c)
{
    c->deferred_next = atomic_load(&deferred);
    while (!atomic_compare_exchange_weak(&deferred, &c->deferred_next, c))
        ;
    atomic_store(&process_has_deferred, true);
}

/* During the handshake MPI will write to the state: comm_advance leaves it to comm_free_deferred
 * then. */
void comm_unref(comm *c)
{
    process_lock();
    bool last = --c->refs == 0 && (c->ready || !c->begun);
    process_unlock();
    if (last)
        comm_defer_free(c);
}

/* used_up: its context ids may not be used again. */
static void wire_free(comm_wire *w, bool used_up)
{
    for (int i = 0; i < w->ntag_spaces; i++) {
        if (w->from_channel && !used_up)
            channel_free_context_id(w->tag_space[i].context_id);
        free(w->tag_space[i].context_ids);
    }
    free(w->tag_space);
    free(w->channel_rank);
    if (w->ours)
        PMPI_Comm_free(&w->comm);
}

/* Those that nobody needs. Others still read the mailboxes of the rest (node/shm_peers.h). Engine
 * lock. */
static comm *take_deferred(void)
{
    comm *next, *taken = NULL;

    for (comm *c = atomic_exchange(&deferred, NULL); c; c = next) {
        next = c->deferred_next;
        if (!shm_peers_have_read(c->shm_peers)) {
            comm_defer_free(c);
            continue;
        }
        DL_DELETE(comm_all, c);
        c->deferred_next = taken;
        taken = c;
    }
    return taken;
}

void comm_free_deferred_all(void)
{
    atomic_store(&process_has_deferred, false); /* set again by whatever is deferred meanwhile */
    comm_above.free_deferred_plans();
    if (!atomic_load_explicit(&deferred, memory_order_relaxed) || key == MPI_KEYVAL_INVALID)
        return; /* nothing to do, or MPI_Finalize has been here */
    if (!engine_try_enter()) {
        atomic_store(&process_has_deferred, true); /* another time */
        return;
    }
    comm *c = take_deferred();
    engine_leave();
    while (c) {
        comm *next = c->deferred_next;
        comm_above.clear_plans(
            c); /* of operations that were prepared after the user had freed it */
        shm_peers_free(c->shm_peers, !c->failure && !c->out_of_step);
        wire_free(&c->wire, comm_is_broken(c));
        topo_free(c->topo);
        neighbors_free(c->neighbors);
        free(c->degrees);
        free(c->halo_found);
        free(c->persistent.held);
        handshake_close(&c->persistent.meeting);
        wisdom_free(c->wisdom);
        while (c->tried) {
            comm_tried *t = c->tried;
            c->tried = t->next;
            free(t);
        }
        free(c);
        c = next;
    }
}

/* Delete callback: the user frees the communicator, or MPI_Finalize has begun. */
static int detach(MPI_Comm user, int keyval, void *value, void *extra)
{
    comm *c = value;
    bool before;

    (void)keyval, (void)extra;
    if (stats_on)
        stats_comm_gone(c->stats_index, user, ending);
    c->user = MPI_COMM_NULL;
    if (!process_threaded) /* else it is never set */
        comm_latest = NULL;
    before = process_in_callback;
    process_in_callback = true;
    comm_above.clear_plans(c);
    process_in_callback = before;
    comm_unref(c);
    return MPI_SUCCESS;
}

/* ---- create ---- */

static int create(MPI_Comm user, comm **result)
{
    static int made; /* engine lock */
    comm *c = calloc(1, sizeof *c);
    int error, inter = 0;

    if (!c)
        return MPI_ERR_NO_MEM;
    *c = (comm){.user = user,
                .refs = 1,
                .persistent.per_tag_space = channel_windows(),
                .gate.shut = 1,
                .state_lock = PTHREAD_MUTEX_INITIALIZER};
    c->wire.comm = MPI_COMM_NULL;
    c->gate.split = c->persistent.per_tag_space / 2;
    error = PMPI_Comm_test_inter(user, &inter);
    if (error || inter) {
        error = reason_set(MPI_ERR_COMM, error ? "the communicator is not valid"
                                               : "the communicator is an intercommunicator");
        goto fail;
    }
    PMPI_Comm_size(user, &c->p);
    PMPI_Comm_rank(user, &c->rank);
    error = PMPI_Comm_set_attr(user, key, c);
    if (error)
        goto fail;
    if (stats_on)
        c->stats_index = stats_comm_add(&c->serial);
    engine_enter();
    c->made = ++made;
    DL_APPEND(comm_all, c);
    engine_leave();
    *result = c;
    return MPI_SUCCESS;
fail:
    free(c);
    return error;
}

/* A communicator that a thread is just making the state of. Library lock. */
typedef struct making {
    MPI_Comm user;
    struct making *prev, *next;
} making;

static making *makers;

/* One at a time: a second attribute would throw out the first one. */
static bool making_begin(making *m)
{
    making *other;
    bool alone = true;

    process_lock();
    DL_FOREACH (makers, other)
        alone &= other->user != m->user;
    if (alone)
        DL_APPEND(makers, m);
    process_unlock();
    return alone;
}

static void making_end(making *m)
{
    process_lock();
    DL_DELETE(makers, m);
    process_unlock();
}

/* NULL: there is none yet. */
static int find_attached_comm(MPI_Comm user, comm **result)
{
    int flag = 0, error = PMPI_Comm_get_attr(user, key, result, &flag);

    if (error || !flag)
        *result = NULL;
    return error ? MPI_ERR_COMM : MPI_SUCCESS;
}

static int find_or_create(MPI_Comm user, comm **result)
{
    making m = {.user = user};
    int error;

    for (int again = 0; !making_begin(&m); again++)
        rest(again);
    error = find_attached_comm(user, result); /* another thread may have been first */
    if (!error && !*result)
        error = create(user, result);
    making_end(&m);
    return error;
}

int comm_look_up(MPI_Comm user, comm **result)
{
    comm *c = NULL;
    int error;

    if (user == MPI_COMM_NULL)
        return reason_set(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
    error = find_attached_comm(user, &c);
    if (!error && !c)
        return find_or_create(user, result);
    if (error)
        return error;
    *result = c;
    if (!process_threaded)
        comm_latest = c;
    return MPI_SUCCESS;
}

/* MPI is not called inside process_lock: it has a lock of its own, which it may hold when it calls
 * back and we take ours. */
int comm_find_neighbors(comm *c)
{
    coll_neighbors *found = NULL;
    int error;

    process_lock();
    bool known = c->neighbors != NULL;
    process_unlock();
    if (known)
        return MPI_SUCCESS;
    error = neighbors_find(c->user, c->rank, &found);
    if (error)
        return error;
    process_lock();
    if (!c->neighbors) {
        c->neighbors = found;
        found = NULL;
    }
    process_unlock();
    neighbors_free(found); /* another thread was first */
    return MPI_SUCCESS;
}

int comm_start_all(const comm_hooks *above)
{
    comm_above = *above;
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, detach, &key, NULL);
}

/* Have all ranks read the ring descriptors that were published here? */
static bool all_have_read(void)
{
    bool all = true;

    engine_enter();
    for (const comm *c = comm_all; c; c = c->next)
        all &= shm_peers_have_read(c->shm_peers);
    engine_leave();
    return all;
}

/* Others read ring descriptors before they leave the init, and wait for nobody to do that. */
bool comm_end_all(void)
{
    comm *c, *next;

    for (int idle = 0; !all_have_read();)
        comm_above.idle_turn(&idle);
    ending = true;
    DL_FOREACH_SAFE (comm_all, c, next) {
        if (c->user != MPI_COMM_NULL)
            PMPI_Comm_delete_attr(c->user, key);
    }
    comm_free_deferred();
    return comm_all == NULL;
}

/* ---- errors ---- */

/* Through the handler of `user`. */
static int raise_through(const char *call, MPI_Comm user, int error)
{
    int rank = 0;

    PMPI_Comm_rank(user, &rank);
    reason_print(call, user, rank, error);
    if (!simulated_returns_errors(user))
        PMPI_Comm_call_errhandler(user, error);
    return error;
}

int comm_raise(const char *call, const comm *c, int error)
{
    return raise_through(call, c && c->user != MPI_COMM_NULL ? c->user : MPI_COMM_WORLD, error);
}

int comm_raise_for(const char *call, MPI_Comm user, const comm *c, int error)
{
    if (!error)
        return MPI_SUCCESS;
    if (c || (user == MPI_COMM_NULL && error != MPI_ERR_OTHER))
        return comm_raise(call, c, error);
    if (user != MPI_COMM_NULL) /* an intercommunicator; or the program has sessions only */
        return raise_through(call, user, error);
    return error; /* MPI does not run: there is no handler to call */
}
