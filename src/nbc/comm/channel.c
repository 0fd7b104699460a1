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

/* Of windows at most so many; fewer, if there would be less than ENOUGH numbers: SimGrid and some
 * transports of Open MPI have few tags. */
enum { WINDOWS = 512, LEAST = 8, NUMBERS = 65536, ENOUGH = 4096 };

int channel_test_numbers, channel_test_windows;

static _Atomic(MPI_Comm) channel;
static MPI_Group processes; /* of the channel */
static atomic_bool early;
static int me; /* my rank in it */
static int windows, numbers;

/* Numbers given back, oldest first: a ring of `numbers` places. Library lock. */
static int *returned;
static int first_returned, n_returned;
static int fresh; /* numbers from here on were never taken */

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
    numbers = tags < NUMBERS ? (int)tags : NUMBERS;
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

int channel_numbers(void)
{
    return limited_for_test(numbers, channel_test_numbers);
}

int channel_tag(int number)
{
    return number * windows * SCHED_WINDOW;
}

/* ---- numbers ---- */

static int take_number(void)
{
    int number;

    if (fresh < numbers)
        return fresh++;
    number = returned[first_returned];
    first_returned = (first_returned + 1) % numbers;
    n_returned--;
    return number;
}

int channel_number_take(bool one_more)
{
    int number = -1, left;

    process_lock();
    if (!returned)
        returned = malloc((size_t)numbers * sizeof *returned);
    left = channel_numbers() - (fresh - n_returned);
    if (returned && left > (one_more ? channel_numbers() / 2 : 0))
        number = take_number();
    process_unlock();
    return number;
}

void channel_number_return(int number)
{
    process_lock();
    returned[(first_returned + n_returned++) % numbers] = number;
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
static int translate(MPI_Group group, int p, int *places)
{
    int *ranks = malloc((size_t)p * sizeof *ranks), error;

    if (!ranks)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < p; i++)
        ranks[i] = i;
    error = PMPI_Group_translate_ranks(group, p, ranks, processes, places);
    free(ranks);
    return error;
}

int channel_places(MPI_Comm user, int p, int **places, bool *covered)
{
    MPI_Group group;
    bool same = true;
    int error = PMPI_Comm_group(user, &group);

    *places = NULL;
    *covered = true;
    if (error)
        return error;
    *places = malloc((size_t)p * sizeof **places);
    error = *places ? translate(group, p, *places) : MPI_ERR_NO_MEM;
    PMPI_Group_free(&group);
    for (int i = 0; !error && i < p; i++) {
        *covered &= (*places)[i] != MPI_UNDEFINED;
        same &= (*places)[i] == i;
    }
    if (error || same || !*covered) {
        free(*places);
        *places = NULL;
    }
    return error;
}
