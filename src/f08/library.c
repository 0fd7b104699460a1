/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - communicators, progress and memory, as Fortran's module `tutti` calls them. Texts end
 * in a 0, which the module adds and takes away.
 */
#include "f08/f08.h"

F08_CALL(init, (MPI_Fint * ierror), tutti_init())
F08_CALL(progress, (MPI_Fint * ierror), tutti_progress())
F08_CALL(progress_thread_start, (const MPI_Fint *info, MPI_Fint *ierror),
         tutti_progress_thread_start(f08_info(info)))
F08_CALL(progress_thread_stop, (MPI_Fint * ierror), tutti_progress_thread_stop())
F08_CALL(comm_prepare, (const MPI_Fint *comm, MPI_Fint *ierror), tutti_comm_prepare(f08_comm(comm)))
F08_CALL(comm_prepared, (const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierror),
         tutti_comm_prepared(f08_comm(comm), flag))
F08_CALL(comm_set_hints, (const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *ierror),
         tutti_comm_set_hints(f08_comm(comm), f08_info(info)))
F08_CALL(comm_explain,
         (const MPI_Fint *comm, const char *call, char *text, const MPI_Aint *size,
          MPI_Fint *ierror),
         tutti_comm_explain(f08_comm(comm), call, text, (size_t)*size))
F08_CALL(comm_topology, (const MPI_Fint *comm, char *text, const MPI_Aint *size, MPI_Fint *ierror),
         tutti_comm_topology(f08_comm(comm), text, (size_t)*size, NULL))
F08_CALL(comm_regions,
         (const MPI_Fint *comm, const char *level, MPI_Fint regions[], MPI_Fint *count,
          MPI_Fint *ierror),
         tutti_comm_regions(f08_comm(comm), level, regions, count))

/* No name of a file: nothing is known. */
F08_CALL(wisdom_import, (const MPI_Fint *comm, const char *file, MPI_Fint *ierror),
         tutti_wisdom_import(f08_comm(comm), *file ? file : NULL))
F08_CALL(wisdom_export, (const MPI_Fint *comm, const char *file, MPI_Fint *ierror),
         tutti_wisdom_export(f08_comm(comm), file))
F08_CALL(progress_driver, (const char **name, const char **reason, MPI_Fint *ierror),
         tutti_progress_driver(name, reason))
F08_CALL(shared_memory, (MPI_Fint * processes, const char **reason, MPI_Fint *ierror),
         tutti_shared_memory(processes, reason))

void tutti_f08_op_free(MPI_Fint *op, MPI_Fint *ierror)
{
    MPI_Op o = f08_op(op);
    int error = tutti_op_free(&o);

    if (error == MPI_SUCCESS)
        *op = MPI_Op_c2f(o);
    f08_return(ierror, error);
}

void tutti_f08_type_free(MPI_Fint *type, MPI_Fint *ierror)
{
    MPI_Datatype t = f08_datatype(type);
    int error = tutti_type_free(&t);

    if (error == MPI_SUCCESS)
        *type = MPI_Type_c2f(t);
    f08_return(ierror, error);
}

F08_CALL(alloc, (const MPI_Aint *bytes, void **memory, MPI_Fint *ierror),
         tutti_alloc(*bytes, memory))
F08_CALL(free, (void *const *memory, MPI_Fint *ierror), tutti_free(*memory))

void tutti_f08_version(MPI_Fint *major, MPI_Fint *minor, MPI_Fint *patch)
{
    tutti_version(major, minor, patch);
}
