/* SPDX-License-Identifier: BSD-3-Clause */
/* both_names.h - functions of MPI that this library has under both of their names.
 *
 *   program -> tool linked in, or before us -> MPI_Wait -> tool behind us -> PMPI_Wait
 *           -> Tutti for what is ours, else the MPI's own PMPI_Wait
 *
 * A tool defines MPI_Wait and calls PMPI_Wait. So it sees what the program calls wherever it
 * stands, once, and Tutti serves what the tool has seen. Without a tool behind us MPI_Wait is one
 * load and one jump.
 *
 * A tool that finds the MPI's MPI_Wait by dlsym instead would pass requests of ours to the MPI,
 * where it stands behind us. It stands in for the MPI then: it sees what is left to the MPI.
 */
#ifndef TUTTI_BOTH_NAMES_H
#define TUTTI_BOTH_NAMES_H

#include <mpi.h>

/* The MPI's own function, for a use above its BOTH_NAMES. */
#define OWN_MPI(function) static __typeof__(PMPI_##function) *own_MPI_##function

/* The head of PMPI_<function>, the body of which follows; own_MPI_<function> in it is the MPI's own
 * one, NULL if it has none. `arguments` are the names of the parameters. */
#define BOTH_NAMES(function, parameters, arguments)                                                \
    BOTH_NAMES_OF(int, MPI, function, parameters, arguments)

#define BOTH_NAMES_OF(result, mpi, function, parameters, arguments)                                \
    BOTH_NAMES_JOINED(result, mpi##_##function, P##mpi##_##function, parameters, arguments)

#define BOTH_NAMES_JOINED(result, name, p_name, parameters, arguments)                             \
    static __typeof__(p_name) *own_##name, *next_##name = p_name;                                  \
    __attribute__((constructor)) static void bind_##name(void)                                     \
    {                                                                                              \
        both_names_bind(#p_name, &own_##name, &next_##name);                                       \
    }                                                                                              \
    result name parameters                                                                         \
    {                                                                                              \
        return next_##name arguments;                                                              \
    }                                                                                              \
    result p_name parameters

/* Both are pointers to functions. *own: p_name behind this library, if there is one; *next: the one
 * without the P, if that is a tool's which calls p_name. That of another tool is *own. */
void both_names_bind(const char *p_name, void *own, void *next);

#endif
