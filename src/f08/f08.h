/* SPDX-License-Identifier: BSD-3-Clause */
/* f08.h - what the C side of the Fortran module `tutti` has in common; tutti.F90.in declares it.
 *
 * All arguments are addresses. Handles of mpi_f08 are structures with one integer, MPI's Fortran
 * handle; a status has the members of C's; a buffer is a descriptor (Fortran 2018, 18.5), so that
 * an array section is seen for what it is:
 *
 *   a(:, 3)      in one piece: its address
 *   a(1:9:2, 3)  not in one piece: a blocking call works on a copy, others refuse it
 *
 * Where the count is 0 any section will do.
 *
 * An absent ierror is a null pointer.
 */
#ifndef TUTTI_F08_H
#define TUTTI_F08_H

#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <tutti.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER is passed on as int");

/* ---- what variables of mpi_f08 stand for ---- */

/* Their addresses, as the module has given them. */
typedef struct f08_constants {
    const void *in_place, *bottom, *status_ignore, *statuses_ignore;
} f08_constants;

MPI_Status *f08_status(MPI_Status *status);
MPI_Status *f08_statuses(MPI_Status *statuses);

/* ---- handles: of numbers it does not know Open MPI makes null pointers, not null handles ---- */

static inline MPI_Comm f08_comm(const MPI_Fint *comm)
{
    MPI_Comm c = MPI_Comm_f2c(*comm);

    return c ? c : MPI_COMM_NULL;
}

static inline MPI_Datatype f08_datatype(const MPI_Fint *type)
{
    MPI_Datatype t = MPI_Type_f2c(*type);

    return t ? t : MPI_DATATYPE_NULL;
}

static inline MPI_Op f08_op(const MPI_Fint *op)
{
    MPI_Op o = MPI_Op_f2c(*op);

    return o ? o : MPI_OP_NULL;
}

static inline MPI_Info f08_info(const MPI_Fint *info)
{
    return MPI_Info_f2c(*info);
}

static inline void f08_return(MPI_Fint *ierror, int error)
{
    if (ierror)
        *ierror = error;
}

/* A function of the module's that calls one of C's. */
#define F08_CALL(name, parameters, call)                                                           \
    void tutti_f08_##name parameters                                                               \
    {                                                                                              \
        f08_return(ierror, call);                                                                  \
    }

/* ---- buffers and lists of types of one call ---- */

typedef enum f08_way { F08_BLOCKING, F08_LASTING } f08_way;

typedef struct f08_call {
    void *send, *recv; /* for C */
    MPI_Datatype *sendtypes, *recvtypes;
    void *send_copy, *recv_copy; /* of sections that are not in one piece */
    const CFI_cdesc_t *recv_section;
} f08_call;

/* What is sent, or received. Null descriptors: there is no such argument. */
typedef struct f08_side {
    const CFI_cdesc_t *buffer, *types;
    bool unused; /* its count is 0: a section is as good as any */
} f08_side;

/* Fill in `call`. MPI_ERR_BUFFER, MPI_ERR_NO_MEM are raised on comm. */
int f08_enter(f08_call *call, const f08_side *send, const f08_side *recv, const MPI_Fint *comm,
              f08_way way);

/* Put back what was received into a copy, release all. Also after an f08_enter that has failed. */
void f08_leave(f08_call *call);

#endif
