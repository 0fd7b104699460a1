# The bindings of other languages: the Fortran module, tutti.hpp, tutti.py. Included by CMakeLists.txt, after `mpi` is set.

# ---- Fortran
if(TUTTI_HAS_F08)
    add_executable(f08_tutti mpi/f08_tutti.F90)
    target_link_libraries(f08_tutti tutti_fortran MPI::MPI_Fortran)
    set_target_properties(f08_tutti PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
        Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fortran/f08_tutti)
    target_compile_options(f08_tutti PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-Wno-compare-reals>) # exact on purpose
    foreach(np 1 2 3)
        add_run(f08_tutti_${np} quick ${np} f08_tutti)
    endforeach()
    add_run(f08_tutti_5 long 5 f08_tutti)
    add_run(f08_tutti_thread_driver_2 quick 2 f08_tutti ${thread})
    get_property(tests DIRECTORY PROPERTY TESTS)
    list(FILTER tests INCLUDE REGEX "^f08_tutti_")
    set_tests_properties(${tests} PROPERTIES PASS_REGULAR_EXPRESSION "right")
    foreach(name power transpose)
        add_run(${name}_f08_3 quick 3 ${name}_f08)
    endforeach()
endif()
