# SPDX-License-Identifier: BSD-3-Clause
# The Fortran module `tutti` over mpi_f08 and libtutti_fortran, if the MPI has a Fortran compiler with that module.
# Its collectives are made of collectives.def and algos.def: add_f08_collective (a row) sets TUTTI_F08_PARAMETERS, macros
# for src/f08/collectives.c; add_f08_calls (a row and an algorithm) TUTTI_F08_INTERFACES, the module's interfaces.

# What the parameter is in Fortran (declaration, @COUNT@, @DISPL@ and @ASYNCHRONOUS@ to be replaced), in C, and the value.
function(f08_parameter parameter)
    set(async "")
    if(parameter MATCHES "^(const )?void [*]([a-z]+)$")
        set(name ${CMAKE_MATCH_2})
        set(c "const CFI_cdesc_t *${name}")
        set(side recv)
        set(intent "")
        if(CMAKE_MATCH_1)
            set(side send)
            set(intent ", intent(in)")
        endif()
        set(value call.${side})
        set(type "type(*), dimension(..)${intent}@ASYNCHRONOUS@ :: ${name}")
        set(f08_${side} ${name} PARENT_SCOPE)
    elseif(parameter MATCHES "^const (COUNT|DISPL|MPI_Aint) ([a-z_]+)\\[\\]$")
        set(name ${CMAKE_MATCH_2})
        set(c "const ${CMAKE_MATCH_1} ${name}[]")
        set(value ${name})
        string(REPLACE MPI_Aint "integer(MPI_ADDRESS_KIND)" kind ${CMAKE_MATCH_1})
        string(REGEX REPLACE "^(COUNT|DISPL)$" "@\\1@" kind ${kind})
        set(type "${kind}, intent(in)@ASYNCHRONOUS@ :: ${name}(*)")
    elseif(parameter MATCHES "^const MPI_Datatype ((send|recv)types)\\[\\]$")
        set(name ${CMAKE_MATCH_1})
        set(c "const CFI_cdesc_t *${name}")
        set(value call.${name})
        set(type "type(MPI_Datatype), intent(in) :: ${name}(:)")
        set(f08_${name} ${name} PARENT_SCOPE)
    elseif(parameter MATCHES "^(COUNT|int) ([a-z]+)$")
        set(name ${CMAKE_MATCH_2})
        string(REPLACE int MPI_Fint c "const ${CMAKE_MATCH_1} *${name}")
        set(value "*${name}")
        string(REPLACE int integer kind ${CMAKE_MATCH_1})
        string(REPLACE COUNT "@COUNT@" kind ${kind})
        set(type "${kind}, intent(in) :: ${name}")
    elseif(parameter MATCHES "^MPI_(Comm|Datatype|Op) ([a-z]+)$")
        set(name ${CMAKE_MATCH_2})
        set(c "const MPI_Fint *${name}")
        string(TOLOWER "f08_${CMAKE_MATCH_1}(${name})" value)
        set(type "type(MPI_${CMAKE_MATCH_1}), intent(in) :: ${name}")
    else()
        message(FATAL_ERROR "collectives.def: what is the parameter `${parameter}` in Fortran?")
    endif()
    foreach(result name c value type)
        set(f08_${result} "${${result}}" PARENT_SCOPE)
    endforeach()
endfunction()

# Sets unused_SIDE: the condition on the count by which no element of the buffer is touched. Where only the other side has a
# count (reduce_scatter_block) it is for both. Counts of each rank are not looked at.
macro(f08_unused side other)
    set(unused_${side} false)
    if("${side}count" IN_LIST names)
        set(unused_${side} "*${side}count == 0")
    elseif("count" IN_LIST names)
        set(unused_${side} "*count == 0")
    elseif("${other}count" IN_LIST names AND NOT "${side}counts" IN_LIST names)
        set(unused_${side} "*${other}count == 0")
    endif()
endmacro()

# add_f08_collective(name parameters): sets f08_names and f08_types for add_f08_calls
function(add_f08_collective collective parameters)
    foreach(argument send recv sendtypes recvtypes)
        set(f08_${argument} NULL)
    endforeach()
    foreach(list names types cs values)
        set(${list} "")
    endforeach()
    string(REPLACE ", " ";" parameters "${parameters}")
    foreach(parameter ${parameters})
        f08_parameter("${parameter}")
        list(APPEND names ${f08_name})
        list(APPEND types "${f08_type}")
        list(APPEND cs "${f08_c}")
        list(APPEND values "${f08_value}")
    endforeach()
    f08_unused(send recv)
    f08_unused(recv send)
    list(JOIN names ", " names)
    list(JOIN types "\n    " types)
    list(JOIN cs ", " cs)
    list(JOIN values ", " values)
    set(f08_names "${names}" PARENT_SCOPE)
    set(f08_types "${types}" PARENT_SCOPE)
    string(APPEND TUTTI_F08_PARAMETERS
        "#define F08_PARAMETERS_${collective}(COUNT, DISPL) ${cs}\n"
        "#define F08_SEND_${collective} {${f08_send}, ${f08_sendtypes}, ${unused_send}}\n"
        "#define F08_RECV_${collective} {${f08_recv}, ${f08_recvtypes}, ${unused_recv}}\n"
        "#define F08_VALUES_${collective} ${values}\n")
    set(TUTTI_F08_PARAMETERS "${TUTTI_F08_PARAMETERS}" PARENT_SCOPE)
endfunction()

# One interface: `more` are arguments behind the communicator, with their declarations.
function(f08_interface name symbol asynchronous more declarations)
    string(REPLACE "@ASYNCHRONOUS@" "${asynchronous}" types "${f08_types}")
    string(APPEND TUTTI_F08_INTERFACES "subroutine ${name}( &\n    ${f08_names}${more}, ierror) &\n"
        "    bind(C, name=\"tutti_f08_${symbol}\")\n    import\n    ${types}\n${declarations}"
        "    integer, optional, intent(out) :: ierror\nend subroutine\n")
    set(TUTTI_F08_INTERFACES "${TUTTI_F08_INTERFACES}" PARENT_SCOPE)
endfunction()

# The three calls of one algorithm; suffix _c: with large counts
function(add_f08_calls name Name algorithm suffix)
    set(count integer)
    set(displ integer)
    if(suffix)
        set(count "integer(MPI_COUNT_KIND)")
        set(displ "integer(MPI_ADDRESS_KIND)")
    endif()
    string(REPLACE "@COUNT@" "${count}" f08_types "${f08_types}")
    string(REPLACE "@DISPL@" "${displ}" f08_types "${f08_types}")
    f08_interface(MPIX_${Name}_${algorithm}${suffix} ${name}_${algorithm}${suffix} "" "" "")
    f08_interface(MPIX_I${name}_${algorithm}${suffix} i${name}_${algorithm}${suffix} ", asynchronous"
        ", request" "    type(MPI_Request), intent(out) :: request\n")
    f08_interface(MPIX_${Name}_${algorithm}_init${suffix} ${name}_${algorithm}_init${suffix} ", asynchronous"
        ", info, request" "    type(MPI_Info), intent(in) :: info\n    type(MPIX_Request), intent(out) :: request\n")
    set(TUTTI_F08_INTERFACES "${TUTTI_F08_INTERFACES}" PARENT_SCOPE)
endfunction()

# Is there a compiler, and the MPI's mpi_f08 for it? Sets TUTTI_HAS_F08. Needs the C compiler's header of descriptors.
macro(find_f08)
    include(CheckIncludeFile)
    include(CheckLanguage)
    set(TUTTI_HAS_F08 FALSE)
    check_include_file(ISO_Fortran_binding.h TUTTI_HAS_DESCRIPTORS)
    if(TUTTI_HAS_DESCRIPTORS)
        check_language(Fortran)
    endif()
    if(CMAKE_Fortran_COMPILER)
        enable_language(Fortran)
        # of the same MPI: whatever else is called mpifort may be another one's
        if(NOT MPI_Fortran_COMPILER AND MPI_C_COMPILER MATCHES "^(.*)mpicc([^/]*)$")
            set(MPI_Fortran_COMPILER "${CMAKE_MATCH_1}mpifort${CMAKE_MATCH_2}")
        endif()
        if(MPI_Fortran_COMPILER)
            find_package(MPI QUIET COMPONENTS Fortran)
        endif()
        if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
            set(TUTTI_HAS_F08 TRUE)
        endif()
    endif()
    if(NOT TUTTI_HAS_F08)
        message(STATUS "Without the Fortran module: no compiler, no mpi_f08 (Debian: gfortran), or no ISO_Fortran_binding.h")
    endif()
endmacro()

# Tutti::fortran. The MPI's options for Fortran are none for C: so the module is compiled by itself.
function(add_f08_library)
    file(CONFIGURE OUTPUT f08/parameters.h CONTENT "@TUTTI_F08_PARAMETERS@" @ONLY)
    configure_file(src/f08/tutti.F90.in f08/tutti.F90 @ONLY)
    add_library(tutti_module OBJECT ${PROJECT_BINARY_DIR}/f08/tutti.F90)
    target_link_libraries(tutti_module PRIVATE MPI::MPI_Fortran)
    set_target_properties(tutti_module PROPERTIES Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/include/fortran)
    # gfortran warns of LOGICAL in an interface of C
    target_compile_options(tutti_module PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-Wno-c-binding-type>)

    add_library(tutti_fortran SHARED src/f08/collectives.c src/f08/f08.c src/f08/library.c src/f08/requests.c
        $<TARGET_OBJECTS:tutti_module>)
    target_include_directories(tutti_fortran PRIVATE src ${PROJECT_BINARY_DIR})
    # modules of one compiler mean nothing to another
    string(TOLOWER "${CMAKE_Fortran_COMPILER_ID}" compiler)
    string(REGEX MATCH "^[0-9]+" version "${CMAKE_Fortran_COMPILER_VERSION}")
    set(TUTTI_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/fortran/${compiler}-${version}/tutti${TUTTI_SUFFIX})
    set(TUTTI_MODULE_DIR ${TUTTI_MODULE_DIR} PARENT_SCOPE)
    target_include_directories(tutti_fortran INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include/fortran>
        $<INSTALL_INTERFACE:${TUTTI_MODULE_DIR}>)
    set_target_properties(tutti_fortran PROPERTIES EXPORT_NAME fortran OUTPUT_NAME tutti_fortran${TUTTI_SUFFIX}
        VERSION ${TUTTI_ABI}.${PROJECT_VERSION} SOVERSION ${TUTTI_ABI} C_VISIBILITY_PRESET default LINKER_LANGUAGE C
        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/f08/exports.map BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH $ORIGIN)
    target_link_libraries(tutti_fortran PUBLIC tutti
        PRIVATE Threads::Threads ${MPI_Fortran_LIBRARIES} ${CMAKE_Fortran_IMPLICIT_LINK_LIBRARIES})
    target_link_options(tutti_fortran PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/f08/exports.map
        -Wl,--no-undefined)
endfunction()

# install_f08: the library, the module, and what pkg-config says
function(install_f08)
    add_library(Tutti::fortran ALIAS tutti_fortran)
    install(TARGETS tutti_fortran EXPORT TuttiTargets)
    install(FILES ${PROJECT_BINARY_DIR}/include/fortran/tutti.mod ${PROJECT_BINARY_DIR}/include/fortran/tutti_c.mod
        DESTINATION ${TUTTI_MODULE_DIR})
    configure_file(cmake/tutti_fortran.pc.in tutti_fortran${TUTTI_SUFFIX}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/tutti_fortran${TUTTI_SUFFIX}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
