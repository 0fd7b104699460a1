/* simulated.c - see simulated.h. */
#include "nbc/simulated.h"

#include <mpi.h>
#include <simgrid/host.h>
#include <stdlib.h>

/* Bytes per second; 0: copies are free. */
static double bandwidth_here(void)
{
    static double bandwidth = -1; /* each simulated rank has its own */

    if (bandwidth < 0) {
        const char *text = sg_host_get_property_value(sg_host_self(), "copy");
        bandwidth = text ? atof(text) : 0;
    }
    return bandwidth;
}

void simulated_copy(int64_t bytes)
{
    double bandwidth = bandwidth_here();

    if (bandwidth > 0 && bytes > 0)
        smpi_execute_benched((double)bytes / bandwidth);
}
