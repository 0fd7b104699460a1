/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran_collectives.c - the collective calls of Fortran, from the table that cmake/fortran.cmake
 * makes of collectives.def.
 *
 * On MPICH those with buffers need nothing: its Fortran interfaces, which also know MPI_IN_PLACE
 * and parts of arrays, call MPI's C functions, where we are. Open MPI 4.1 has persistent ones under
 * MPIX_ names only: there they have MPI-4's names too.
 */
#include "pmpi/copies.h"
#include "pmpi/fortran.h"

#include <tutti_pmpix.h>

#define UNWRAP(...) __VA_ARGS__

#define HAND_OVER(own, arguments)                                                                  \
    do {                                                                                           \
        interpose_handed = true;                                                                   \
        FORTRAN_CALL_OWN(own, arguments);                                                          \
        interpose_handed = false;                                                                  \
    } while (0)

/* The body of all; `ours` gives an error, `begin` comes before the MPI's call. Tutti does not need
 * arrays of datatypes any more when the call returns. The MPI does, and its own Fortran function
 * knows how to keep them. */
#define TAKE(own, kind, form, arguments, converts, ours, begin)                                    \
    call_left left = {CALL_OURS, NULL};                                                            \
    int error;                                                                                     \
    fortran_converted types = {NULL, NULL};                                                        \
                                                                                                   \
    if (!interpose_takes(kind, form, fortran_comm(*comm), &error))                                 \
        HAND_OVER(own, (UNWRAP arguments, &error));                                                \
    else if (!error)                                                                               \
        error = (converts) ? ours : fortran_no_memory(*comm);                                      \
    if (left.native != CALL_OURS) {                                                                \
        interpose_leave(kind, left.native);                                                        \
        begin;                                                                                     \
        HAND_OVER(own, (UNWRAP arguments, &error));                                                \
        COPY_END(fortran_comm(*comm), error);                                                      \
        if (left.native == CALL_TRY)                                                               \
            tutti_interposed_tried();                                                              \
    }                                                                                              \
    fortran_types_free(&types);                                                                    \
    fortran_return(ierror, error)

#define DEFINE_BLOCKING(name, Name, NAME, parameters, arguments, converts, values)                 \
    void mpi_##name##_f08_(UNWRAP parameters, MPI_Fint *ierror)                                    \
    {                                                                                              \
        TAKE(mpi_##name, KIND_##name, FORM_BLOCKING, arguments, converts,                          \
             tutti_interposed_##name(UNWRAP values, interpose_all ? NULL : &left),                 \
             COPY_BEGIN(name, fortran_buffer));                                                    \
    }                                                                                              \
    FORTRAN_NAMES(mpi_##name##_f08_, mpi_##name, MPI_##NAME)

#define DEFINE_NONBLOCKING(name, NAME, parameters, arguments, converts, values)                    \
    void mpi_i##name##_f08_(UNWRAP parameters, MPI_Fint *request, MPI_Fint *ierror)                \
    {                                                                                              \
        MPI_Request r = MPI_REQUEST_NULL;                                                          \
        TAKE(mpi_i##name, KIND_##name, FORM_NONBLOCKING, (UNWRAP arguments, request), converts,    \
             started(tutti_interposed_i##name(UNWRAP values, &r, interpose_all ? NULL : &left),    \
                     &r, request),                                                                 \
             (void)0);                                                                             \
    }                                                                                              \
    FORTRAN_NAMES(mpi_i##name##_f08_, mpi_i##name, MPI_I##NAME)

#define DEFINE_INIT(init, name, Name, parameters, arguments, converts, values)                     \
    void init##_f08_(UNWRAP parameters, const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror) \
    {                                                                                              \
        MPIX_Request r = MPIX_REQUEST_NULL;                                                        \
        TAKE(init, KIND_##name, FORM_PERSISTENT, (UNWRAP arguments, info, request), converts,      \
             made(tutti_interposed_init_##name(UNWRAP values, MPI_Info_f2c(*info), &r), &r,        \
                  request),                                                                        \
             (void)0);                                                                             \
    }

#ifndef OPEN_MPI
#define FORTRAN_CHOICE(...)
#define FORTRAN_PLAIN(name, Name, NAME, parameters, arguments, converts, values)                   \
    DEFINE_BLOCKING(name, Name, NAME, parameters, arguments, converts, values)                     \
    DEFINE_NONBLOCKING(name, NAME, parameters, arguments, converts, values)                        \
    DEFINE_INIT(mpi_##name##_init, name, Name, parameters, arguments, converts, values)
#elif defined TUTTI_HAVE_MPI4_PERSISTENT
#define FORTRAN_CHOICE(name, Name, NAME, parameters, arguments, converts, values)                  \
    DEFINE_BLOCKING(name, Name, NAME, parameters, arguments, converts, values)                     \
    DEFINE_NONBLOCKING(name, NAME, parameters, arguments, converts, values)                        \
    DEFINE_INIT(mpi_##name##_init, name, Name, parameters, arguments, converts, values)            \
    FORTRAN_NAMES(mpi_##name##_init_f08_, mpi_##name##_init, MPI_##NAME##_INIT)
#define FORTRAN_PLAIN FORTRAN_CHOICE
#else
#define FORTRAN_CHOICE(name, Name, NAME, parameters, arguments, converts, values)                  \
    DEFINE_BLOCKING(name, Name, NAME, parameters, arguments, converts, values)                     \
    DEFINE_NONBLOCKING(name, NAME, parameters, arguments, converts, values)                        \
    DEFINE_INIT(mpix_##name##_init, name, Name, parameters, arguments, converts, values)           \
    FORTRAN_NAMES(mpix_##name##_init_f08_, mpix_##name##_init, MPIX_##NAME##_INIT)                 \
    FORTRAN_NAMES(mpix_##name##_init_f08_, mpi_##name##_init, MPI_##NAME##_INIT)                   \
    FORTRAN_ALIAS(mpix_##name##_init_f08_, mpi_##name##_init_f08_)
#define FORTRAN_PLAIN FORTRAN_CHOICE
#endif

static int started(int error, const MPI_Request *r, MPI_Fint *request)
{
    if (!error)
        *request = PMPI_Request_c2f(*r);
    return error;
}

static int made(int error, const MPIX_Request *r, MPI_Fint *request)
{
    MPI_Request handle;

    if (!error)
        error = handle_make(*r, &handle);
    return started(error, &handle, request);
}

#include <fortran/fortran.def>
