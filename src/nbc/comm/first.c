/* SPDX-License-Identifier: BSD-3-Clause */
/* first.c - the first handshake of a communicator, and what its messages travel over from then on.
 *
 *   call                 channel?   what
 *   non-blocking         yes        begin; the engine goes on when all have told
 *   non-blocking         no         wait in the call; then as below
 *   may block            yes        wait in the call
 *   may block            no         wait in the call; make the channel, or a communicator of ours
 *
 * The native collective depends on the call alone, not on the channel: another thread may be making
 * that on one rank and have made it on another. What is done then follows from what all have told.
 */
#include "nbc/comm/channel.h"
#include "nbc/comm/comm.h"
#include "nbc/comm/failures.h"
#include "nbc/comm/hooks.h"
#include "nbc/comm/places.h"
#include "nbc/process/env.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/simulated.h"
#include "nbc/tally/gather.h"

#include <stdlib.h>

int comm_add_lane(comm *c, const handshake *h)
{
    comm_wire *w = &c->wire;
    comm_lane lane = {.mine = h ? h->mine.number : w->nlanes};
    comm_lane *lanes = realloc(w->lane, (size_t)(w->nlanes + 1) * sizeof *lanes);

    if (!lanes)
        return MPI_ERR_NO_MEM;
    w->lane = lanes;
    if (h && !handshake_agrees(h)) {
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

/* `begun` last: who sees it in another thread finds all else done. */
static int get_ready(comm *c, int error)
{
    comm_become_ready(c, error);
    c->begun = true;
    return error;
}

/* One process: no messages, nobody to ask. */
static int be_alone(comm *c, const hello *mine)
{
    c->topo = topo_make(&mine->at, 1);
    c->machine = constants_unpack(mine->machine);
    c->asks_alike = c->knows_alike = true;
    c->reproducible = mine->reproducible;
    c->wire.comm = process_self();
    tally_comm_known(c->tally, mine->world, mine->serial, 1);
    return get_ready(c, c->topo ? comm_add_lane(c, NULL) : MPI_ERR_NO_MEM);
}

static void join_links(comm *c)
{
    for (int r = c->links ? c->links->low : 0; c->links && r <= c->links->high; r++)
        links_join(c->links, r, c->rank, c->first.all[r].link,
                   c->topo->node[r] == c->topo->node[c->rank]);
    comm_find_eager(c);
}

/* The handshake is over and the channel there. */
static int go_over_channel(comm *c)
{
    int error = comm_add_lane(c, &c->first);

    join_links(c);
    c->wire.comm = channel_comm();
    c->wire.from_channel = error == MPI_SUCCESS;
    return error;
}

/* Nor does another thread find places any more. */
static void leave_channel(comm *c)
{
    process_lock();
    free(c->wire.place);
    c->wire.place = NULL;
    c->placed = true;
    c->covered = false;
    process_unlock();
}

/* Collective, blocks. MPI_Comm_create copies no attributes. */
static int go_over_own(comm *c)
{
    MPI_Group group;
    int error = PMPI_Comm_group(c->user, &group);

    if (error)
        return error;
    links_free(c->links, true);
    c->links = NULL;
    leave_channel(c);
    error = simulated() ? PMPI_Comm_dup(c->user, &c->wire.comm)
                        : PMPI_Comm_create(c->user, group, &c->wire.comm);
    PMPI_Group_free(&group);
    c->wire.ours = error == MPI_SUCCESS;
    if (!error)
        error = PMPI_Comm_set_errhandler(c->wire.comm, MPI_ERRORS_RETURN);
    return error ? error : comm_add_lane(c, NULL);
}

/* Are all members known to be in the channel? */
static bool is_covered(const comm *c)
{
    process_lock();
    bool covered = c->placed && c->covered;
    process_unlock();
    return covered;
}

/* Where the members are in the channel, once there is one. Another thread may ask comm_prepared. */
static int find_places(comm *c)
{
    int *place = NULL, error;
    bool covered;

    process_lock();
    bool known = c->placed;
    process_unlock();
    if (known || channel_comm() == MPI_COMM_NULL)
        return MPI_SUCCESS;
    error = channel_places(c->user, c->p, &place, &covered);
    if (error)
        return error;
    process_lock();
    if (!c->placed) {
        c->wire.place = place;
        c->covered = covered;
        c->placed = true;
        place = NULL;
    }
    process_unlock();
    free(place);
    return MPI_SUCCESS;
}

static link_offer offer_links(comm *c)
{
    links_free(c->links, true); /* of a handshake that has failed */
    c->links = links_make(c->p, c->rank, c->wire.place);
    return c->links ? c->links->mine : (link_offer){0};
}

/* This call has made the channel: the handshake was too early for it. The ranks of the channel are
 * those of the communicator. */
static int exchange_links(comm *c)
{
    hello *mine = &c->first.mine;
    int error;

    mine->link = offer_links(c);
    comm_tell_machine(mine);
    error = native_mpi.Allgather(mine, sizeof *mine, MPI_BYTE, c->first.all, sizeof *mine, MPI_BYTE,
                                 channel_comm());
    if (!error)
        comm_take_machine(c);
    return error;
}

/* Another thread of this process makes the channel, as threads of others have done already. */
static int wait_for_channel(comm *c)
{
    for (int idle = 0; channel_comm() == MPI_COMM_NULL;)
        comm_above.idle_turn(&idle);
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
    if (!handshake_numbered(&c->first))
        return go_over_own(c);
    if (channel) {
        int error = wait_for_channel(c);
        return error ? error : go_over_channel(c);
    }
    /* two threads could make a channel each, in another order on another rank */
    if (threads ? c->user == MPI_COMM_WORLD : channel_is_world(c->user, c->p)) {
        int error = channel_make(c->user);
        tally_agreed(handshake_tallies_else(&c->first));
        if (!error)
            error = find_places(c);
        if (!error)
            error = exchange_links(c);
        return error ? error : go_over_channel(c);
    }
    return go_over_own(c);
}

/* The number was not used. */
static void give_back(const comm *c, int number)
{
    if (!c->wire.from_channel && number >= 0)
        channel_number_return(number);
}

/* A rank that cannot tell where it is takes part, so that nobody waits for it in vain. */
static int errors_of(const handshake *h)
{
    if (h->mine.error)
        return h->mine.error;
    if (!handshake_is_ours(h))
        return MPI_ERR_OTHER;
    for (int r = 0; r < h->p; r++)
        if (h->all[r].error)
            return MPI_ERR_OTHER;
    return MPI_SUCCESS;
}

/* Each once in a process. */
static bool all_alike(const comm *c, int other, const char *what, atomic_bool *said)
{
    if (other && c->rank == 0 && !atomic_exchange(said, true))
        env_say_here("rank %d of a communicator of mine has other %s: there it counts on no rank",
                     other, what);
    return other == 0;
}

static void compare(comm *c)
{
    static atomic_bool asks_said, knows_said;
    int bits_else = handshake_reproducible_else(&c->first);

    c->asks_alike =
        all_alike(c, handshake_asks_else(&c->first),
                  "TUTTI_ALGORITHM_ variables, TUTTI_PLAN or TUTTI_INTERPOSE", &asks_said);
    c->knows_alike = all_alike(c, handshake_knows_else(&c->first), "wisdom", &knows_said);
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

    if (is_covered(c) || c->user == MPI_COMM_NULL ||
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
static void name_for_tally(const comm *c)
{
    int first = first_of_world(c);

    tally_comm_known(c->tally, c->first.all[first].world, c->first.all[first].serial, c->p);
}

static int make_topo(comm *c)
{
    int error = errors_of(&c->first);

    if (!error) {
        c->topo = handshake_topo(&c->first);
        if (c->topo)
            comm_take_machine(c);
        compare(c);
        if (tally_on)
            name_for_tally(c);
    }
    return error || c->topo ? error : MPI_ERR_NO_MEM;
}

static int begin_and_wait(comm *c, const char *caller, const hello *mine, bool may_block)
{
    int error = comm_meet(c, caller, mine, may_block, &c->first);

    if (!error)
        error = make_topo(c);
    if (!error)
        error = connect(c);
    give_back(c, mine->number);
    handshake_close(&c->first);
    return get_ready(c, error);
}

static int begin(comm *c, const char *caller, const hello *mine)
{
    int error = handshake_begin(&c->first, c->user, c->p, c->rank, mine);

    if (error) {
        give_back(c, mine->number);
        return error;
    }
    comm_set_current(c, &c->first, caller);
    c->begun = true;
    return MPI_SUCCESS;
}

/* There was no number for it: now it may get a communicator of its own. Operations advance until
 * all have come. */
static int feed(comm *c, const char *caller)
{
    hello mine = {.number = -1};
    handshake h = {0};
    int error = comm_meet(c, caller, &mine, true, &h);

    handshake_close(&h);
    if (!error)
        error = go_over_own(c);
    c->starved = false;
    c->failure = error;
    return error;
}

static int begin_anew(comm *c, const char *caller, bool may_block)
{
    hello mine = {.threaded = process_threaded, .tallies = tally_on, .serial = c->serial};
    int error;

    if (!c->knows)
        c->knows = knowledge_hold();
    mine.asked = env_asked();
    mine.known = c->knows->digest;
    mine.reproducible = env_reproducible();
    comm_tell_machine(&mine);
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine.world);
    mine.error = places_mine(&mine.at);
    if (env_error())
        mine.error = env_error();
    if (c->p == 1)
        return mine.error ? mine.error : be_alone(c, &mine);
    error = find_places(c);
    if (error)
        return error;
    mine.channel = is_covered(c);
    if (mine.channel)
        mine.link = offer_links(c);
    mine.number = channel_number_take(false);
    return mine.channel && !may_block ? begin(c, caller, &mine)
                                      : begin_and_wait(c, caller, &mine, may_block);
}

/* What has failed may have been revoked since. */
static void look_again(comm *c)
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
        look_again(c);
    if (may_block)
        comm_wait_ready(c); /* then all ranks know alike whether it is starved */
    if (may_block && c->starved)
        return feed(c, caller);
    return c->ready ? c->failure : MPI_SUCCESS;
}

bool comm_prepared(comm *c)
{
    if (c->begun || c->p == 1)
        return true;
    return channel_made_early() && find_places(c) == MPI_SUCCESS && is_covered(c);
}

void comm_first_finish(comm *c, int error)
{
    int number = c->first.mine.number;

    c->current = NULL;
    if (!error)
        error = make_topo(c);
    if (!error) {
        c->starved = !handshake_numbered(&c->first);
        error = c->starved ? MPI_ERR_OTHER : go_over_channel(c);
    }
    give_back(c, number);
    handshake_close(&c->first);
    comm_become_ready(c, error);
}
