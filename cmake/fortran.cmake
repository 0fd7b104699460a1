# SPDX-License-Identifier: BSD-3-Clause
# The collectives as Fortran calls them: all arguments are addresses, handles are integers. add_fortran is called for
# each row of collectives.def and follows from the kinds of the row's parameters alone. It makes TUTTI_FORTRAN, a table
# for src/pmpi/fortran_collectives.c:
#
#   FORTRAN_CHOICE(name, Name, NAME, (parameters), (arguments), converts, (values))
#
#   NAME         name in capitals
#   parameters   of the Fortran call, up to the communicator
#   arguments    their names
#   converts     makes arrays of datatypes for that, and is false without memory
#   values       what C gets for them
#
# A row without buffers, which MPI calls choice arguments, is a FORTRAN_PLAIN: MPICH's mpi_f08 treats it otherwise.
# And TUTTI_FORTRAN_ROWS, the same calls written in Fortran, for tests/mpi/plain_fortran_rows.F90.

# What the parameter of the collective `row` is in Fortran: sets fortran, argument, converts and value.
function(fortran_parameter row parameter)
    set(converts "")
    if(parameter MATCHES "^(const )?void [*]([a-z]+)$")
        set(argument ${CMAKE_MATCH_2})
        set(fortran "${parameter}")
        set(value "fortran_buffer(${argument})")
    elseif(parameter MATCHES "^const (COUNT|DISPL) ([a-z]+)\\[\\]$")
        set(argument ${CMAKE_MATCH_2})
        set(fortran "const MPI_Fint *${argument}")
        set(value "${argument}")
    elseif(parameter MATCHES "^const MPI_Aint ([a-z_]+)\\[\\]$")
        set(argument ${CMAKE_MATCH_1})
        set(fortran "const MPI_Aint *${argument}")
        set(value "${argument}")
    elseif(parameter MATCHES "^const MPI_Datatype (send|recv)types\\[\\]$")
        set(side ${CMAKE_MATCH_1})
        set(argument ${side}types)
        set(fortran "const MPI_Fint *${argument}")
        set(peers "RANKS")
        if(row MATCHES "^neighbor_")
            string(TOUPPER "${side}_NEIGHBORS" peers)
        endif()
        set(value "types.${side}")
        set(converts "fortran_types(&types.${side}, ${argument}, fortran_buffer(${side}buf), *comm, ${peers})")
    elseif(parameter MATCHES "^(COUNT|int) ([a-z]+)$")
        set(argument ${CMAKE_MATCH_2})
        set(fortran "const MPI_Fint *${argument}")
        set(value "*${argument}")
    elseif(parameter MATCHES "^MPI_(Comm|Datatype|Op) ([a-z]+)$")
        set(argument ${CMAKE_MATCH_2})
        set(fortran "const MPI_Fint *${argument}")
        string(TOLOWER "fortran_${CMAKE_MATCH_1}(*${argument})" value)
    else()
        message(FATAL_ERROR "collectives.def: what is the parameter `${parameter}` of ${row} in Fortran?")
    endif()
    set(fortran "${fortran}" PARENT_SCOPE)
    set(argument "${argument}" PARENT_SCOPE)
    set(converts "${converts}" PARENT_SCOPE)
    set(value "${value}" PARENT_SCOPE)
endfunction()

# Add to TUTTI_FORTRAN_ROWS the call of one form, as it is and with MPI_IN_PLACE.
function(fortran_call form called arguments in_place where more)
    string(REPLACE ";" ", " arguments "${arguments}")
    string(REPLACE ";" ", " in_place "${in_place}")
    string(APPEND TUTTI_FORTRAN_ROWS
        "            if (form == ${form} .and. .not. (${where})) call ${called}(${arguments}${more}, ierror)\n")
    if(in_place)
        string(APPEND TUTTI_FORTRAN_ROWS
            "            if (form == ${form} .and. ${where}) call ${called}(${in_place}${more}, ierror)\n")
    endif()
    set(TUTTI_FORTRAN_ROWS "${TUTTI_FORTRAN_ROWS}" PARENT_SCOPE)
endfunction()

# A `case` of the row's name, with the calls of its three forms.
function(fortran_case name Name send recv arguments)
    set(init MPI_)
    if(NOT TUTTI_HAVE_MPI4_PERSISTENT)
        set(init MPIX_)
    endif()
    set(in_place "")
    set(where in_place)
    if("root" IN_LIST arguments)
        set(where "in_place .and. rank == root")
    endif()
    string(APPEND TUTTI_FORTRAN_ROWS "        case (\"${name}\")\n")
    if("sendbuf" IN_LIST arguments AND NOT name MATCHES "^neighbor_")
        set(buffer sendbuf)
        if("root" IN_LIST arguments AND recv STREQUAL "ONE" AND NOT send STREQUAL "ONE") # the root of a scatter keeps its block
            set(buffer recvbuf)
        endif()
        string(REPLACE "${buffer}" "MPI_IN_PLACE" in_place "${arguments}")
    else()
        string(APPEND TUTTI_FORTRAN_ROWS "            if (in_place) exit\n")
    endif()
    fortran_call(BLOCKING MPI_${Name} "${arguments}" "${in_place}" "${where}" "")
    fortran_call(NONBLOCKING MPI_I${name} "${arguments}" "${in_place}" "${where}" ", request")
    fortran_call(PERSISTENT ${init}${Name}_init "${arguments}" "${in_place}" "${where}" ", MPI_INFO_NULL, request")
    set(TUTTI_FORTRAN_ROWS "${TUTTI_FORTRAN_ROWS}" PARENT_SCOPE)
endfunction()

# The row with what one rank sends and receives, and its parameters.
function(add_fortran name Name send recv parameters)
    foreach(list fortrans arguments values) # not the caller's
        set(${list} "")
    endforeach()
    set(conversions true)
    string(TOUPPER "${name}" NAME)
    string(REPLACE ", " ";" parameters "${parameters}")
    foreach(parameter ${parameters})
        fortran_parameter(${name} "${parameter}")
        list(APPEND fortrans "${fortran}")
        list(APPEND arguments ${argument})
        list(APPEND values "${value}")
        if(converts)
            string(APPEND conversions " && ${converts}")
        endif()
    endforeach()
    fortran_case(${name} ${Name} ${send} ${recv} "${arguments}")
    set(kind FORTRAN_PLAIN)
    if("${fortrans}" MATCHES "void [*]")
        set(kind FORTRAN_CHOICE)
    endif()
    foreach(list fortrans arguments values)
        string(REPLACE ";" ", " ${list} "${${list}}")
    endforeach()
    string(APPEND TUTTI_FORTRAN
        "${kind}(${name}, ${Name}, ${NAME},\n    (${fortrans}),\n    (${arguments}),\n    ${conversions},\n    (${values}))\n")
    set(TUTTI_FORTRAN "${TUTTI_FORTRAN}" PARENT_SCOPE)
    set(TUTTI_FORTRAN_ROWS "${TUTTI_FORTRAN_ROWS}" PARENT_SCOPE)
endfunction()
