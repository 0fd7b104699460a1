# SPDX-License-Identifier: BSD-3-Clause
# What users link with, and where it is installed. Names end in TUTTI_SUFFIX, so that builds for several
# MPIs can share a prefix; the CMake package is one for all of them.
set(TUTTI_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
if(TUTTI_SUFFIX)
    string(APPEND TUTTI_INCLUDEDIR /tutti${TUTTI_SUFFIX})
endif()
set(TUTTI_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Tutti)

foreach(target tutti tutti_static tutti_mpi)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
        $<INSTALL_INTERFACE:${TUTTI_INCLUDEDIR}>)
    add_library(Tutti::${target} ALIAS ${target})
endforeach()
install(TARGETS tutti tutti_static tutti_mpi EXPORT TuttiTargets)
install(FILES ${PROJECT_BINARY_DIR}/include/tutti.h ${PROJECT_BINARY_DIR}/include/tutti_pmpix.h
    ${PROJECT_BINARY_DIR}/include/tutti_mpi.h
    ${PROJECT_SOURCE_DIR}/include/tutti.hpp
    DESTINATION ${TUTTI_INCLUDEDIR})

# An mpi.h that is found before the MPI's: by -I, since CMake names the MPI's directory by -isystem.
# Not by -include tutti_mpi.h: a program's #define _GNU_SOURCE would come too late.
set(TUTTI_MPI_CFLAGS "")
if(NOT TUTTI_HAVE_MPI4_PERSISTENT)
    target_compile_options(tutti_mpi INTERFACE
        $<BUILD_INTERFACE:-I${PROJECT_SOURCE_DIR}/include/tutti_mpi>
        $<INSTALL_INTERFACE:-I$<INSTALL_PREFIX>/${TUTTI_INCLUDEDIR}/tutti_mpi>)
    install(FILES include/tutti_mpi/mpi.h DESTINATION ${TUTTI_INCLUDEDIR}/tutti_mpi)
    set(TUTTI_MPI_CFLAGS "-I\${includedir}/tutti_mpi ")
endif()

# CMake: each build has a folder, in which TuttiBuild.cmake says for which MPI it is; TuttiConfig.cmake
# takes the one that fits
install(EXPORT TuttiTargets NAMESPACE Tutti:: DESTINATION ${TUTTI_CMAKE_DIR}/tutti${TUTTI_SUFFIX})
configure_file(cmake/TuttiBuild.cmake.in TuttiBuild.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/TuttiBuild.cmake DESTINATION ${TUTTI_CMAKE_DIR}/tutti${TUTTI_SUFFIX})
configure_package_config_file(cmake/TuttiConfig.cmake.in TuttiConfig.cmake
    INSTALL_DESTINATION ${TUTTI_CMAKE_DIR})
write_basic_package_version_file(TuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TuttiConfig.cmake ${PROJECT_BINARY_DIR}/TuttiConfigVersion.cmake
    cmake/which_mpi.cmake cmake/which_mpi.c.in
    DESTINATION ${TUTTI_CMAKE_DIR})

# pkg-config
file(RELATIVE_PATH TUTTI_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(package tutti tutti_mpi)
    configure_file(cmake/${package}.pc.in ${package}${TUTTI_SUFFIX}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}${TUTTI_SUFFIX}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(TUTTI_HAS_F08)
    install_f08()
endif()

# Python's module finds the library of mpi4py's MPI from where it is itself: one for all builds
set(TUTTI_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where tutti.py is installed")
install(FILES python/tutti.py DESTINATION ${TUTTI_PYTHON_DIR})

# install_program TARGET: programs find the library from where they are themselves
file(RELATIVE_PATH TUTTI_LIB_FROM_BIN /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
function(install_program target)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${target}${TUTTI_SUFFIX}
        INSTALL_RPATH $ORIGIN/${TUTTI_LIB_FROM_BIN})
    install(TARGETS ${target})
endfunction()

# documents, and the examples' sources, which build with find_package(Tutti)
set(TUTTI_DOCDIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/tutti)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_INSTALL_DOCDIR STREQUAL "${CMAKE_INSTALL_DATAROOTDIR}/doc/${PROJECT_NAME}")
    set(TUTTI_DOCDIR ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES LICENSE README.md CHANGELOG.md AUTHORS CITATION.cff SECURITY.md DESTINATION ${TUTTI_DOCDIR})
install(DIRECTORY docs DESTINATION ${TUTTI_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.svg
    PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${TUTTI_DOCDIR} PATTERN demo EXCLUDE)

# the module file finds the prefix from where it is itself
set(TUTTI_MODULEFILES ${CMAKE_INSTALL_DATAROOTDIR}/modulefiles/tutti${TUTTI_SUFFIX})
file(RELATIVE_PATH TUTTI_MODULE_PREFIX /${TUTTI_MODULEFILES} /)
configure_file(packaging/modulefile.in modulefile/${PROJECT_VERSION} @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile/${PROJECT_VERSION} DESTINATION ${TUTTI_MODULEFILES})

if(PROJECT_IS_TOP_LEVEL)
    include(cmake/dist.cmake)
endif()
