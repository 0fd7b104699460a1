/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h - MPI functions whose names changed: MPI-4 has large counts under names in _c and
 * MPI_Info_get_string, and MPI-5 deprecates what was there before.
 */
#ifndef TUTTI_MPI_CALLS_H
#define TUTTI_MPI_CALLS_H

#include <mpi.h>

/* Bytes, as MPI_Count. */
#if MPI_VERSION >= 4
#define mpi_type_size        PMPI_Type_size_c
#define mpi_type_extent      PMPI_Type_get_extent_c
#define mpi_type_true_extent PMPI_Type_get_true_extent_c
#else
#define mpi_type_size        PMPI_Type_size_x
#define mpi_type_extent      PMPI_Type_get_extent_x
#define mpi_type_true_extent PMPI_Type_get_true_extent_x
#endif

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
