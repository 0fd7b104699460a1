/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - persistent requests, as Fortran's module `tutti` calls them: indices count from 1, a
 * LOGICAL is 0 or 1. */
#include "f08/f08.h"

/* An index of C's, or MPI_UNDEFINED, which is negative. */
static void count_from_one(MPI_Fint *index)
{
    if (*index != MPI_UNDEFINED)
        ++*index;
}

static void count_all_from_one(MPI_Fint outcount, MPI_Fint indices[])
{
    for (MPI_Fint i = 0; outcount != MPI_UNDEFINED && i < outcount; i++)
        count_from_one(&indices[i]);
}

/* Also where some requests have failed the others' indices are there. */
static bool has_indices(int error)
{
    return error == MPI_SUCCESS || error == MPI_ERR_IN_STATUS;
}

F08_CALL(start, (MPIX_Request * request, MPI_Fint *ierror), MPIX_Start(request))
F08_CALL(startall, (const MPI_Fint *count, MPIX_Request requests[], MPI_Fint *ierror),
         MPIX_Startall(*count, requests))

void tutti_f08_start_native(MPIX_Request *request, MPI_Fint *native, MPI_Fint *ierror)
{
    MPI_Request r;
    int error = MPIX_Start_native(request, &r);

    if (error == MPI_SUCCESS)
        *native = MPI_Request_c2f(r);
    f08_return(ierror, error);
}

F08_CALL(wait, (MPIX_Request * request, MPI_Status *status, MPI_Fint *ierror),
         MPIX_Wait(request, f08_status(status)))
F08_CALL(waitall,
         (const MPI_Fint *count, MPIX_Request requests[], MPI_Status statuses[], MPI_Fint *ierror),
         MPIX_Waitall(*count, requests, f08_statuses(statuses)))

void tutti_f08_waitany(const MPI_Fint *count, MPIX_Request requests[], MPI_Fint *index,
                       MPI_Status *status, MPI_Fint *ierror)
{
    int at = MPI_UNDEFINED;
    int error = MPIX_Waitany(*count, requests, &at, f08_status(status));

    count_from_one(&at);
    *index = at;
    f08_return(ierror, error);
}

void tutti_f08_waitsome(const MPI_Fint *count, MPIX_Request requests[], MPI_Fint *outcount,
                        MPI_Fint indices[], MPI_Status statuses[], MPI_Fint *ierror)
{
    int error = MPIX_Waitsome(*count, requests, outcount, indices, f08_statuses(statuses));

    if (has_indices(error))
        count_all_from_one(*outcount, indices);
    f08_return(ierror, error);
}

F08_CALL(test, (MPIX_Request * request, MPI_Fint *flag, MPI_Status *status, MPI_Fint *ierror),
         MPIX_Test(request, flag, f08_status(status)))
F08_CALL(testall,
         (const MPI_Fint *count, MPIX_Request requests[], MPI_Fint *flag, MPI_Status statuses[],
          MPI_Fint *ierror),
         MPIX_Testall(*count, requests, flag, f08_statuses(statuses)))

void tutti_f08_testany(const MPI_Fint *count, MPIX_Request requests[], MPI_Fint *index,
                       MPI_Fint *flag, MPI_Status *status, MPI_Fint *ierror)
{
    int at = MPI_UNDEFINED;
    int error = MPIX_Testany(*count, requests, &at, flag, f08_status(status));

    count_from_one(&at);
    *index = at;
    f08_return(ierror, error);
}

void tutti_f08_testsome(const MPI_Fint *count, MPIX_Request requests[], MPI_Fint *outcount,
                        MPI_Fint indices[], MPI_Status statuses[], MPI_Fint *ierror)
{
    int error = MPIX_Testsome(*count, requests, outcount, indices, f08_statuses(statuses));

    if (has_indices(error))
        count_all_from_one(*outcount, indices);
    f08_return(ierror, error);
}

F08_CALL(request_get_status,
         (const MPIX_Request *request, MPI_Fint *flag, MPI_Status *status, MPI_Fint *ierror),
         MPIX_Request_get_status(*request, flag, f08_status(status)))
F08_CALL(request_free, (MPIX_Request * request, MPI_Fint *ierror), MPIX_Request_free(request))
F08_CALL(block_arrived,
         (const MPIX_Request *request, const MPI_Fint *rank, MPI_Fint *flag, MPI_Fint *ierror),
         tutti_block_arrived(*request, *rank, flag))
F08_CALL(get_stats, (const MPIX_Request *request, tutti_stats *stats, MPI_Fint *ierror),
         tutti_get_stats(*request, stats))
