/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran.h - the calls that Fortran programs make: their names, and their arguments as C has them.
 *
 * Fortran hands over addresses. Handles are integers, in mpi_f08 the only member of a type; a
 * status is an array of integers, in mpi_f08 a type, with the members of the C one.
 *
 *                 mpif.h, use mpi                 use mpi_f08
 *   MPICH         mpi_wait_ calls MPI_Wait        mpi_wait_f08_ calls PMPI_Wait: ours
 *                 mpi_bcast_ calls MPI_Bcast      mpi_bcast_f08ts_ calls MPI_Bcast
 *   Open MPI      mpi_wait_ calls PMPI_Wait: ours mpi_wait_f08_ calls what mpi_wait_ is: ours
 *                 mpi_bcast_: likewise            mpi_bcast_f08_: likewise
 *
 * So a function that mpi_f08 calls is defined here under its name, and is on Open MPI also what the
 * other interfaces call. It may be called without the last argument, as mpi_f08 may. What is not
 * ours goes to the MPI's own function of the same name, with the same arguments.
 */
#ifndef TUTTI_FORTRAN_H
#define TUTTI_FORTRAN_H

#include "pmpi/handles.h"
#include "pmpi/interpose.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are passed on as they are");

/* ---- names ---- */

/* FORTRAN_NAMES: what compilers make of a name, as more names for a function of mpi_f08. Not the
 * name as it stands: no compiler for Linux makes that of it unless told to, and a program's library
 * that has a C function mpi_init of its own must keep it.
 * FORTRAN_OWN: the name by which to look for the MPI's own. */
#ifdef OPEN_MPI
#define FORTRAN_ALIAS(f, name) extern __typeof__(f) name __attribute__((alias(#f)));
#define FORTRAN_NAMES(f, name, NAME)                                                               \
    FORTRAN_ALIAS(f, name##_) FORTRAN_ALIAS(f, name##__) FORTRAN_ALIAS(f, NAME)
#define FORTRAN_OWN(name) #name "_"
#else
#define FORTRAN_NAMES(f, name, NAME)
#define FORTRAN_OWN(name) #name "_f08_"
#endif

/* ---- the MPI's own functions ---- */

typedef void fortran_function(void);

/* The function by that name behind this library, wherever it has been loaded. Null: none is. */
fortran_function *fortran_find(const char *name);

/* There is none: an error class, raised. Where there is no communicator to raise it on, before
 * MPI_Init and after MPI_Finalize, it ends the program, as both MPIs do. */
int fortran_missing(const char *name);

/* Call the MPI's own `name`, from the function <name>_f08_; `error` is a variable of that. */
#define FORTRAN_CALL_OWN(name, arguments)                                                          \
    do {                                                                                           \
        static _Atomic(fortran_function *) known;                                                  \
        fortran_function *own = atomic_load_explicit(&known, memory_order_relaxed);                \
                                                                                                   \
        if (!own)                                                                                  \
            atomic_store(&known, own = fortran_find(FORTRAN_OWN(name)));                           \
        if (own)                                                                                   \
            ((__typeof__(name##_f08_) *)own) arguments;                                            \
        else                                                                                       \
            error = fortran_missing(FORTRAN_OWN(name));                                            \
    } while (0)

/* The last argument of a Fortran call, which mpi_f08 may leave out. */
static inline void fortran_return(MPI_Fint *ierror, MPI_Fint error)
{
    if (ierror)
        *ierror = error;
}

/* ---- handles ---- */

/* Numbers that Open MPI does not know become null pointers, which are not its null handles. */
static inline MPI_Comm fortran_comm(MPI_Fint comm)
{
    MPI_Comm c = MPI_Comm_f2c(comm);

    return c ? c : MPI_COMM_NULL;
}

static inline MPI_Datatype fortran_datatype(MPI_Fint type)
{
    MPI_Datatype t = MPI_Type_f2c(type);

    return t ? t : MPI_DATATYPE_NULL;
}

static inline MPI_Op fortran_op(MPI_Fint op)
{
    MPI_Op o = MPI_Op_f2c(op);

    return o ? o : MPI_OP_NULL;
}

/* A persistent request of ours? */
static inline bool fortran_ours(MPI_Fint request)
{
    return handle_number_ours(request);
}

static inline bool fortran_any_ours(int n, const MPI_Fint requests[])
{
    bool any = false;

    for (int i = 0; i < n; i++)
        any |= fortran_ours(requests[i]);
    return any;
}

/* ---- buffers, flags, statuses ---- */

#ifdef OPEN_MPI
/* Variables of Fortran that stand for values of C. They are libmpi.so's, or the program's; an MPI
 * without Fortran has none. */
extern MPI_Fint mpi_fortran_in_place_ __attribute__((weak));
extern MPI_Fint mpi_fortran_bottom_ __attribute__((weak));

static inline void *fortran_buffer(const void *buffer)
{
    if (buffer && buffer == &mpi_fortran_in_place_)
        return MPI_IN_PLACE;
    if (buffer && buffer == &mpi_fortran_bottom_)
        return MPI_BOTTOM;
    return (void *)(uintptr_t)buffer;
}
#endif

/* Every compiler takes 1 for .true. */
static inline MPI_Fint fortran_logical(int flag)
{
    return flag != 0;
}

#ifdef OPEN_MPI
#define FORTRAN_STATUS_IGNORE   MPI_F_STATUS_IGNORE
#define FORTRAN_STATUSES_IGNORE MPI_F_STATUSES_IGNORE
#else
/* Variables that some versions have in libmpichfort only, which a C program does not load. */
#pragma weak MPI_F08_STATUS_IGNORE
#pragma weak MPI_F08_STATUSES_IGNORE
#define FORTRAN_STATUS_IGNORE                                                                      \
    (&MPI_F08_STATUS_IGNORE ? (MPI_Fint *)MPI_F08_STATUS_IGNORE : (MPI_Fint *)NULL)
#define FORTRAN_STATUSES_IGNORE                                                                    \
    (&MPI_F08_STATUSES_IGNORE ? (MPI_Fint *)MPI_F08_STATUSES_IGNORE : (MPI_Fint *)NULL)
#endif

enum { STATUS_SIZE = sizeof(MPI_Status) / sizeof(MPI_Fint) };

/* The caller's status, because not every member is always written; and back. */
static inline MPI_Status fortran_take_status(const MPI_Fint *status)
{
    MPI_Status s = {0};

    if (status != FORTRAN_STATUS_IGNORE)
        PMPI_Status_f2c(status, &s);
    return s;
}

static inline void fortran_return_status(const MPI_Status *s, MPI_Fint *status)
{
    if (status != FORTRAN_STATUS_IGNORE)
        PMPI_Status_c2f(s, status);
}

/* ---- arrays of datatypes ---- */

/* As many as there are ranks, or neighbors in the communicator's topology. */
typedef enum fortran_peers { RANKS, RECV_NEIGHBORS, SEND_NEIGHBORS } fortran_peers;

/* The datatypes of a call, converted, while it lasts. */
typedef struct fortran_converted {
    MPI_Datatype *send, *recv;
} fortran_converted;

/* Convert the types of one side; none if the buffer is MPI_IN_PLACE, so that they mean nothing.
 * False: out of memory. */
bool fortran_types(MPI_Datatype **result, const MPI_Fint types[], const void *buffer, MPI_Fint comm,
                   fortran_peers peers);

/* MPI_ERR_NO_MEM, raised. */
int fortran_no_memory(MPI_Fint comm);

void fortran_types_free(fortran_converted *types);

#endif
