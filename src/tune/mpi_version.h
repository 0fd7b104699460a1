/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_version.h - family and version of an MPI, from what MPI_Get_library_version says. Pure. */
#ifndef TUTTI_MPI_VERSION_H
#define TUTTI_MPI_VERSION_H

#include <stdbool.h>

/* Those of one family share handles and most of their code. */
typedef enum mpi_family { MPI_FAMILY_OPENMPI, MPI_FAMILY_MPICH, MPI_FAMILIES } mpi_family;

typedef struct mpi_version {
    mpi_family family;
    int number; /* MPI_VERSION_NUMBER(4, 0, 2); 0: a relative with numbers of its own, or unknown */
} mpi_version;

#define MPI_VERSION_NUMBER(major, minor, patch) (((major)*100 + (minor)) * 100 + (patch))

/* "Open MPI v6.0.0rc2, package: ...", "MPICH Version:\t4.0.2\n...". What is not Open MPI, nor a
 * relative of it, counts as MPICH: its relatives have names of their own. */
mpi_version mpi_version_read(const char *library_version);

/* Keep of that what names the MPI, printable: "Open MPI v6.0.0rc2", "MPICH Version: 4.0.2". */
void mpi_version_shorten(char *library_version);

/* "Open MPI", "MPICH". */
const char *mpi_family_name(mpi_family family);

#endif
