# SPDX-License-Identifier: BSD-3-Clause
# What is installed, and how programs come to it. Included by CMakeLists.txt, after `mpi` is set.

add_check(wrong_mpi long ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})
add_check(abi quick ${PROJECT_BINARY_DIR}/tutti.map)
if(TUTTI_BUILD_SIM_TESTS)
    add_check(add_algorithm long ${PROJECT_SOURCE_DIR} ${mpi})
endif()

# A plug-in that Tutti is part of is unloaded before MPI_Finalize.
program(plugin_host plugin_host.c LIBRARIES MPI::MPI_C ${CMAKE_DL_LIBS})
module(plugin_shared plugin.c tutti)
module(plugin_static plugin.c tutti_static)
foreach(kind shared static)
    foreach(np 1 2 3)
        add_run(dlclose_${kind}_${np} quick ${np} "plugin_host $<TARGET_FILE:plugin_${kind}>")
    endforeach()
endforeach()
if(mpi STREQUAL "mpich") # no matter of the MPI, or for both
    add_check(lto long ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})
    add_check(subproject long ${PROJECT_SOURCE_DIR} ${mpi})
    add_check(both_mpis long ${PROJECT_SOURCE_DIR})
    add_check(debian long ${PROJECT_SOURCE_DIR})
    add_check(dist long ${PROJECT_SOURCE_DIR})
    add_test(NAME spdx COMMAND ${PROJECT_SOURCE_DIR}/packaging/spdx --check)
    set_tests_properties(spdx PROPERTIES LABELS quick)
else()
    add_check(lto range ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})
endif()
