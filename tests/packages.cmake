# What is installed, and how programs come to it. Included by CMakeLists.txt, after `mpi` is set.

# add_package_test(NAME ARGUMENT...): tests/check_NAME
function(add_package_test name)
    add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_${name} ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800 PROCESSORS 2 SKIP_RETURN_CODE 77
        ENVIRONMENT "YIELD=$<TARGET_FILE:ucx_yield>")
endfunction()

add_package_test(wrong_mpi ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})
add_package_test(lto ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})

# A plug-in that Tutti is part of is unloaded before MPI_Finalize.
add_executable(plugin_host mpi/plugin_host.c)
target_link_libraries(plugin_host MPI::MPI_C ${CMAKE_DL_LIBS})
set_target_properties(plugin_host PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
foreach(kind shared static)
    add_library(plugin_${kind} MODULE mpi/plugin.c)
    set_target_properties(plugin_${kind} PROPERTIES C_VISIBILITY_PRESET default
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    foreach(np 1 2 3)
        add_test(NAME dlclose_${kind}_${np} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/run ${np}
            $<TARGET_FILE:plugin_host> $<TARGET_FILE:plugin_${kind}>)
        set_tests_properties(dlclose_${kind}_${np} PROPERTIES TIMEOUT 60 PROCESSORS 2
            ENVIRONMENT "YIELD=$<TARGET_FILE:ucx_yield>")
    endforeach()
endforeach()
target_link_libraries(plugin_shared tutti)
target_link_libraries(plugin_static tutti_static)
if(mpi STREQUAL "mpich") # installs for both
    add_package_test(both_mpis ${PROJECT_SOURCE_DIR})
endif()
