/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c - every collective by every algorithm, as Fortran's module `tutti` calls it: three
 * functions an algorithm, six with large counts. CMake makes the tables (cmake/f08.cmake): of each
 * collective its parameters, which of them are buffers and lists of types, and the values for C.
 */
#include "f08/f08.h"

#include <f08/parameters.h>

#define DEFINE(suffix, COUNT, DISPL, name, Name, algorithm)                                        \
    void tutti_f08_##name##_##algorithm##suffix(F08_PARAMETERS_##name(COUNT, DISPL),               \
                                                MPI_Fint *ierror)                                  \
    {                                                                                              \
        f08_call call;                                                                             \
        f08_side send = F08_SEND_##name, recv = F08_RECV_##name;                                   \
        int error = f08_enter(&call, &send, &recv, comm, F08_BLOCKING);                            \
                                                                                                   \
        if (error == MPI_SUCCESS)                                                                  \
            error = MPIX_##Name##_##algorithm##suffix(F08_VALUES_##name);                          \
        f08_leave(&call);                                                                          \
        f08_return(ierror, error);                                                                 \
    }                                                                                              \
    void tutti_f08_i##name##_##algorithm##suffix(F08_PARAMETERS_##name(COUNT, DISPL),              \
                                                 MPI_Fint *request, MPI_Fint *ierror)              \
    {                                                                                              \
        f08_call call;                                                                             \
        f08_side send = F08_SEND_##name, recv = F08_RECV_##name;                                   \
        MPI_Request native;                                                                        \
        int error = f08_enter(&call, &send, &recv, comm, F08_LASTING);                             \
                                                                                                   \
        if (error == MPI_SUCCESS) {                                                                \
            error = MPIX_I##name##_##algorithm##suffix(F08_VALUES_##name, &native);                \
            if (error == MPI_SUCCESS)                                                              \
                *request = MPI_Request_c2f(native);                                                \
        }                                                                                          \
        f08_leave(&call);                                                                          \
        f08_return(ierror, error);                                                                 \
    }                                                                                              \
    void tutti_f08_##name##_##algorithm##_init##suffix(F08_PARAMETERS_##name(COUNT, DISPL),        \
                                                       const MPI_Fint *info,                       \
                                                       MPIX_Request *request, MPI_Fint *ierror)    \
    {                                                                                              \
        f08_call call;                                                                             \
        f08_side send = F08_SEND_##name, recv = F08_RECV_##name;                                   \
        int error = f08_enter(&call, &send, &recv, comm, F08_LASTING);                             \
                                                                                                   \
        if (error == MPI_SUCCESS)                                                                  \
            error = MPIX_##Name##_##algorithm##_init##suffix(F08_VALUES_##name, f08_info(info),    \
                                                             request);                             \
        f08_leave(&call);                                                                          \
        f08_return(ierror, error);                                                                 \
    }

#define ENTRY_UNCOUNTED(name, Name, algorithm) DEFINE(, MPI_Fint, MPI_Fint, name, Name, algorithm)
#define ENTRY(name, Name, algorithm)                                                               \
    DEFINE(, MPI_Fint, MPI_Fint, name, Name, algorithm)                                            \
    DEFINE(_c, MPI_Count, MPI_Aint, name, Name, algorithm)

#include <entries/entries.def>
