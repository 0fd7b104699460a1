/* SPDX-License-Identifier: BSD-3-Clause */
/* first.c - the first handshake of a communicator: what this rank sends, and what follows from what
 * all have sent. What its messages travel over from then on is in comm_wire.c.
 *
 *   call                 channel?   what
 *   non-blocking         yes        begin; the engine goes on when all have sent
 *   non-blocking         no         wait in the call; then as below
 *   may block            yes        wait in the call
 *   may block            no         wait in the call; make the channel, or a communicator of ours
 *
 * The native collective depends on the call alone, not on the channel: another thread may be making
 * that on one rank and have made it on another. What is done then follows from what all have sent.
 */
#include "nbc/comm/first.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm_wire.h"
#include "nbc/comm/degrees.h"
#include "nbc/comm/failures.h"
#include "nbc/comm/hooks.h"
#include "nbc/comm/machine_of.h"
#include "nbc/comm/meet.h"
#include "nbc/comm/own_location.h"
#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"

#include <utlist.h>

enum { BATCH = 16 }; /* handshakes tested by one call */

/* The handshake is over, with this result. */
static void become_ready(comm *c, int error)
{
    c->failure = error;
    process_lock();
    c->ready = true;
    atomic_fetch_sub(&c->gate.shut, 1);
    bool unused = c->refs == 0;
    process_unlock();
    if (unused)
        comm_defer_free(c);
}

/* `begun` last: who sees it in another thread finds all else done. */
static int get_ready(comm *c, int error)
{
    become_ready(c, error);
    c->begun = true;
    return error;
}

/* One process: no messages, nobody to ask. */
static int be_alone(comm *c, const hello *mine)
{
    c->topo = topo_make(&mine->at, 1);
    c->machine = constants_unpack(mine->machine);
    c->same_environment = c->same_wisdom = true;
    c->reproducible = mine->reproducible;
    c->wire.comm = process_self();
    stats_comm_known(c->stats_index, mine->world, mine->serial, 1);
    return get_ready(c, c->topo ? comm_add_tag_space(c, NULL) : MPI_ERR_NO_MEM);
}

/* The context id was not used. */
static void free_unused_context_id(const comm *c, int context_id)
{
    if (!c->wire.from_channel && context_id >= 0)
        channel_free_context_id(context_id);
}

/* A rank that does not know where it is takes part, so that nobody waits for it for ever. */
static int errors_of(const handshake *h)
{
    if (!handshake_is_ours(h))
        return h->mine.error ? h->mine.error : MPI_ERR_OTHER;
    if (!comm_explain_error(h))
        return MPI_SUCCESS;
    return reason_printed(h->mine.error ? h->mine.error : MPI_ERR_OTHER);
}

/* Each once in a process. */
static bool all_alike(const comm *c, int other, const char *what, atomic_bool *said)
{
    if (other && c->rank == 0 && !atomic_exchange(said, true))
        env_say_here(
            "ranks 0 and %d of a communicator have different %s; ignored on that communicator",
            other, what);
    return other == 0;
}

static void compare_settings(comm *c)
{
    static atomic_bool asks_said, knows_said;
    int bits_else = handshake_other_reproducible(&c->first);

    c->same_environment =
        all_alike(c, handshake_other_environment(&c->first),
                  "TUTTI_ALGORITHM_ variables, TUTTI_PLAN or TUTTI_INTERPOSE", &asks_said);
    c->same_wisdom = all_alike(c, handshake_other_wisdom(&c->first), "wisdom", &knows_said);
    c->reproducible = c->first.all[0].reproducible && !bits_else;
    if (bits_else && c->rank == 0)
        env_reproducible_differs(bits_else);
}

/* The first member that is in this MPI_COMM_WORLD: of a communicator with spawned or connected
 * processes others may be before it. The call blocks there, so that the user's is there, too. */
static int first_of_world(const comm *c)
{
    MPI_Group group, world;
    int found = MPI_UNDEFINED, r = 0;

    if (comm_is_covered(c) || c->user == MPI_COMM_NULL ||
        PMPI_Comm_group(c->user, &group) != MPI_SUCCESS)
        return 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (; r < c->p && found == MPI_UNDEFINED; r++)
        PMPI_Group_translate_ranks(group, 1, &r, world, &found);
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    return r - 1;
}

/* For TUTTI_STATS: by what others know it. */
static void name_for_stats(const comm *c)
{
    int first = first_of_world(c);

    stats_comm_known(c->stats_index, c->first.all[first].world, c->first.all[first].serial, c->p);
}

static int make_topo(comm *c)
{
    int error = errors_of(&c->first);

    if (!error) {
        c->topo = handshake_topo(&c->first);
        error = c->topo ? degrees_on_node(&c->first, c->topo, &c->degrees) : MPI_ERR_NO_MEM;
        if (c->topo)
            comm_take_machine(c);
        compare_settings(c);
        if (stats_on)
            name_for_stats(c);
    }
    return error;
}

static int begin_and_wait(comm *c, const char *caller, const hello *mine, bool may_block)
{
    int error = comm_meet(c, caller, mine, may_block, &c->first);

    if (!error)
        error = make_topo(c);
    if (!error)
        error = comm_choose_wire(c);
    free_unused_context_id(c, mine->context_id);
    handshake_close(&c->first);
    return get_ready(c, error);
}

static int begin_handshake(comm *c, const char *caller, const hello *mine)
{
    int error = handshake_begin(&c->first, c->user, c->p, c->rank, mine);

    if (error) {
        free_unused_context_id(c, mine->context_id);
        return error;
    }
    comm_set_current(c, &c->first, caller);
    c->begun = true;
    return MPI_SUCCESS;
}

/* There was no context id for it: now it may get a communicator of its own. Operations advance
 * until all have come. */
static int get_own_comm(comm *c, const char *caller)
{
    hello mine = {.context_id = -1};
    handshake h = {0};
    int error = comm_meet(c, caller, &mine, true, &h);

    handshake_close(&h);
    if (!error)
        error = comm_use_own(c);
    c->no_context_id = false;
    c->failure = error;
    return error;
}

static int begin_anew(comm *c, const char *caller, bool may_block)
{
    hello mine = {.threaded = process_threaded, .counts_stats = stats_on, .serial = c->serial};
    int error;

    if (!c->wisdom)
        c->wisdom = process_wisdom();
    mine.environment_digest = env_asked();
    mine.wisdom_digest = wisdom_digest_of(c->wisdom);
    mine.reproducible = env_reproducible();
    comm_put_machine(&mine);
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine.world);
    mine.error = own_location(&mine.at);
    if (!mine.error)
        mine.error = degrees_count(c, &mine);
    if (env_error())
        mine.error = env_error();
    if (c->p == 1 && mine.error) {
        env_explain();
        return reason_printed(mine.error);
    }
    if (c->p == 1)
        return be_alone(c, &mine);
    error = comm_find_channel_ranks(c);
    if (error)
        return error;
    mine.channel = comm_is_covered(c);
    if (mine.channel)
        mine.shm = comm_offer_shm(c);
    mine.context_id = channel_allocate_context_id(false);
    return mine.channel && !may_block ? begin_handshake(c, caller, &mine)
                                      : begin_and_wait(c, caller, &mine, may_block);
}

int comm_wait_ready(comm *c)
{
    for (int idle = 0; c->begun && !c->ready;)
        comm_above.idle_turn(&idle);
    return c->failure;
}

/* What has failed may have been revoked since. */
static void look_for_failures(comm *c)
{
    engine_enter();
    failures_look(c);
    engine_leave();
}

int comm_begin_slowly(comm *c, const char *caller, bool may_block)
{
    if (!c->begun)
        return begin_anew(c, caller, may_block);
    if (comm_is_broken(c))
        look_for_failures(c);
    if (may_block)
        comm_wait_ready(c); /* then all ranks know whether there was a context id */
    if (may_block && c->no_context_id)
        return get_own_comm(c, caller);
    return c->ready ? c->failure : MPI_SUCCESS;
}

bool comm_prepared(comm *c)
{
    if (c->begun || c->p == 1)
        return true;
    return channel_made_early() && comm_find_channel_ranks(c) == MPI_SUCCESS && comm_is_covered(c);
}

/* ---- for the engine ---- */

/* The handshake of a non-blocking first call is over. */
static void finish_first(comm *c, int error)
{
    int context_id = c->first.mine.context_id;

    c->meeting.now = NULL;
    if (!error)
        error = make_topo(c);
    if (!error) {
        c->no_context_id = !handshake_has_context_ids(&c->first);
        error = c->no_context_id ? MPI_ERR_OTHER : comm_use_channel(c);
    }
    free_unused_context_id(c, context_id);
    handshake_close(&c->first);
    become_ready(c, error);
}

/* The next communicator with a handshake under way; it goes to the end of the list, so that all get
 * their turn. */
static comm *next_pending(void)
{
    comm *c;

    DL_FOREACH (comm_all, c) {
        if (!c->meeting.now || c->lost || c->testing)
            continue;
        DL_DELETE(comm_all, c);
        DL_APPEND(comm_all, c);
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

    c->testing = true;
    engine_leave();
    over = handshake_test(&c->first, &error);
    engine_enter();
    c->testing = false;
    if (over)
        finish_first(c, error);
}

/* Returns how many communicators became ready. */
static int test_handshakes(void)
{
    comm *c, *first = NULL;
    int opened = 0;

    for (int i = 0; i < BATCH && (c = next_pending()) && c != first; i++) {
        if (!first)
            first = c;
        if (c->begun && c->meeting.now == &c->first) { /* else a call waits for it by itself */
            test_handshake(c);
            opened += c->ready;
        }
        comm_report_missing(c);
    }
    return opened;
}

/* The first one at a gate, of one communicator, gets its schedule. Not with the lock; it stays
 * there, so that no operation after it begins before it. Its exec holds the communicator. */
static void prepare_one(void)
{
    comm *c = comm_all;
    comm_ticket *t;

    while (c && (!c->ready || c->gate.preparing || !gate_is_unprepared(&c->gate)))
        c = c->next;
    if (!c)
        return;
    t = c->gate.waiting;
    c->gate.preparing = true;
    engine_leave();
    comm_above.prepare(t);
    engine_enter();
    c->gate.preparing = false;
    gate_release(&c->gate, t);
}

/* Nothing to do any more, unless it has been set meanwhile. */
static void clear_pending(void)
{
    comm_work advancing = COMM_ADVANCING;

    atomic_compare_exchange_strong(&comm_pending, &advancing, COMM_IDLE);
}

int comm_advance(comm_ticket **admitted)
{
    comm *c;
    comm_ticket **end = admitted;
    bool pending = false;
    int opened;

    atomic_store(&comm_pending, COMM_ADVANCING); /* set again by whatever closes a gate meanwhile */
    opened = test_handshakes();
    prepare_one();
    *end = NULL;
    DL_FOREACH (comm_all, c) {
        pending |= c->meeting.now && !c->lost;
        if (c->ready)
            end = gate_open(&c->gate, end);
        pending |= c->ready && gate_is_unprepared(&c->gate);
    }
    if (pending)
        comm_set_pending();
    else
        clear_pending();
    return opened;
}

void comm_abandon(void)
{
    for (comm *c = comm_all; c; c = c->next) {
        c->lost = !c->ready;
        c->gate.waiting = NULL;
    }
    atomic_store(&comm_pending, COMM_IDLE);
}

void comm_visit_gated(void (*visit)(comm_ticket *t))
{
    for (comm *c = comm_all; c; c = c->next)
        for (comm_ticket *t = c->gate.waiting; t; t = t->next)
            visit(t);
}
