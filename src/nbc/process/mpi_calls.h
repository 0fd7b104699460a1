/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h - MPI functions whose names changed: MPI-4 has large counts under names in _c and
 * MPI_Info_get_string, and MPI-5 deprecates what was there before.
 */
#ifndef TUTTI_MPI_CALLS_H
#define TUTTI_MPI_CALLS_H

#include <mpi.h>

/* Bytes. */
static inline int mpi_type_size(MPI_Datatype type, MPI_Count *size)
{
#if MPI_VERSION >= 4
    return PMPI_Type_size_c(type, size);
#else
    return PMPI_Type_size_x(type, size);
#endif
}

/* Bytes. */
static inline int mpi_type_extent(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
#if MPI_VERSION >= 4
    return PMPI_Type_get_extent_c(type, lb, extent);
#else
    return PMPI_Type_get_extent_x(type, lb, extent);
#endif
}

/* Bytes. */
static inline int mpi_type_true_extent(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
#if MPI_VERSION >= 4
    return PMPI_Type_get_true_extent_c(type, lb, extent);
#else
    return PMPI_Type_get_true_extent_x(type, lb, extent);
#endif
}

/* The value of `key`; *found is 0 and text unchanged if there is none. */
static inline int mpi_info_get(MPI_Info info, const char *key, char text[MPI_MAX_INFO_VAL + 1],
                               int *found)
{
#if MPI_VERSION >= 4
    int size = MPI_MAX_INFO_VAL + 1;

    return PMPI_Info_get_string(info, key, &size, text, found);
#else
    return PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, found);
#endif
}

#endif
