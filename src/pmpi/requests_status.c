/* SPDX-License-Identifier: BSD-3-Clause */
/* requests_status.c - MPI-4.1's calls that ask for the statuses of an array of requests, and
 * complete none of them.
 *
 *   requests      A  irecv  null  B       A, B: persistent collectives of ours
 *   to the MPI    -  irecv   -    -       -: MPI_REQUEST_NULL
 *
 * So what the MPI says of its own is in the right elements of the caller's arrays already; that
 * of ours is added. MPICH does not poll generalized requests here, which non-blocking collectives
 * of ours are. Inactive ones are complete for _all, and are passed over by _any and _some.
 */
#include "pmpi/both_names.h"
#include "pmpi/handles.h"
#include "pmpi/interpose.h"

#include <stdlib.h>
#include <tutti_pmpix.h>

#ifdef TUTTI_HAVE_GET_STATUS_MANY

OWN_MPI(Request_get_status_all);
OWN_MPI(Request_get_status_any);
OWN_MPI(Request_get_status_some);

/* MPICH 4.2 has forgotten that the array is const. */
typedef int status_all_of_42(int, MPI_Request[], int *, MPI_Status[]);
typedef __typeof__(_Generic(&PMPI_Request_get_status_all, status_all_of_42 *
                            : (MPI_Request *)NULL, default
                            : (const MPI_Request *)NULL)) requests_in;

/* A copy in which ours are null, to be freed. Null: out of memory. */
static MPI_Request *without_ours(int n, const MPI_Request requests[])
{
    MPI_Request *native = malloc((size_t)n * sizeof *native);

    for (int i = 0; native && i < n; i++)
        native[i] = handle_persistent(requests[i]) ? MPI_REQUEST_NULL
                    : handle_ours(requests[i])     ? handle_native(requests[i])
                                                   : requests[i];
    return native;
}

static MPI_Status *plain_status_at(MPI_Status statuses[], int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* One of ours that is active, and complete? *active: set if it is active. */
static bool our_status(MPI_Request r, bool *active, MPI_Status *status)
{
    int flag = 0;

    if (!handle_persistent(r) || !tutti_interposed_active(*handle_request(r)))
        return false;
    *active = true;
    PMPIX_Request_get_status(*handle_request(r), &flag, status);
    return flag;
}

/* ---- all ---- */

static int status_all(int n, const MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    MPI_Request *native = without_ours(n, requests);
    int error;

    if (!native)
        return interpose_raise(MPI_ERR_NO_MEM);
    error = own_MPI_Request_get_status_all(n, native, flag, statuses);
    free(native);
    for (int i = 0; !error && *flag && i < n; i++)
        if (handle_persistent(requests[i]))
            error = PMPIX_Request_get_status(*handle_request(requests[i]), flag,
                                             plain_status_at(statuses, i));
    return error;
}

BOTH_NAMES(Request_get_status_all,
           (int count, requests_in requests, int *flag, MPI_Status statuses[]),
           (count, requests, flag, statuses))
{
    tutti_progress();
    if (!flag || !handle_any_ours(count, requests))
        return own_MPI_Request_get_status_all(count, requests, flag, statuses);
    return status_all(count, requests, flag, statuses);
}

/* ---- any ---- */

static int status_any(int n, const MPI_Request requests[], int *index, int *flag,
                      MPI_Status *status)
{
    MPI_Request *native;
    bool active = false;
    int error;

    for (int i = 0; i < n; i++)
        if (our_status(requests[i], &active, status)) {
            *index = i;
            *flag = 1;
            return MPI_SUCCESS;
        }
    native = without_ours(n, requests);
    if (!native)
        return interpose_raise(MPI_ERR_NO_MEM);
    error = own_MPI_Request_get_status_any(n, native, index, flag, status);
    free(native);
    if (!error && *flag && *index == MPI_UNDEFINED)
        *flag = !active;
    return error;
}

BOTH_NAMES(Request_get_status_any,
           (int count, requests_in requests, int *index, int *flag, MPI_Status *status),
           (count, requests, index, flag, status))
{
    tutti_progress();
    if (!index || !flag || !handle_any_ours(count, requests))
        return own_MPI_Request_get_status_any(count, requests, index, flag, status);
    return status_any(count, requests, index, flag, status);
}

/* ---- some ---- */

static int status_some(int n, const MPI_Request requests[], int *outcount, int indices[],
                       MPI_Status statuses[])
{
    MPI_Request *native = without_ours(n, requests);
    bool active = false;
    int error, k;

    if (!native)
        return interpose_raise(MPI_ERR_NO_MEM);
    error = own_MPI_Request_get_status_some(n, native, outcount, indices, statuses);
    free(native);
    if (error)
        return error;
    k = *outcount == MPI_UNDEFINED ? 0 : *outcount;
    for (int i = 0; i < n; i++)
        if (our_status(requests[i], &active, plain_status_at(statuses, k)))
            indices[k++] = i;
    if (active || *outcount != MPI_UNDEFINED)
        *outcount = k;
    return MPI_SUCCESS;
}

BOTH_NAMES(Request_get_status_some,
           (int incount, requests_in requests, int *outcount, int indices[], MPI_Status statuses[]),
           (incount, requests, outcount, indices, statuses))
{
    tutti_progress();
    if (!outcount || !indices || !handle_any_ours(incount, requests))
        return own_MPI_Request_get_status_some(incount, requests, outcount, indices, statuses);
    return status_some(incount, requests, outcount, indices, statuses);
}

#endif
