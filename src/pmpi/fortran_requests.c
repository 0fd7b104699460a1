/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran_requests.c - Fortran's calls on one request, and those that free operations and types.
 * See fortran_requests_many.c for arrays of requests, and requests.c for the same calls of C.
 */
#include "pmpi/fortran.h"

#include <tutti.h>

/* ---- start ---- */

void mpi_start_f08_(MPI_Fint *request, MPI_Fint *ierror)
{
    int error;

    if (fortran_ours(*request)) {
        MPI_Request r = PMPI_Request_f2c(*request);
        error = PMPI_Start(&r);
    } else {
        FORTRAN_CALL_OWN(mpi_start, (request, &error));
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_start_f08_, mpi_start, MPI_START)

/* ---- complete ---- */

void mpi_wait_f08_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror)
{
    int error;

    if (fortran_ours(*request)) {
        MPI_Request r = PMPI_Request_f2c(*request);
        MPI_Status s = fortran_take_status(status);
        error = PMPI_Wait(&r, &s);
        fortran_return_status(&s, status);
    } else {
        FORTRAN_CALL_OWN(mpi_wait, (request, status, &error));
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_wait_f08_, mpi_wait, MPI_WAIT)

void mpi_test_f08_(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror)
{
    int error, done = 0;

    if (fortran_ours(*request)) {
        MPI_Request r = PMPI_Request_f2c(*request);
        MPI_Status s = fortran_take_status(status);
        error = PMPI_Test(&r, &done, &s);
        fortran_return_status(&s, status);
        *flag = fortran_logical(done);
    } else {
        FORTRAN_CALL_OWN(mpi_test, (request, flag, status, &error));
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_test_f08_, mpi_test, MPI_TEST)

/* MPICH does not poll generalized requests here, which non-blocking collectives of ours are. */
void mpi_request_get_status_f08_(const MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status,
                                 MPI_Fint *ierror)
{
    int error, done = 0;

    if (fortran_ours(*request)) {
        MPI_Status s = fortran_take_status(status);
        error = PMPI_Request_get_status(PMPI_Request_f2c(*request), &done, &s);
        fortran_return_status(&s, status);
        *flag = fortran_logical(done);
    } else {
        tutti_progress();
        FORTRAN_CALL_OWN(mpi_request_get_status, (request, flag, status, &error));
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_request_get_status_f08_, mpi_request_get_status, MPI_REQUEST_GET_STATUS)

#ifdef TUTTI_HAVE_REQUEST_IS_COMPLETE

MPI_Fint mpix_request_is_complete_f08_(const MPI_Fint *request)
{
    return fortran_logical(MPIX_Request_is_complete(PMPI_Request_f2c(*request)));
}

#endif

/* ---- free, cancel ---- */

void mpi_request_free_f08_(MPI_Fint *request, MPI_Fint *ierror)
{
    int error;

    if (fortran_ours(*request)) {
        MPI_Request r = PMPI_Request_f2c(*request);
        error = PMPI_Request_free(&r);
        *request = PMPI_Request_c2f(r);
    } else {
        FORTRAN_CALL_OWN(mpi_request_free, (request, &error));
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_request_free_f08_, mpi_request_free, MPI_REQUEST_FREE)

void mpi_cancel_f08_(MPI_Fint *request, MPI_Fint *ierror)
{
    int error;

    if (fortran_ours(*request)) {
        MPI_Request r = PMPI_Request_f2c(*request);
        error = PMPI_Cancel(&r);
    } else {
        FORTRAN_CALL_OWN(mpi_cancel, (request, &error));
    }
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_cancel_f08_, mpi_cancel, MPI_CANCEL)

/* ---- operations and types: what one of ours uses is freed when that is done (tutti.h) ---- */

void mpi_op_free_f08_(MPI_Fint *op, MPI_Fint *ierror)
{
    MPI_Op o = fortran_op(*op);
    int error = tutti_op_free(&o);

    if (!error)
        *op = MPI_Op_c2f(o);
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_op_free_f08_, mpi_op_free, MPI_OP_FREE)

void mpi_type_free_f08_(MPI_Fint *type, MPI_Fint *ierror)
{
    MPI_Datatype t = fortran_datatype(*type);
    int error = tutti_type_free(&t);

    if (!error)
        *type = MPI_Type_c2f(t);
    fortran_return(ierror, error);
}
FORTRAN_NAMES(mpi_type_free_f08_, mpi_type_free, MPI_TYPE_FREE)
