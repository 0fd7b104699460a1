/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_tolerance.c - see fault_tolerance.h.
 *
 * Open MPI exports the variable in which it keeps the answer, which depends on settings in files,
 * the environment and mpirun's options, and on the transport. To ask for the control variable
 * mpi_ft_enable by MPI_T would load all of Open MPI's components.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "nbc/process/fault_tolerance.h"

#include <dlfcn.h>
#include <stddef.h>

bool fault_tolerance;

bool fault_tolerance_on(void)
{
    const bool *enabled = dlsym(RTLD_DEFAULT, "ompi_ftmpi_enabled");

    return enabled && *enabled && dlsym(RTLD_DEFAULT, "MPIX_Comm_revoke");
}
