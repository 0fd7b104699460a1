/* SPDX-License-Identifier: BSD-3-Clause */
/* simulated.c - see simulated.h. */
#include "nbc/process/simulated.h"

#include "nbc/process/native_mpi.h"
#include "topo/shape.h"

#include <mpi.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti_simulated.h>

static const char *property(const char *name)
{
    return sg_host_get_property_value(sg_host_self(), name);
}

void simulated_describe(location *at)
{
    const char *node = property("node"), *package = property("package");

    memset(at, 0, sizeof *at);
    memset(at->inside, -1, sizeof at->inside);
    snprintf(at->host, sizeof at->host, "%s", node ? node : sg_host_self_get_name());
    at->node = shape_identity(at->host);
    if (package)
        at->inside[TOPO_PACKAGE] = atoi(package);
}

static bool folded;

void tutti_simulated_fold(bool yes)
{
    folded = yes;
}

bool simulated_folded(void)
{
    return folded;
}

/* Bytes per second; 0: copies are free. */
static double bandwidth_here(void)
{
    static double bandwidth = -1; /* each simulated rank has its own */

    if (bandwidth < 0) {
        const char *text = property("copy");
        bandwidth = text ? atof(text) : 0;
    }
    return bandwidth;
}

static double owed; /* seconds */

void simulated_copy(int64_t bytes)
{
    double bandwidth = bandwidth_here();

    if (bandwidth > 0 && bytes > 0)
        owed += (double)bytes / bandwidth;
}

void simulated_pay(void)
{
    double seconds = owed;

    owed = 0;
    if (seconds > 0)
        smpi_execute_benched(seconds);
}

bool simulated_returns_errors(MPI_Comm comm)
{
    MPI_Errhandler handler;

    return PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN;
}

int simulated_waitall(int n, MPI_Request *requests)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < n && !error; i++)
        error = native_mpi.Wait(&requests[i], MPI_STATUS_IGNORE);
    return error;
}
