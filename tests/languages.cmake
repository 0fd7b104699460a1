# SPDX-License-Identifier: BSD-3-Clause
# The bindings of other languages: the Fortran module, tutti.hpp, tutti.py. Included by CMakeLists.txt, after `mpi` is set.

# ---- Fortran
if(TUTTI_HAS_F08)
    add_executable(f08_tutti mpi/f08_tutti.F90)
    target_link_libraries(f08_tutti tutti_fortran MPI::MPI_Fortran)
    set_target_properties(f08_tutti PROPERTIES
        Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fortran/f08_tutti)
    target_compile_options(f08_tutti PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-Wno-compare-reals>) # exact on purpose
    foreach(np 1 2 3 4)
        add_run(f08_tutti_${np} quick ${np} f08_tutti)
    endforeach()
    add_run(f08_tutti_5 long 5 f08_tutti)
    add_run(f08_tutti_thread_driver_2 quick 2 f08_tutti ${thread})
    get_property(tests DIRECTORY PROPERTY TESTS)
    list(FILTER tests INCLUDE REGEX "^f08_tutti_")
    set_tests_properties(${tests} PROPERTIES PASS_REGULAR_EXPRESSION "right")
    add_check(f08 quick $<TARGET_FILE:tutti_fortran> ${PROJECT_BINARY_DIR}/f08/tutti.F90)
    foreach(name halo power transpose)
        add_run(${name}_f08_3 quick 3 ${name}_f08)
    endforeach()
endif()

# ---- Python: with Debian's mpi4py
add_check(python quick $<TARGET_FILE:tutti> ${PROJECT_SOURCE_DIR} ${mpi})
add_check(wheel long $<TARGET_FILE:tutti> ${PROJECT_SOURCE_DIR} ${mpi})

# ---- C++
add_check(cxx quick $<TARGET_FILE:tutti> ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})
if(TARGET histogram)
    add_run(histogram_3 quick 3 "histogram 10000")
    set_tests_properties(histogram_3 PROPERTIES PASS_REGULAR_EXPRESSION "(240000|23[0-9][0-9][0-9][0-9]) numbers")
endif()

# ---- as installed: the programs of docs/languages.md
if(NOT TUTTI_SUFFIX)
    add_check(languages long ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${mpi})
endif()
