# SPDX-License-Identifier: BSD-3-Clause
# FindMPI keeps libraries and include folders in the cache, and goes on with them when MPI_C_COMPILER names another
# MPI, or is a link to another one now: they are forgotten here. What this command line says has no type yet, and stays.

# The file that MPI_C_COMPILER is in the end, or nothing.
function(tutti_mpi_compiler result)
    set(compiler "")
    unset(found) # a project around this one may have such a variable
    if(MPI_C_COMPILER)
        find_program(found NAMES ${MPI_C_COMPILER} NO_CACHE)
        if(found)
            get_filename_component(compiler "${found}" REALPATH)
        endif()
    endif()
    set(${result} "${compiler}" PARENT_SCOPE)
endfunction()

tutti_mpi_compiler(mpi_compiler)
if(TUTTI_MPI_COMPILER AND mpi_compiler AND NOT mpi_compiler STREQUAL TUTTI_MPI_COMPILER AND NOT TARGET MPI::MPI_C)
    get_cmake_property(names CACHE_VARIABLES)
    list(FILTER names INCLUDE REGEX "^MPI(_|EXEC_EXECUTABLE)")
    foreach(name IN LISTS names)
        get_property(type CACHE ${name} PROPERTY TYPE)
        if(NOT name STREQUAL "MPI_C_COMPILER" AND NOT type STREQUAL "UNINITIALIZED")
            unset(${name} CACHE)
        endif()
    endforeach()
endif()
