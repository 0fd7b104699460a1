/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c - the wrappers of the collective calls, made from collectives.def, and those of
 * MPI_Op_free and MPI_Type_free.
 *
 * Before MPI-4 there are no large counts (Open MPI 4 and 5), and no persistent collectives. Their
 * names are served all the same, and those of Open MPI 4.1, which has them as MPIX_ ones.
 */
#include "pmpi/both_names.h"
#include "pmpi/handles.h"
#include "pmpi/interpose.h"

#ifdef TUTTI_HAVE_MPIX_PERSISTENT
#include <mpi-ext.h>
#endif
#include <stddef.h>
#include <tutti_pmpix.h>

#define UNWRAP(...)    __VA_ARGS__
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)

/* Fortran functions of Open MPI 5 and 6 look into requests of calls with lists (handles.h). */
#if defined OPEN_MPI && defined TUTTI_HAVE_MPI4_PERSISTENT
#define FOR_CALLER(request) handle_for_caller(request, __builtin_return_address(0))
#else
#define FOR_CALLER(request) MPI_SUCCESS
#endif

#define HAS_LISTS(send, recv) (COLL_##send >= COLL_SIZED || COLL_##recv >= COLL_SIZED)

/* A call that is left to the MPI gets host copies in place of its device buffers: the MPI may not
 * know device memory, and a rank does not know which other ranks have some. */
#define COPY(buffer, received) (buffer = tutti_interposed_copy(left.copies, buffer, received))
#define COPY_TWO               COPY(sendbuf, false), COPY(recvbuf, true)
#define COPY_bcast             ~, COPY(buffer, true)
#define COPY_barrier           ~, (void)0

/* COPY_TWO, unless the collective has a COPY_ of its own. */
#define COPY_OWN_(ignored, own, ...) own
#define COPY_OWN(...)                COPY_OWN_(__VA_ARGS__)

/* The blocking and the non-blocking call. */
#define DEFINE_CALLS(name, Name, suffix, lists, parameters, arguments)                             \
    BOTH_NAMES(JOIN(Name, suffix, ), parameters, arguments)                                        \
    {                                                                                              \
        call_left left = {CALL_OURS, NULL};                                                        \
        int error;                                                                                 \
                                                                                                   \
        if (!interpose_takes(COLL_##name, FORM_BLOCKING, comm, &error))                            \
            return JOIN(own_MPI_##Name, suffix, )(UNWRAP arguments);                               \
        if (!error)                                                                                \
            error = JOIN(tutti_interposed_, name, suffix)(UNWRAP arguments,                        \
                                                          interpose_all ? NULL : &left);           \
        if (left.native == CALL_OURS)                                                              \
            return error;                                                                          \
        interpose_leave(COLL_##name, left.native);                                                 \
        if (left.copies) {                                                                         \
            COPY_OWN(COPY_##name, (COPY_TWO), ~);                                                  \
            tutti_interposed_copy_begin(left.copies);                                              \
        }                                                                                          \
        error = JOIN(own_MPI_##Name, suffix, )(UNWRAP arguments);                                  \
        if (left.copies)                                                                           \
            error = tutti_interposed_copy_end(left.copies, comm, error);                           \
        if (left.native == CALL_TRY)                                                               \
            tutti_interposed_tried();                                                              \
        return error;                                                                              \
    }                                                                                              \
    BOTH_NAMES(JOIN(I##name, suffix, ), (UNWRAP parameters, MPI_Request * request),                \
               (UNWRAP arguments, request))                                                        \
    {                                                                                              \
        call_left left = {CALL_OURS, NULL};                                                        \
        int error;                                                                                 \
                                                                                                   \
        if (!interpose_takes(COLL_##name, FORM_NONBLOCKING, comm, &error))                         \
            return JOIN(own_MPI_I##name, suffix, )(UNWRAP arguments, request);                     \
        if (!error)                                                                                \
            error = JOIN(tutti_interposed_i, name, suffix)(UNWRAP arguments, request,              \
                                                           interpose_all ? NULL : &left);          \
        if (left.native == CALL_OURS && !error && (lists))                                         \
            return FOR_CALLER(request);                                                            \
        if (left.native == CALL_OURS)                                                              \
            return error;                                                                          \
        interpose_leave(COLL_##name, left.native);                                                 \
        return JOIN(own_MPI_I##name, suffix, )(UNWRAP arguments, request);                         \
    }

/* A persistent call <mpi>_<init>; `native` is where it goes if it is not ours. */
#define DEFINE_INIT(mpi, init, native, name, Name, suffix, parameters, arguments)                  \
    BOTH_NAMES_OF(int, mpi, init, (UNWRAP parameters, MPI_Info info, MPI_Request * request),       \
                  (UNWRAP arguments, info, request))                                               \
    {                                                                                              \
        MPIX_Request r = MPIX_REQUEST_NULL;                                                        \
        int error;                                                                                 \
                                                                                                   \
        if (!interpose_takes(COLL_##name, FORM_PERSISTENT, comm, &error))                          \
            return native(UNWRAP arguments, info, request);                                        \
        if (!error)                                                                                \
            error = JOIN(tutti_interposed_init_, name, suffix)(UNWRAP arguments, info,             \
                                                               request ? &r : NULL);               \
        return error ? error : handle_make(r, request);                                            \
    }

/* A name of MPI-4 that this MPI does not have. */
#define DECLARE_INIT(Name, parameters)                                                             \
    int MPI_##Name##_init(UNWRAP parameters, MPI_Info info, MPI_Request *request);                 \
    int PMPI_##Name##_init(UNWRAP parameters, MPI_Info info, MPI_Request *request);

#define COUNT int
#define DISPL int
#if defined TUTTI_HAVE_MPI4_PERSISTENT
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    DEFINE_CALLS(name, Name, , HAS_LISTS(send, recv), parameters, arguments)                       \
    DEFINE_INIT(MPI, Name##_init, own_MPI_##Name##_init, name, Name, , parameters, arguments)
#elif defined TUTTI_HAVE_MPIX_PERSISTENT
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    DECLARE_INIT(Name, parameters)                                                                 \
    DEFINE_CALLS(name, Name, , HAS_LISTS(send, recv), parameters, arguments)                       \
    DEFINE_INIT(MPIX, Name##_init, own_MPIX_##Name##_init, name, Name, , parameters, arguments)    \
    DEFINE_INIT(MPI, Name##_init, own_MPIX_##Name##_init, name, Name, , parameters, arguments)
#else
#define NO_INIT(...) interpose_raise(MPI_ERR_UNSUPPORTED_OPERATION) /* the MPI's */
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    DECLARE_INIT(Name, parameters)                                                                 \
    DEFINE_CALLS(name, Name, , HAS_LISTS(send, recv), parameters, arguments)                       \
    DEFINE_INIT(MPI, Name##_init, NO_INIT, name, Name, , parameters, arguments)
#endif
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#undef COUNT
#undef DISPL

#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define DISPL MPI_Aint
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    DEFINE_CALLS(name, Name, _c, HAS_LISTS(send, recv), parameters, arguments)                     \
    DEFINE_INIT(MPI, Name##_init_c, own_MPI_##Name##_init_c, name, Name, _c, parameters, arguments)
#define COLLECTIVE_UNCOUNTED(...)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#endif

/* What one of ours uses is freed when that is done (tutti.h). */
BOTH_NAMES(Op_free, (MPI_Op * op), (op))
{
    return tutti_op_free(op);
}

BOTH_NAMES(Type_free, (MPI_Datatype * type), (type))
{
    return tutti_type_free(type);
}
