# SPDX-License-Identifier: BSD-3-Clause
# The calls of all collectives written in Fortran, for tests/mpi/plain_fortran_rows.F90: add_fortran is called for each
# row of collectives.def, and makes TUTTI_FORTRAN_ROWS.

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

# The row with what one rank sends and receives, and its parameters, whose names the Fortran calls have, too.
function(add_fortran name Name send recv parameters)
    string(REGEX REPLACE "\\[\\]" "" arguments "${parameters}")
    string(REGEX REPLACE "[^,]*[ *]([a-z_]+)(, |$)" "\\1;" arguments "${arguments}")
    list(REMOVE_ITEM arguments "")
    fortran_case(${name} ${Name} ${send} ${recv} "${arguments}")
    set(TUTTI_FORTRAN_ROWS "${TUTTI_FORTRAN_ROWS}" PARENT_SCOPE)
endfunction()
