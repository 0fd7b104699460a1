# SPDX-License-Identifier: BSD-3-Clause
# Which of the two families the MPI is of: their handles differ, and a build serves one. TUTTI_MPI is its
# name, TUTTI_CHECK_MPI what the headers do about another one. SimGrid's is neither.
if(TUTTI_SIMULATED)
    return()
endif()
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OPEN_MPI mpi.h TUTTI_OPEN_MPI)
check_symbol_exists(MPI_Allgather_init mpi.h TUTTI_HAVE_MPI4_PERSISTENT)
unset(CMAKE_REQUIRED_LIBRARIES)
if(TUTTI_HAVE_MPI4_PERSISTENT) # else under MPIX_ names, in Open MPI 4.1
    add_compile_definitions(TUTTI_HAVE_MPI4_PERSISTENT)
endif()
if(TUTTI_OPEN_MPI)
    set(TUTTI_MPI "Open MPI")
    set(other "MPICH or one of its family")
    set(condition "#ifndef OPEN_MPI")
else()
    set(TUTTI_MPI "MPICH")
    set(other "Open MPI")
    set(condition "#ifdef OPEN_MPI")
endif()
set(TUTTI_CHECK_MPI "${condition}
#error \"this Tutti is for ${TUTTI_MPI}, but <mpi.h> is of ${other}: \\
take the mpicc of ${TUTTI_MPI}, or a Tutti built with -DMPI_C_COMPILER=<your mpicc>\"
#endif
")
if(TUTTI_SUFFIX STREQUAL "auto")
    string(TOLOWER "-${TUTTI_MPI}" TUTTI_SUFFIX)
    string(REPLACE " " "" TUTTI_SUFFIX "${TUTTI_SUFFIX}")
endif()
