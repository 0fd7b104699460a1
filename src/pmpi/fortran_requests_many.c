/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran_requests_many.c - Fortran's calls on arrays of requests.
 *
 * Without a persistent collective of ours in it, an array goes to the MPI's own function as it is.
 * Another one is converted, and completed by the functions of requests_many.c.
 */
#include "pmpi/fortran.h"

#include <stdlib.h>

/* An array of requests, and one of statuses, as C has them. */
typedef struct many {
    int n;
    MPI_Request *requests;
    MPI_Status *statuses; /* MPI_STATUSES_IGNORE if the caller's are */
} many;

/* Statuses begin as the caller's, as they would natively: not every member is always written. */
static int many_make(many *m, int n, const MPI_Fint requests[], const MPI_Fint statuses[])
{
    bool ignored = statuses == FORTRAN_STATUSES_IGNORE;
    char *memory = malloc((size_t)n * (sizeof *m->requests + sizeof *m->statuses));

    if (!memory)
        return interpose_raise(MPI_ERR_NO_MEM);
    *m = (many){n, (void *)memory, MPI_STATUSES_IGNORE};
    for (int i = 0; i < n; i++)
        m->requests[i] = PMPI_Request_f2c(requests[i]);
    if (ignored)
        return MPI_SUCCESS;
    m->statuses = (void *)(m->requests + n);
    for (int i = 0; i < n; i++)
        PMPI_Status_f2c(statuses + i * STATUS_SIZE, &m->statuses[i]);
    return MPI_SUCCESS;
}

/* The first `written` statuses are new. */
static void many_return_statuses(many *m, int written, MPI_Fint statuses[])
{
    for (int i = 0; m->statuses != MPI_STATUSES_IGNORE && i < written; i++)
        PMPI_Status_c2f(&m->statuses[i], statuses + i * STATUS_SIZE);
    free(m->requests);
}

/* A request is as before, or null now. */
static void many_return(many *m, MPI_Fint requests[], int written, MPI_Fint statuses[])
{
    for (int i = 0; i < m->n; i++)
        if (m->requests[i] == MPI_REQUEST_NULL)
            requests[i] = PMPI_Request_c2f(MPI_REQUEST_NULL);
    many_return_statuses(m, written, statuses);
}

/* Fortran counts from 1. */
static MPI_Fint fortran_index(int i)
{
    return i == MPI_UNDEFINED ? MPI_UNDEFINED : i + 1;
}

/* ---- start ---- */

void mpi_startall_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint *ierror)
{
    int error;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        FORTRAN_CALL_OWN(mpi_startall, (count, requests, &error));
    } else if ((error = many_make(&m, *count, requests, FORTRAN_STATUSES_IGNORE)) == MPI_SUCCESS) {
        error = PMPI_Startall(m.n, m.requests);
        many_return(&m, requests, 0, NULL);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_startall_f08_, mpi_startall, MPI_STARTALL)

/* ---- all ---- */

void mpi_waitall_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint statuses[],
                      MPI_Fint *ierror)
{
    int error;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        FORTRAN_CALL_OWN(mpi_waitall, (count, requests, statuses, &error));
    } else if ((error = many_make(&m, *count, requests, statuses)) == MPI_SUCCESS) {
        error = PMPI_Waitall(m.n, m.requests, m.statuses);
        many_return(&m, requests, m.n, statuses);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_waitall_f08_, mpi_waitall, MPI_WAITALL)

void mpi_testall_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint *flag,
                      MPI_Fint statuses[], MPI_Fint *ierror)
{
    int error, done = 0;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        FORTRAN_CALL_OWN(mpi_testall, (count, requests, flag, statuses, &error));
    } else if ((error = many_make(&m, *count, requests, statuses)) == MPI_SUCCESS) {
        error = PMPI_Testall(m.n, m.requests, &done, m.statuses);
        many_return(&m, requests, m.n, statuses);
        *flag = fortran_logical(done);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_testall_f08_, mpi_testall, MPI_TESTALL)

/* ---- any ---- */

void mpi_waitany_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint *index, MPI_Fint *status,
                      MPI_Fint *ierror)
{
    int error, i = MPI_UNDEFINED;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        FORTRAN_CALL_OWN(mpi_waitany, (count, requests, index, status, &error));
    } else if ((error = many_make(&m, *count, requests, FORTRAN_STATUSES_IGNORE)) == MPI_SUCCESS) {
        MPI_Status s = fortran_take_status(status);
        error = PMPI_Waitany(m.n, m.requests, &i, &s);
        fortran_return_status(&s, status);
        many_return(&m, requests, 0, NULL);
        *index = fortran_index(i);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_waitany_f08_, mpi_waitany, MPI_WAITANY)

void mpi_testany_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint *index, MPI_Fint *flag,
                      MPI_Fint *status, MPI_Fint *ierror)
{
    int error, done = 0, i = MPI_UNDEFINED;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        FORTRAN_CALL_OWN(mpi_testany, (count, requests, index, flag, status, &error));
    } else if ((error = many_make(&m, *count, requests, FORTRAN_STATUSES_IGNORE)) == MPI_SUCCESS) {
        MPI_Status s = fortran_take_status(status);
        error = PMPI_Testany(m.n, m.requests, &i, &done, &s);
        fortran_return_status(&s, status);
        many_return(&m, requests, 0, NULL);
        *index = fortran_index(i);
        *flag = fortran_logical(done);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_testany_f08_, mpi_testany, MPI_TESTANY)

/* ---- some ---- */

typedef int complete_some(int count, MPI_Request requests[], int *outcount, int indices[],
                          MPI_Status statuses[]);

static int some(complete_some *complete, int count, MPI_Fint requests[], MPI_Fint *outcount,
                MPI_Fint indices[], MPI_Fint statuses[])
{
    int n = 0, error;
    many m;

    error = many_make(&m, count, requests, statuses);
    if (error)
        return error;
    error = complete(m.n, m.requests, &n, indices, m.statuses);
    *outcount = n;
    n = n == MPI_UNDEFINED ? 0 : n;
    many_return(&m, requests, n, statuses);
    for (int i = 0; i < n; i++)
        indices[i] = fortran_index(indices[i]);
    return error;
}

void mpi_waitsome_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint *outcount,
                       MPI_Fint indices[], MPI_Fint statuses[], MPI_Fint *ierror)
{
    int error;

    if (fortran_any_ours(*count, requests))
        error = some(MPI_Waitsome, *count, requests, outcount, indices, statuses);
    else
        FORTRAN_CALL_OWN(mpi_waitsome, (count, requests, outcount, indices, statuses, &error));
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_waitsome_f08_, mpi_waitsome, MPI_WAITSOME)

void mpi_testsome_f08_(const MPI_Fint *count, MPI_Fint requests[], MPI_Fint *outcount,
                       MPI_Fint indices[], MPI_Fint statuses[], MPI_Fint *ierror)
{
    int error;

    if (fortran_any_ours(*count, requests))
        error = some(MPI_Testsome, *count, requests, outcount, indices, statuses);
    else
        FORTRAN_CALL_OWN(mpi_testsome, (count, requests, outcount, indices, statuses, &error));
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_testsome_f08_, mpi_testsome, MPI_TESTSOME)

/* ---- statuses alone: MPI-4.1 (requests_status.c) ---- */

#ifdef TUTTI_HAVE_GET_STATUS_MANY

void mpi_request_get_status_all_f08_(const MPI_Fint *count, const MPI_Fint requests[],
                                     MPI_Fint *flag, MPI_Fint statuses[], MPI_Fint *ierror)
{
    int error, done = 0;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        tutti_progress();
        FORTRAN_CALL_OWN(mpi_request_get_status_all, (count, requests, flag, statuses, &error));
    } else if ((error = many_make(&m, *count, requests, statuses)) == MPI_SUCCESS) {
        error = PMPI_Request_get_status_all(m.n, m.requests, &done, m.statuses);
        many_return_statuses(&m, done ? m.n : 0, statuses);
        *flag = fortran_logical(done);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_request_get_status_all_f08_, mpi_request_get_status_all,
              MPI_REQUEST_GET_STATUS_ALL)

void mpi_request_get_status_any_f08_(const MPI_Fint *count, const MPI_Fint requests[],
                                     MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status,
                                     MPI_Fint *ierror)
{
    int error, done = 0, i = MPI_UNDEFINED;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        tutti_progress();
        FORTRAN_CALL_OWN(mpi_request_get_status_any,
                         (count, requests, index, flag, status, &error));
    } else if ((error = many_make(&m, *count, requests, FORTRAN_STATUSES_IGNORE)) == MPI_SUCCESS) {
        MPI_Status s = fortran_take_status(status);
        error = PMPI_Request_get_status_any(m.n, m.requests, &i, &done, &s);
        fortran_return_status(&s, status);
        many_return_statuses(&m, 0, NULL);
        *index = fortran_index(i);
        *flag = fortran_logical(done);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_request_get_status_any_f08_, mpi_request_get_status_any,
              MPI_REQUEST_GET_STATUS_ANY)

void mpi_request_get_status_some_f08_(const MPI_Fint *count, const MPI_Fint requests[],
                                      MPI_Fint *outcount, MPI_Fint indices[], MPI_Fint statuses[],
                                      MPI_Fint *ierror)
{
    int error, n = 0;
    many m;

    if (!fortran_any_ours(*count, requests)) {
        tutti_progress();
        FORTRAN_CALL_OWN(mpi_request_get_status_some,
                         (count, requests, outcount, indices, statuses, &error));
    } else if ((error = many_make(&m, *count, requests, statuses)) == MPI_SUCCESS) {
        error = PMPI_Request_get_status_some(m.n, m.requests, &n, indices, m.statuses);
        *outcount = n;
        n = n == MPI_UNDEFINED ? 0 : n;
        many_return_statuses(&m, n, statuses);
        for (int i = 0; i < n; i++)
            indices[i] = fortran_index(indices[i]);
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_request_get_status_some_f08_, mpi_request_get_status_some,
              MPI_REQUEST_GET_STATUS_SOME)

#endif
