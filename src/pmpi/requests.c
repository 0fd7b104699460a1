/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - MPI's calls on one request, and on none: persistent collectives of ours, or the
 * MPI's business. See requests_many.c for arrays.
 */
#include "pmpi/handles.h"
#include "pmpi/interpose.h"

#include <tutti_pmpix.h>

/* ---- start ---- */

int MPI_Start(MPI_Request *request)
{
    if (!request || !handle_ours(*request))
        return PMPI_Start(request);
    return PMPIX_Start(handle_request(*request));
}

/* Runs of native requests are started by one native call. */
int MPI_Startall(int count, MPI_Request requests[])
{
    int error = MPI_SUCCESS, first = 0;

    for (int i = 0; requests && i < count && !error; i++) {
        if (!handle_ours(requests[i]))
            continue;
        if (i > first)
            error = PMPI_Startall(i - first, requests + first);
        if (!error)
            error = PMPIX_Start(handle_request(requests[i]));
        first = i + 1;
    }
    if (error || (first > 0 && first == count))
        return error;
    return PMPI_Startall(count - first, requests ? requests + first : requests);
}

/* ---- complete ---- */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!request || !handle_ours(*request))
        return PMPI_Wait(request, status);
    return PMPIX_Wait(handle_request(*request), status);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!request || !handle_ours(*request))
        return PMPI_Test(request, flag, status);
    return PMPIX_Test(handle_request(*request), flag, status);
}

/* MPICH does not poll generalized requests here, which non-blocking collectives of ours are. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    if (handle_ours(request))
        return PMPIX_Request_get_status(*handle_request(request), flag, status);
    tutti_progress();
    return PMPI_Request_get_status(request, flag, status);
}

#ifdef TUTTI_HAVE_REQUEST_IS_COMPLETE

/* Native ones it does not advance, ours it may. */
int MPIX_Request_is_complete(MPI_Request request)
{
    int flag = 0;

    if (!handle_ours(request))
        return PMPIX_Request_is_complete(request);
    PMPIX_Request_get_status(*handle_request(request), &flag, MPI_STATUS_IGNORE);
    return flag;
}

#endif

/* ---- free, cancel ---- */

int MPI_Request_free(MPI_Request *request)
{
    int error;

    if (!request || !handle_ours(*request))
        return PMPI_Request_free(request);
    error = PMPIX_Request_free(handle_request(*request));
    if (error)
        return error;
    handle_release(*request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* MPI forbids to cancel collectives: the other ranks count on us. */
int MPI_Cancel(MPI_Request *request)
{
    if (!request || !handle_ours(*request))
        return PMPI_Cancel(request);
    return interpose_raise(MPI_ERR_REQUEST);
}

/* ---- handles as integers: in Fortran (on MPICH the same integers, by macros), and MPI-5's ---- */

#ifdef OPEN_MPI

MPI_Fint MPI_Request_c2f(MPI_Request request)
{
    if (handle_ours(request))
        return handle_number(request);
    return PMPI_Request_c2f(request);
}

MPI_Request MPI_Request_f2c(MPI_Fint request)
{
    if (handle_number_ours(request))
        return handle_numbered(request);
    return PMPI_Request_f2c(request);
}

#endif

#ifdef TUTTI_HAVE_REQUEST_TOINT

int MPI_Request_toint(MPI_Request request)
{
    if (handle_ours(request))
        return handle_number(request);
    return PMPI_Request_toint(request);
}

MPI_Request MPI_Request_fromint(int request)
{
    if (handle_number_ours(request))
        return handle_numbered(request);
    return PMPI_Request_fromint(request);
}

#endif
