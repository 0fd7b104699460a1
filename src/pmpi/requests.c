/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - MPI's calls on one request, and on none: persistent collectives of ours, or the
 * MPI's business. See requests_many.c for arrays.
 */
#include "pmpi/both_names.h"
#include "pmpi/handles.h"
#include "pmpi/interpose.h"

#include <tutti_pmpix.h>

/* ---- start ---- */

BOTH_NAMES(Start, (MPI_Request * request), (request))
{
    if (!request || !handle_ours(*request))
        return own_MPI_Start(request);
    interpose_count(&interpose_starts, 1);
    return PMPIX_Start(handle_request(*request));
}

/* Runs of native requests are started by one native call. */
BOTH_NAMES(Startall, (int count, MPI_Request requests[]), (count, requests))
{
    int error = MPI_SUCCESS, first = 0;

    for (int i = 0; requests && i < count && !error; i++) {
        if (!handle_ours(requests[i]))
            continue;
        if (i > first)
            error = own_MPI_Startall(i - first, requests + first);
        if (!error) {
            interpose_count(&interpose_starts, 1);
            error = PMPIX_Start(handle_request(requests[i]));
        }
        first = i + 1;
    }
    if (error || (first > 0 && first == count))
        return error;
    return own_MPI_Startall(count - first, requests ? requests + first : requests);
}

/* ---- complete ---- */

/* If the handle stands for a native request, MPI gets that one. */
#define RETURN_NATIVE(call)                                                                        \
    do {                                                                                           \
        MPI_Request native = handle_native(*request);                                              \
        int error = call;                                                                          \
                                                                                                   \
        handle_after(request, native);                                                             \
        return error;                                                                              \
    } while (0)

BOTH_NAMES(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
{
    if (!request || !handle_ours(*request))
        return own_MPI_Wait(request, status);
    if (handle_wraps(*request))
        RETURN_NATIVE(own_MPI_Wait(&native, status));
    return PMPIX_Wait(handle_request(*request), status);
}

BOTH_NAMES(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
{
    if (!request || !handle_ours(*request))
        return own_MPI_Test(request, flag, status);
    if (handle_wraps(*request))
        RETURN_NATIVE(own_MPI_Test(&native, flag, status));
    return PMPIX_Test(handle_request(*request), flag, status);
}

/* MPICH does not poll generalized requests here, which non-blocking collectives of ours are. */
BOTH_NAMES(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
           (request, flag, status))
{
    if (handle_persistent(request))
        return PMPIX_Request_get_status(*handle_request(request), flag, status);
    tutti_progress();
    if (handle_ours(request))
        request = handle_native(request);
    return own_MPI_Request_get_status(request, flag, status);
}

#ifdef TUTTI_HAVE_REQUEST_IS_COMPLETE

/* Native ones it does not advance, ours it may. */
BOTH_NAMES_OF(int, MPIX, Request_is_complete, (MPI_Request request), (request))
{
    int flag = 0;

    if (!handle_ours(request))
        return own_MPIX_Request_is_complete(request);
    PMPIX_Request_get_status(*handle_request(request), &flag, MPI_STATUS_IGNORE);
    return flag;
}

#endif

/* ---- free, cancel ---- */

BOTH_NAMES(Request_free, (MPI_Request * request), (request))
{
    int error;

    if (!request || !handle_ours(*request))
        return own_MPI_Request_free(request);
    if (handle_wraps(*request))
        RETURN_NATIVE(own_MPI_Request_free(&native));
    error = PMPIX_Request_free(handle_request(*request));
    if (error)
        return error;
    handle_release(*request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* MPI forbids to cancel collectives: the other ranks count on us. */
BOTH_NAMES(Cancel, (MPI_Request * request), (request))
{
    if (!request || !handle_ours(*request))
        return own_MPI_Cancel(request);
    return interpose_raise(MPI_ERR_REQUEST);
}

/* ---- handles as integers: in Fortran (on MPICH the same integers, by macros), and MPI-5's ---- */

#ifdef OPEN_MPI

BOTH_NAMES_OF(MPI_Fint, MPI, Request_c2f, (MPI_Request request), (request))
{
    if (handle_ours(request))
        return handle_number(request);
    return own_MPI_Request_c2f(request);
}

BOTH_NAMES_OF(MPI_Request, MPI, Request_f2c, (MPI_Fint request), (request))
{
    if (handle_number_ours(request))
        return handle_numbered(request);
    return own_MPI_Request_f2c(request);
}

#endif

#ifdef TUTTI_HAVE_REQUEST_TOINT

BOTH_NAMES(Request_toint, (MPI_Request request), (request))
{
    if (handle_ours(request))
        return handle_number(request);
    return own_MPI_Request_toint(request);
}

BOTH_NAMES_OF(MPI_Request, MPI, Request_fromint, (int request), (request))
{
    if (handle_number_ours(request))
        return handle_numbered(request);
    return own_MPI_Request_fromint(request);
}

#endif
