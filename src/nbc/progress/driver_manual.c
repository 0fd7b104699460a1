/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_manual.c - nobody but tutti_progress() and the MPIX_ calls advances the engine.
 *
 * A native MPI_Wait then only sees operations that have completed. On MPICH the request must still
 * be of the extended form, because MPI_Waitall asserts on a plain one beside a null request; its
 * wait function must not return before completion, so there, and only there, it advances.
 */
#include "nbc/progress/driver.h"

static int poll_nothing(void *extra_state, MPI_Status *status)
{
    return MPI_SUCCESS;
}

static int manual_request(exec *e, MPI_Request *request)
{
    if (driver_has_extended())
        return driver_request_extended(e, poll_nothing, request);
    return PMPI_Grequest_start(driver_query, driver_free, driver_cancel, e, request);
}

const driver driver_manual = {
    .name = "manual",
    .how = "tutti_progress(), MPIX_Test and MPIX_Wait only",
    .request = manual_request,
};
