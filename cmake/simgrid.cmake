# SPDX-License-Identifier: BSD-3-Clause
# SimGrid's SMPI in the place of an MPI, as MPI::MPI_C. The compiler is a plain one: smpicc does nothing but
# this. All ranks of a simulation live in one process, so libraries must be static (a shared one's variables
# would be shared by the ranks) and programs are modules that smpirun loads once for each rank.
find_path(SMPI_INCLUDE mpi.h PATHS /usr/include/smpi NO_DEFAULT_PATH REQUIRED)
find_library(SIMGRID_LIBRARY simgrid REQUIRED)
add_library(MPI::MPI_C INTERFACE IMPORTED)
target_include_directories(MPI::MPI_C INTERFACE ${SMPI_INCLUDE})
target_compile_options(MPI::MPI_C INTERFACE "SHELL:-include smpi/smpi_helpers.h")
target_compile_definitions(MPI::MPI_C INTERFACE SMPI_NO_OVERRIDE_MALLOC TUTTI_SIMULATED)
target_link_libraries(MPI::MPI_C INTERFACE ${SIMGRID_LIBRARY} m)
