# SPDX-License-Identifier: BSD-3-Clause
# Of which kind the MPI is: MPICH, Open MPI, or any MPI by the mpi.h of MPI-5's ABI. Their handles differ, and a build
# serves one kind. TUTTI_MPI is its name, TUTTI_CHECK_MPI what the headers do about another one. SimGrid's is none.
if(TUTTI_SIMULATED)
    return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/forget_mpi.cmake) # tutti_mpi_compiler
include(${CMAKE_CURRENT_LIST_DIR}/which_mpi.cmake)
tutti_which_mpi(mpi C)
if(mpi_ERROR)
    message(FATAL_ERROR "Tutti: the MPI's <mpi.h> cannot be preprocessed:\n${mpi_ERROR}")
endif()
message(STATUS "MPI: ${mpi_TEXT}")
if(TUTTI_MPI_ABI AND NOT mpi_FAMILY STREQUAL "MPI ABI")
    message(FATAL_ERROR "Tutti: TUTTI_MPI_ABI is ON, but ${mpi_TEXT} has an mpi.h of its own, not that of MPI-5's ABI. "
        "Say -DMPI_C_COMPILER=<the MPI's wrapper for the ABI, such as mpicc_abi>.")
elseif(NOT mpi_FAMILY)
    message(FATAL_ERROR "Tutti: ${mpi_TEXT} is neither of MPICH's family nor of Open MPI's, nor has it the mpi.h of MPI-5's ABI, and Tutti knows no other "
        "handles. Say -DMPI_C_COMPILER=<the mpicc of one of these>; for SimGrid -DTUTTI_SIMULATED=ON.\n"
        "(asked: ${mpi_HEADER}, for OPEN_MPI, MPICH_NAME, MPICH_VERSION, MPI_ABI_VERSION)")
elseif(NOT mpi_NAME STREQUAL mpi_FAMILY)
    message(STATUS "MPI: ${mpi_NAME} has not been tried with Tutti: it is taken for one of ${mpi_FAMILY}'s family")
endif()

# What has been found out of another MPI, or of another version, is asked again; and so is all if mpi.h changes.
set(seen "${mpi_TEXT} ${mpi_HEADER}")
if(NOT seen STREQUAL "${TUTTI_MPI_SEEN}")
    unset(TUTTI_HAVE_MPI4_PERSISTENT CACHE)
    unset(TUTTI_HAVE_MPIX_PERSISTENT CACHE)
    unset(TUTTI_HAVE_MPIX_GREQUEST CACHE)
    unset(HAVE_MPI_ALLGATHER_INIT CACHE)
    unset(TUTTI_TESTS_ASYNC CACHE)
    unset(TUTTI_TESTS_MPICH_40 CACHE)
    foreach(feature GET_STATUS_MANY REQUEST_TOINT REQUEST_IS_COMPLETE SESSIONS)
        unset(TUTTI_HAVE_${feature} CACHE)
    endforeach()
    set(TUTTI_MPI_SEEN "${seen}" CACHE INTERNAL "the MPI of the last configure")
endif()
tutti_mpi_compiler(mpi_compiler)
set(TUTTI_MPI_COMPILER "${mpi_compiler}" CACHE INTERNAL "for forget_mpi.cmake")
if(mpi_HEADER)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mpi_HEADER})
endif()

set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(MPI_Allgather_init mpi.h TUTTI_HAVE_MPI4_PERSISTENT)
check_symbol_exists(MPIX_Allgather_init "mpi.h;mpi-ext.h" TUTTI_HAVE_MPIX_PERSISTENT) # Open MPI, before that
check_symbol_exists(MPI_Request_get_status_all mpi.h TUTTI_HAVE_GET_STATUS_MANY) # MPI-4.1: _all, _any, _some
check_symbol_exists(MPI_Request_toint mpi.h TUTTI_HAVE_REQUEST_TOINT) # MPI-5
check_symbol_exists(MPI_Session_init mpi.h TUTTI_HAVE_SESSIONS) # MPI-4, Open MPI 5
check_symbol_exists(MPIX_Request_is_complete mpi.h TUTTI_HAVE_REQUEST_IS_COMPLETE) # MPICH 4.3
unset(CMAKE_REQUIRED_LIBRARIES)
foreach(feature GET_STATUS_MANY REQUEST_TOINT REQUEST_IS_COMPLETE SESSIONS)
    if(TUTTI_HAVE_${feature})
        add_compile_definitions(TUTTI_HAVE_${feature})
    endif()
endforeach()
set(TUTTI_LACKS_MPI4 0)
if(TUTTI_HAVE_MPI4_PERSISTENT)
    add_compile_definitions(TUTTI_HAVE_MPI4_PERSISTENT)
else()
    set(TUTTI_LACKS_MPI4 1)
    if(TUTTI_HAVE_MPIX_PERSISTENT)
        add_compile_definitions(TUTTI_HAVE_MPIX_PERSISTENT)
    endif()
endif()
set(TUTTI_MPI "${mpi_FAMILY}")
set(advice "take the mpicc of ${TUTTI_MPI}, or a Tutti built with -DMPI_C_COMPILER=<your mpicc>")
set(TUTTI_OPEN_MPI FALSE)
set(TUTTI_MPI_ABI FALSE)
set(name "-${TUTTI_MPI}")
if(TUTTI_MPI STREQUAL "Open MPI")
    set(TUTTI_OPEN_MPI TRUE)
    set(TUTTI_CHECK_MPI "#ifndef OPEN_MPI
#error \"this Tutti is for Open MPI, but <mpi.h> is of MPICH, one of its family, or another: \\
${advice}\"
#endif
")
elseif(TUTTI_MPI STREQUAL "MPI ABI")
    set(TUTTI_MPI_ABI TRUE)
    set(name "_abi") # as the MPI's library itself is called: libmpi_abi
    add_compile_definitions(TUTTI_MPI_ABI)
    set(TUTTI_CHECK_MPI "#if !defined MPI_ABI_VERSION || MPI_ABI_VERSION < 1
#error \"this Tutti is for the MPI ABI, but <mpi.h> is the MPI's own: \\
take mpicc_abi, or a Tutti built with -DMPI_C_COMPILER=<your mpicc>\"
#endif
")
else()
    set(TUTTI_CHECK_MPI "#ifdef OPEN_MPI
#error \"this Tutti is for MPICH, but <mpi.h> is of Open MPI: \\
${advice}\"
#elif !defined MPICH_NAME && !defined MPICH_VERSION
#error \"this Tutti is for MPICH, but <mpi.h> is not of its family: \\
${advice}\"
#endif
")
endif()
# The libraries of the ABI may lie beside another build's, as the MPI's own do.
if(TUTTI_SUFFIX STREQUAL "auto" OR (TUTTI_MPI_ABI AND TUTTI_SUFFIX STREQUAL ""))
    string(TOLOWER "${name}" TUTTI_SUFFIX)
    string(REPLACE " " "" TUTTI_SUFFIX "${TUTTI_SUFFIX}")
endif()
