/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_library.h - which MPI this process runs on, asked once: what is decided by family or version
 * is decided by this at run time, so that one binary can serve several MPIs. */
#ifndef TUTTI_MPI_LIBRARY_H
#define TUTTI_MPI_LIBRARY_H

#include "tune/mpi_version.h"

#include <stdatomic.h>

typedef struct mpi_library {
    mpi_version version;
    char name[256]; /* "MPICH Version: 4.0.2", "Open MPI v4.1.4": the first line, printable */
} mpi_library;

/* Asks the MPI. At any time, from any thread. */
const mpi_library *mpi_library_ask(void);

extern _Atomic(const mpi_library *) mpi_library_known;

static inline const mpi_library *mpi_library_here(void)
{
    const mpi_library *known = atomic_load_explicit(&mpi_library_known, memory_order_acquire);

    return known ? known : mpi_library_ask();
}

static inline bool mpi_is_openmpi(void)
{
    return mpi_library_here()->version.family == MPI_FAMILY_OPENMPI;
}

#endif
