/* SPDX-License-Identifier: BSD-3-Clause */
/* which_mpi.c - which MPI mpi.h is of: preprocessed by which_mpi.cmake, never compiled.
 *
 * One line is left, tutti_mpi "family" "name" version. What has no family is not served. Names are
 * strings because MPICH is a macro, and versions come as strings, numbers or words.
 */
#include <mpi.h>
#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0 /* Open MPI 6 by its own mpi.h: -1 */
tutti_mpi "MPI ABI" "MPI ABI" MPI_ABI_VERSION.MPI_ABI_SUBVERSION
#elif defined MSMPI_VER
tutti_mpi "" "Microsoft MPI"
#elif defined OPEN_MPI
#if OMPI_MAJOR_VERSION >= 10 /* IBM counts on from its older MPI */
tutti_mpi "Open MPI" "Spectrum MPI" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#else
tutti_mpi "Open MPI" "Open MPI" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#endif
#elif defined MPICH_NAME || defined MPICH_VERSION
#if defined I_MPI_VERSION
tutti_mpi "MPICH" "Intel MPI" I_MPI_VERSION
#elif defined CRAY_MPICH_VERSION
tutti_mpi "MPICH" "Cray MPICH" CRAY_MPICH_VERSION
#elif defined MVAPICH_VERSION
tutti_mpi "MPICH" "MVAPICH" MVAPICH_VERSION
#elif defined MVAPICH2_VERSION
tutti_mpi "MPICH" "MVAPICH2" MVAPICH2_VERSION
#else
tutti_mpi "MPICH" "MPICH" MPICH_VERSION
#endif
#elif defined SMPI_H
tutti_mpi "" "SimGrid's SMPI"
#elif defined SGI_MPI
tutti_mpi "" "HPE MPT"
#elif defined MPITRAMPOLINE_VERSION_MAJOR
tutti_mpi "" "MPItrampoline"
#else
tutti_mpi "" ""
#endif
