/* places.c - see places.h. */
#include "nbc/places.h"

#include "nbc/env.h"
#include "nbc/simulated.h"
#include "topo/here.h"
#include "topo/shape.h"
#include "topo/switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static location mine;

/* The place of one rank of p in a made-up machine. */
static bool made_up(const char *shape, int p, int rank, location *result, char *why, size_t size)
{
    location *at = malloc((size_t)p * sizeof *at);
    bool good = at && shape_places(shape, p, at, why, size);

    if (good)
        *result = at[rank];
    free(at);
    return good;
}

/* TUTTI_REGIONS is a machine of all ranks of MPI_COMM_WORLD, which other communicators cut. */
static int from_regions(const char *shape)
{
    char why[200] = "out of memory";
    int p = 1, rank = 0;

    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (made_up(shape, p, rank, &mine, why, sizeof why))
        return MPI_SUCCESS;
    env_say_here("TUTTI_REGIONS=%s: %s; or hwloc, or none", shape, why);
    return MPI_ERR_ARG;
}

/* In SimGrid all ranks run on one real machine. */
static void describe(location *at)
{
#ifdef TUTTI_SIMULATED
    simulated_describe(at);
#else
    here_describe(at);
#endif
}

int places_start(void)
{
    const char *shape = env_regions(), *file = env_switches();
    char why[300];

    if (shape && strcmp(shape, "hwloc") != 0)
        return from_regions(shape);
    describe(&mine);
    if (!file || switches_above(file, mine.host, mine.switches, why, sizeof why))
        return MPI_SUCCESS;
    env_say_here("TUTTI_SWITCHES: %s", why);
    return MPI_ERR_ARG;
}

/* SimGrid's is p * p messages at once, which takes it minutes for a few hundred ranks. */
static int exchange(location *at, MPI_Comm shadow, MPI_Request *request)
{
#ifdef TUTTI_SIMULATED
    *request = MPI_REQUEST_NULL;
    return PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, at, sizeof *at, MPI_BYTE, shadow);
#else
    return PMPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, at, sizeof *at, MPI_BYTE, shadow,
                           request);
#endif
}

int places_begin(places *x, MPI_Comm shadow, int p, int rank, const char *shape)
{
    char why[200];
    location *at = malloc((size_t)p * sizeof *at);
    int error = MPI_SUCCESS;

    if (!at)
        return MPI_ERR_NO_MEM;
    *x = (places){.at = at, .p = p, .request = MPI_REQUEST_NULL};
    at[rank] = mine;
    if (shape && !made_up(shape, p, rank, &at[rank], why, sizeof why))
        error = MPI_ERR_INFO_VALUE;
    if (!error && p > 1)
        error = exchange(at, shadow, &x->request);
    if (error) {
        free(at);
        x->at = NULL;
    }
    return error;
}

bool places_advance(places *x, topo **result, int *error)
{
    int flag = x->request == MPI_REQUEST_NULL; /* which SimGrid does not test */

    *error = flag ? MPI_SUCCESS : PMPI_Test(&x->request, &flag, MPI_STATUS_IGNORE);
    if (!*error && !flag)
        return false;
    if (!*error) {
        *result = topo_make(x->at, x->p);
        *error = *result ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    free(x->at);
    x->at = NULL;
    return true;
}
