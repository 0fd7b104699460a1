/* SPDX-License-Identifier: BSD-3-Clause */
/* failures.c - see failures.h. */
#include "nbc/comm/failures.h"

#include "nbc/comm/channel.h"
#include "nbc/node/shm_peers.h"

#if defined OPEN_MPI && OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#endif

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

enum { TURNS = 128 }; /* tuning: calls to one look, which costs some hundred nanoseconds */

/* Those of a communicator that have failed, or MPI_GROUP_NULL. */
static MPI_Group failed_of(MPI_Comm comm, int *n)
{
    MPI_Group group = MPI_GROUP_NULL;

    *n = 0;
    if (comm == MPI_COMM_NULL || PMPIX_Comm_get_failed(comm, &group) != MPI_SUCCESS)
        return MPI_GROUP_NULL;
    PMPI_Group_size(group, n);
    return group;
}

static bool any_failed(MPI_Comm comm)
{
    int n;
    MPI_Group group = failed_of(comm, &n);

    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    return n > 0;
}

/* For a communicator that the user has freed: have any of its ranks failed, by the channel? */
static bool any_failed_of_freed(const comm *c)
{
    MPI_Group all, failed;
    int n, found = MPI_UNDEFINED;

    if (c->wire.ours)
        return any_failed(c->wire.comm);
    failed = failed_of(c->wire.comm, &n);
    if (n > 0 && PMPI_Comm_group(c->wire.comm, &all) == MPI_SUCCESS) {
        for (int r = 0; r < c->p && found == MPI_UNDEFINED; r++)
            PMPI_Group_translate_ranks(all, 1, (int[]){comm_channel_rank(c, r)}, failed, &found);
        PMPI_Group_free(&all);
    }
    if (failed != MPI_GROUP_NULL)
        PMPI_Group_free(&failed);
    return found != MPI_UNDEFINED;
}

static void set_failure(comm *c, int error)
{
    c->failure = error;
    if (c->shm_peers)
        atomic_store(&c->shm_peers->broken, error);
}

void failures_note(comm *c, int error)
{
    int class = error;

    PMPI_Error_class(error, &class);
    if (class == MPIX_ERR_PROC_FAILED && !c->failure)
        set_failure(c, class);
}

/* Before it is ready the MPI ends what the ranks wait for. */
void failures_look(comm *c)
{
    int revoked = 0, error = c->failure;

    if (c->p == 1 || !c->ready)
        return;
    if (c->user != MPI_COMM_NULL)
        PMPIX_Comm_is_revoked(c->user, &revoked);
    if (revoked)
        error = MPIX_ERR_REVOKED;
    else if (!error && (c->user == MPI_COMM_NULL ? any_failed_of_freed(c) : any_failed(c->user)))
        error = MPIX_ERR_PROC_FAILED;
    if (error)
        set_failure(c, error);
}

void failures_look_at_times(void)
{
    static unsigned turns; /* engine lock */
    comm *c;

    if (++turns % TURNS != 0)
        return;
    channel_poke();
    for (c = comm_all; c; c = c->next)
        failures_look(c);
}

bool failures_any(void)
{
    return fault_tolerance && any_failed(channel_comm());
}

#else

void failures_look(comm *c)
{
}

void failures_note(comm *c, int error)
{
}

void failures_look_at_times(void)
{
}

bool failures_any(void)
{
    return false;
}

#endif
