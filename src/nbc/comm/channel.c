/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c - see channel.h. */
#include "nbc/comm/channel.h"

#include "nbc/comm/trace_file.h"
#include "nbc/node/crowd.h"
#include "nbc/node/pool.h"
#include "nbc/node/segment.h"
#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/simulated.h"
#include "nbc/process/test_knobs.h"
#include "nbc/sched/sched.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* At most WINDOWS windows for each context id; fewer, if there would be less than ENOUGH context
 * ids: SimGrid and some transports of Open MPI have few tags. */
enum { WINDOWS = 512, LEAST = 8, CONTEXT_IDS = 65536, ENOUGH = 4096 };

int channel_test_context_ids, channel_test_windows;

static _Atomic(MPI_Comm) channel;
static MPI_Group processes; /* of the channel */
static atomic_bool early;
static int me; /* my rank in it */
static int windows, context_ids;

/* Context ids that have been freed, oldest first: a ring of `context_ids` slots. Library lock. */
static int *freed;
static int first_freed, n_freed;
static int fresh; /* context ids from here on were never allocated */

/* ---- tags ---- */

void channel_start(void)
{
    int *tag_ub = NULL, flag = 0;
    int64_t tags = 32768;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag);
    if (flag)
        tags = (int64_t)*tag_ub + 1;
    windows = WINDOWS;
    while (windows > LEAST && tags / SCHED_WINDOW / windows < ENOUGH)
        windows /= 2;
    tags = tags / SCHED_WINDOW / windows;
    context_ids = tags < CONTEXT_IDS ? (int)tags : CONTEXT_IDS;
    atomic_store(&channel, MPI_COMM_NULL);
}

static int limited_for_test(int n, int most)
{
    return most && most < n ? most : n;
}

int channel_windows(void)
{
    return limited_for_test(windows, channel_test_windows);
}

int channel_context_ids(void)
{
    return limited_for_test(context_ids, channel_test_context_ids);
}

int channel_tag(int context_id)
{
    return context_id * windows * SCHED_WINDOW;
}

/* ---- context ids ---- */

static int take_context_id(void)
{
    int context_id;

    if (fresh < context_ids)
        return fresh++;
    context_id = freed[first_freed];
    first_freed = (first_freed + 1) % context_ids;
    n_freed--;
    return context_id;
}

int channel_allocate_context_id(bool one_more)
{
    int context_id = -1, left;

    process_lock();
    if (!freed)
        freed = malloc((size_t)context_ids * sizeof *freed);
    left = channel_context_ids() - (fresh - n_freed);
    if (freed && left > (one_more ? channel_context_ids() / 2 : 0))
        context_id = take_context_id();
    process_unlock();
    return context_id;
}

void channel_free_context_id(int context_id)
{
    process_lock();
    freed[(first_freed + n_freed++) % context_ids] = context_id;
    process_unlock();
}

/* ---- the communicator ---- */

MPI_Comm channel_comm(void)
{
    return atomic_load_explicit(&channel, memory_order_acquire);
}

/* A probe that finds nothing, because nobody writes to himself: one that finds a message returns at
 * once. On a communicator of one process MPICH would not look at others'. */
void channel_poke(void)
{
    MPI_Comm c = channel_comm();
    int flag;

    if (c != MPI_COMM_NULL)
        PMPI_Iprobe(me, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE);
}

/* MPI_Comm_create copies no attributes, so that no callback of the program runs. */
int channel_make(MPI_Comm all)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    int error;

    if (channel_comm() != MPI_COMM_NULL)
        return MPI_SUCCESS;
    error = PMPI_Comm_group(all, &group);
    if (!error)
        error = PMPI_Comm_create(all, group, &made);
    if (!error)
        error = PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    if (error) {
        if (group != MPI_GROUP_NULL)
            PMPI_Group_free(&group);
        return error;
    }
    segment_make(made, simulated() ? NODE_WIRE_OFF : env_given.node_wire);
    if (!simulated())
        crowd_look(made);
    trace_file_agree(made);
    PMPI_Comm_rank(made, &me);
    processes = group;
    atomic_store_explicit(&channel, made, memory_order_release);
    return MPI_SUCCESS;
}

int channel_make_early(void)
{
    int error = channel_make(MPI_COMM_WORLD);

    if (!error)
        early = true;
    return error;
}

bool channel_made_early(void)
{
    return early;
}

void channel_end(void)
{
    MPI_Comm made = atomic_exchange(&channel, MPI_COMM_NULL);

    early = false;
    if (made != MPI_COMM_NULL) {
        pool_end();
        segment_end();
        PMPI_Group_free(&processes);
        PMPI_Comm_free(&made);
    }
}

/* ---- ranks ---- */

bool channel_is_world(MPI_Comm user, int p)
{
    MPI_Group group, world;
    int size = 0, result = MPI_UNEQUAL;

    if (simulated()) /* each communicator gets one of ours there, made in a blocking call */
        return false;
    if (user == MPI_COMM_WORLD)
        return true;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != p || PMPI_Comm_group(user, &group) != MPI_SUCCESS)
        return false;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        if (PMPI_Group_compare(group, world, &result) != MPI_SUCCESS)
            result = MPI_UNEQUAL;
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&group);
    return result != MPI_UNEQUAL;
}

/* The ranks of a group in the channel. */
static int translate(MPI_Group group, int p, int *ranks_there)
{
    int *ranks = malloc((size_t)p * sizeof *ranks), error;

    if (!ranks)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < p; i++)
        ranks[i] = i;
    error = PMPI_Group_translate_ranks(group, p, ranks, processes, ranks_there);
    free(ranks);
    return error;
}

int channel_ranks(MPI_Comm user, int p, int **ranks_there, bool *covered)
{
    MPI_Group group;
    bool same = true;
    int error = PMPI_Comm_group(user, &group);

    *ranks_there = NULL;
    *covered = true;
    if (error)
        return error;
    *ranks_there = malloc((size_t)p * sizeof **ranks_there);
    error = *ranks_there ? translate(group, p, *ranks_there) : MPI_ERR_NO_MEM;
    PMPI_Group_free(&group);
    for (int i = 0; !error && i < p; i++) {
        *covered &= (*ranks_there)[i] != MPI_UNDEFINED;
        same &= (*ranks_there)[i] == i;
    }
    if (error || same || !*covered) {
        free(*ranks_there);
        *ranks_there = NULL;
    }
    return error;
}
