# SPDX-License-Identifier: BSD-3-Clause
# TUTTI_MPI_ABI: a compiler wrapper for MPI-5's ABI, if none is named. MPICH 5 and Open MPI 6 have one, mpicc_abi, but
# Debian's do not work: of its header and library one is made here, in the build folder.
function(tutti_abi_wrapper result)
    foreach(name wrapper header library) # a project around this one may have such variables
        unset(${name})
    endforeach()
    find_program(wrapper mpicc_abi NO_CACHE)
    if(wrapper)
        set(${result} "${wrapper}" PARENT_SCOPE)
        return()
    endif()
    find_path(header mpi.h NO_CACHE NO_DEFAULT_PATH
        PATH_SUFFIXES openmpi/include/standard_abi mpi_abi_mpich/include mpi_abi/include
        PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib)
    find_library(library mpi_abi NO_CACHE)
    if(NOT header OR NOT library)
        message(FATAL_ERROR "Tutti: TUTTI_MPI_ABI is ON, but there is no mpicc_abi, nor the ABI's mpi.h and libmpi_abi.so where "
            "Debian has them. Say -DMPI_C_COMPILER=<the MPI's compiler wrapper for the ABI>.")
    endif()
    set(wrapper ${CMAKE_BINARY_DIR}/mpicc_abi)
    file(WRITE ${wrapper} "#!/bin/sh
# ${CMAKE_C_COMPILER} for MPI-5's ABI; made by Tutti's cmake/abi.cmake
case \${1:-} in
-show)
    echo '${CMAKE_C_COMPILER} -I${header} ${library}'
    exit ;;
-showme*) exit 1 ;;
esac
for argument; do # without linking: the library would be too much
    case \$argument in
    -c | -E | -S | -M | -MM) exec ${CMAKE_C_COMPILER} -I${header} \"$@\" ;;
    esac
done
exec ${CMAKE_C_COMPILER} -I${header} \"$@\" ${library}
")
    file(CHMOD ${wrapper} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(${result} "${wrapper}" PARENT_SCOPE)
endfunction()

# That of an earlier configure is made again: it may be an older Tutti's.
if(TUTTI_MPI_ABI AND (NOT MPI_C_COMPILER OR MPI_C_COMPILER STREQUAL "${CMAKE_BINARY_DIR}/mpicc_abi"))
    tutti_abi_wrapper(wrapper)
    set(MPI_C_COMPILER "${wrapper}" CACHE FILEPATH "the MPI's compiler wrapper")
endif()
