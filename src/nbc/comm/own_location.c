/* SPDX-License-Identifier: BSD-3-Clause */
/* own_location.c - see own_location.h. */
#include "nbc/comm/own_location.h"

#include "nbc/process/env.h"
#include "nbc/process/simulated.h"
#include "topo/here.h"
#include "topo/shape.h"
#include "topo/switches.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool looked;
static int failure;
static location here;

/* The location of one rank of p in a made-up machine. */
static bool made_up(const char *shape, int p, int rank, location *result, char *why, size_t size)
{
    location *at = malloc((size_t)p * sizeof *at);
    bool good = at && shape_locations(shape, p, at, why, size);

    if (good)
        *result = at[rank];
    free(at);
    return good;
}

int own_location_made_up(const char *shape, int p, int rank, location *mine)
{
    char why[200];

    return made_up(shape, p, rank, mine, why, sizeof why) ? MPI_SUCCESS : MPI_ERR_INFO_VALUE;
}

/* TUTTI_REGIONS is a machine of all ranks of MPI_COMM_WORLD, which other communicators cut. */
static int from_regions(const char *shape)
{
    char why[200] = "out of memory";
    int p = 1, rank = 0;

    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (made_up(shape, p, rank, &here, why, sizeof why))
        return MPI_SUCCESS;
    env_refuse("TUTTI_REGIONS=%s: %s; or hwloc, or none", shape, why);
    return MPI_ERR_ARG;
}

static int find_own_location(void)
{
    const char *shape = env_given.regions, *file = env_given.switches;
    char why[300];

    if (shape && strcmp(shape, "hwloc") != 0)
        return from_regions(shape);
    if (simulated()) /* all ranks run on one real machine */
        simulated_describe(&here);
    else
        here_describe(&here);
    if (!file || switches_above(file, here.host, here.switches, why, sizeof why))
        return MPI_SUCCESS;
    env_refuse("TUTTI_SWITCHES: %s", why);
    return MPI_ERR_ARG;
}

int own_location(location *mine)
{
    int error;

    pthread_mutex_lock(&mutex);
    if (!looked)
        failure = find_own_location();
    looked = true;
    *mine = here;
    error = failure;
    pthread_mutex_unlock(&mutex);
    return error;
}
