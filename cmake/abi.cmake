# SPDX-License-Identifier: BSD-3-Clause
# TUTTI_MPI_ABI: a compiler wrapper for MPI-5's ABI, if none is named. MPICH 5 and Open MPI 6 have one, mpicc_abi, but
# not in Debian, where only header and library are: then one is made here, in the build folder.
if(NOT TUTTI_MPI_ABI OR MPI_C_COMPILER)
    return()
endif()
find_program(found mpicc_abi NO_CACHE)
if(NOT found)
    find_path(header mpi.h NO_CACHE NO_DEFAULT_PATH PATH_SUFFIXES openmpi/include/standard_abi mpi_abi/include
        PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib)
    find_library(library mpi_abi NO_CACHE)
    if(NOT header OR NOT library)
        message(FATAL_ERROR "Tutti: TUTTI_MPI_ABI is ON, but there is no mpicc_abi, nor the ABI's mpi.h and libmpi_abi.so where "
            "Debian has them. Say -DMPI_C_COMPILER=<the MPI's compiler wrapper for the ABI>.")
    endif()
    set(found ${CMAKE_BINARY_DIR}/mpicc_abi)
    file(WRITE ${found} "#!/bin/sh
# ${CMAKE_C_COMPILER} for MPI-5's ABI; made by Tutti's cmake/abi.cmake
case \${1:-} in
-show)
    echo '${CMAKE_C_COMPILER} -I${header} ${library}'
    exit ;;
-showme*) exit 1 ;;
esac
exec ${CMAKE_C_COMPILER} -I${header} \"$@\" ${library}
")
    file(CHMOD ${found} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
set(MPI_C_COMPILER ${found} CACHE FILEPATH "the MPI's compiler wrapper")
