/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_wire.c - see comm_wire.h. */
#include "nbc/comm/comm_wire.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/hooks.h"
#include "nbc/comm/machine_of.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/simulated.h"
#include "nbc/stats/gather.h"

#include <stdlib.h>

/* ---- ranks in the channel ---- */

bool comm_is_covered(const comm *c)
{
    process_lock();
    bool covered = c->channel_ranks_known && c->covered;
    process_unlock();
    return covered;
}

/* Another thread may ask comm_prepared meanwhile. */
int comm_find_channel_ranks(comm *c)
{
    int *channel_rank = NULL, error;
    bool covered;

    process_lock();
    bool known = c->channel_ranks_known;
    process_unlock();
    if (known || channel_comm() == MPI_COMM_NULL)
        return MPI_SUCCESS;
    error = channel_ranks(c->user, c->p, &channel_rank, &covered);
    if (error)
        return error;
    process_lock();
    if (!c->channel_ranks_known) {
        c->wire.channel_rank = channel_rank;
        c->covered = covered;
        c->channel_ranks_known = true;
        channel_rank = NULL;
    }
    process_unlock();
    free(channel_rank);
    return MPI_SUCCESS;
}

/* ---- rings to ranks of this node ---- */

shm_offer comm_offer_shm(comm *c)
{
    shm_peers_free(c->shm_peers, true); /* of a handshake that has failed */
    c->shm_peers = shm_peers_make(c->p, c->rank, c->wire.channel_rank);
    return c->shm_peers ? c->shm_peers->mine : (shm_offer){0};
}

/* This call has made the channel: the handshake was too early for it. The ranks of the channel are
 * those of the communicator. */
static int exchange_shm_offers(comm *c)
{
    hello *mine = &c->first.mine;
    int error;

    mine->shm = comm_offer_shm(c);
    comm_put_machine(mine);
    error = native_mpi.Allgather(mine, sizeof *mine, MPI_BYTE, c->first.all, sizeof *mine, MPI_BYTE,
                                 channel_comm());
    if (!error)
        comm_take_machine(c);
    return error;
}

static void join_shm_peers(comm *c)
{
    for (int r = c->shm_peers ? c->shm_peers->low : 0; c->shm_peers && r <= c->shm_peers->high; r++)
        shm_peers_join(c->shm_peers, r, c->rank, c->first.all[r].shm,
                       c->topo->node[r] == c->topo->node[c->rank]);
    comm_find_eager(c);
}

/* ---- which of them ---- */

int comm_add_tag_space(comm *c, const handshake *h)
{
    comm_wire *w = &c->wire;
    comm_tag_space space = {.context_id = h ? h->mine.context_id : w->ntag_spaces};
    comm_tag_space *spaces = realloc(w->tag_space, (size_t)(w->ntag_spaces + 1) * sizeof *spaces);

    if (!spaces)
        return MPI_ERR_NO_MEM;
    w->tag_space = spaces;
    if (h && !handshake_has_one_context_id(h)) {
        space.context_ids = malloc((size_t)c->p * sizeof *space.context_ids);
        if (!space.context_ids)
            return MPI_ERR_NO_MEM;
        for (int r = 0; r < c->p; r++)
            space.context_ids[r] = h->all[r].context_id;
    }
    w->tag_space[w->ntag_spaces++] = space;
    c->persistent.capacity += w->ntag_spaces == 1 ? c->persistent.per_tag_space - c->gate.split
                                                  : c->persistent.per_tag_space;
    return MPI_SUCCESS;
}

void comm_drop_tag_space(comm *c)
{
    free(c->wire.tag_space[--c->wire.ntag_spaces].context_ids);
    c->persistent.capacity -= c->persistent.per_tag_space;
}

int comm_use_channel(comm *c)
{
    int error = comm_add_tag_space(c, &c->first);

    join_shm_peers(c);
    c->wire.comm = channel_comm();
    c->wire.from_channel = error == MPI_SUCCESS;
    return error;
}

/* Nor does another thread look for channel ranks any more. */
static void leave_channel(comm *c)
{
    process_lock();
    free(c->wire.channel_rank);
    c->wire.channel_rank = NULL;
    c->channel_ranks_known = true;
    c->covered = false;
    process_unlock();
}

/* MPI_Comm_create copies no attributes. */
int comm_use_own(comm *c)
{
    MPI_Group group;
    int error = PMPI_Comm_group(c->user, &group);

    if (error)
        return error;
    shm_peers_free(c->shm_peers, true);
    c->shm_peers = NULL;
    leave_channel(c);
    error = simulated() ? PMPI_Comm_dup(c->user, &c->wire.comm)
                        : PMPI_Comm_create(c->user, group, &c->wire.comm);
    PMPI_Group_free(&group);
    c->wire.ours = error == MPI_SUCCESS;
    if (!error)
        error = PMPI_Comm_set_errhandler(c->wire.comm, MPI_ERRORS_RETURN);
    return error ? error : comm_add_tag_space(c, NULL);
}

/* Another thread of this process makes the channel, as threads of others have done already. */
static int wait_for_channel(comm *c)
{
    for (int idle = 0; channel_comm() == MPI_COMM_NULL;)
        comm_above.idle_turn(&idle);
    return comm_find_channel_ranks(c);
}

int comm_choose_wire(comm *c)
{
    bool channel = false, threads = false;

    for (int r = 0; r < c->p; r++) {
        channel |= c->first.all[r].channel;
        threads |= c->first.all[r].threaded;
    }
    if (!handshake_has_context_ids(&c->first))
        return comm_use_own(c);
    if (channel) {
        int error = wait_for_channel(c);
        return error ? error : comm_use_channel(c);
    }
    /* two threads could make a channel each, in another order on another rank */
    if (threads ? c->user == MPI_COMM_WORLD : channel_is_world(c->user, c->p)) {
        int error = channel_make(c->user);
        stats_agreed(handshake_other_stats(&c->first));
        if (!error)
            error = comm_find_channel_ranks(c);
        if (!error)
            error = exchange_shm_offers(c);
        return error ? error : comm_use_channel(c);
    }
    return comm_use_own(c);
}
