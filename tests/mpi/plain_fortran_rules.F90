! SPDX-License-Identifier: BSD-3-Clause
! plain_fortran_rules.F90 - a Fortran program that knows nothing of Tutti: errors, what is freed while it is in use,
! buffers of all kinds, intercommunicators, and a last argument that is left out. Run under libtutti_mpi.so, with
! `use mpi` and `use mpi_f08`.
#include "fortran_checks.inc"

module tests
    use checks
    implicit none
    integer :: calls_of_handler = 0

contains

    ! ---- errors ----

    subroutine errors_are_returned()
        HANDLE(MPI_Request) :: r

        call MPI_Allgather(mine, -1, MPI_INTEGER, every, 1, MPI_INTEGER, world, ierror)
        call check_class(ierror, MPI_ERR_COUNT, "negative count")
        call MPI_Iallgather(mine, 1, MPI_INTEGER, every, 1, MPI_DATATYPE_NULL, world, r, ierror)
        call check_class(ierror, MPI_ERR_TYPE, "null type")
        call ALLGATHER_INIT(mine, -1, MPI_INTEGER, every, 1, MPI_INTEGER, world, MPI_INFO_NULL, r, ierror)
        call check_class(ierror, MPI_ERR_COUNT, "negative count, persistent")
        call MPI_Bcast(every, 1, MPI_INTEGER, ranks, world, ierror)
        call check_class(ierror, MPI_ERR_ROOT, "no such root")
        call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_OP_NULL, world, ierror)
        call check_class(ierror, MPI_ERR_OP, "null operation")
        call ALLGATHER_INIT(mine, 1, MPI_INTEGER, every, 1, MPI_INTEGER, world, MPI_INFO_NULL, r, ierror)
        call MPI_Cancel(r, ierror)
        call check_class(ierror, MPI_ERR_REQUEST, "a collective cannot be cancelled")
        call MPI_Start(r, ierror)
        call MPI_Start(r, ierror)
        call check_class(ierror, MPI_ERR_REQUEST, "it has been started")
        call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
        call MPI_Request_free(r, ierror)
    end subroutine

    subroutine handler(comm, error)
        HANDLE(MPI_Comm) :: comm
        integer :: error

        if (comm == world .and. error /= MPI_SUCCESS) calls_of_handler = calls_of_handler + 1
    end subroutine

    subroutine the_programs_handler_is_called()
        HANDLE(MPI_Errhandler) :: own

        call MPI_Comm_create_errhandler(handler, own, ierror)
        call MPI_Comm_set_errhandler(world, own, ierror)
        calls_of_handler = 0
        call MPI_Alltoall(mine, -1, MPI_INTEGER, every, 1, MPI_INTEGER, world, ierror)
        call check_class(ierror, MPI_ERR_COUNT, "negative count")
        call check(calls_of_handler == 1, "called once")
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, ierror)
        call MPI_Errhandler_free(own, ierror)
    end subroutine

    ! ---- freed early ----

    subroutine last_digits(in, inout, length, datatype)
        use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
#ifdef F08
        type(c_ptr), value :: in, inout
        integer :: length
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)

        call c_f_pointer(in, a, [length])
        call c_f_pointer(inout, b, [length])
        b = mod(a + b, 10)
#else
        integer :: length, datatype, in(length), inout(length)

        inout = mod(in + inout, 10)
#endif
    end subroutine

    subroutine operations_and_types_are_freed_at_once()
        HANDLE(MPI_Op) :: op
        HANDLE(MPI_Datatype) :: second
        HANDLE(MPI_Request) :: r
        integer, asynchronous :: spread(6)
        integer :: i, form

        do form = 1, 2
            call MPI_Op_create(last_digits, .true., op, ierror)
            one = 7
            if (form == 1) call MPI_Iallreduce(one, total, 1, MPI_INTEGER, op, world, r, ierror)
            if (form == 2) call ALLREDUCE_INIT(one, total, 1, MPI_INTEGER, op, world, MPI_INFO_NULL, r, ierror)
            call MPI_Op_free(op, ierror)
            call check(ierror == MPI_SUCCESS .and. op == MPI_OP_NULL, "free an operation")
            if (form == 2) call MPI_Start(r, ierror)
            call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
            call check(total == mod(7 * ranks, 10), "sum")
            if (form == 2) call MPI_Request_free(r, ierror)

            call MPI_Type_vector(3, 1, 2, MPI_INTEGER, second, ierror)
            call MPI_Type_commit(second, ierror)
            spread = [(10 * rank + i, i = 1, 6)]
            every = -1
            if (form == 1) call MPI_Iallgather(spread, 1, second, every, 3, MPI_INTEGER, world, r, ierror)
            if (form == 2) call ALLGATHER_INIT(spread, 1, second, every, 3, MPI_INTEGER, world, &
                MPI_INFO_NULL, r, ierror)
            call MPI_Type_free(second, ierror)
            call check(ierror == MPI_SUCCESS .and. second == MPI_DATATYPE_NULL, "free a type")
            if (form == 2) call MPI_Start(r, ierror)
            call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
            call check(all(every(:3 * ranks) == [(10 * (i / 3) + 2 * mod(i, 3) + 1, i = 0, 3 * ranks - 1)]), "second ones")
            if (form == 2) call MPI_Request_free(r, ierror)
        end do
    end subroutine

    ! ---- buffers ----

    ! From MPI_BOTTOM the type says where.
    subroutine bottom_is_an_address()
        HANDLE(MPI_Datatype) :: there
        integer(MPI_ADDRESS_KIND) :: address(1)

        call MPI_Get_address(mine, address(1), ierror)
        call MPI_Type_create_hindexed(1, [1], address, MPI_INTEGER, there, ierror)
        call MPI_Type_commit(there, ierror)
        mine = 3 * rank + 1
        every = -1
        call MPI_Allgather(MPI_BOTTOM, 1, there, every, 1, MPI_INTEGER, world, ierror)
        call check(ierror == MPI_SUCCESS .and. every(ranks) == 3 * ranks - 2, "sent from MPI_BOTTOM")
        if (rank == 0) mine = 99
        call MPI_Bcast(MPI_BOTTOM, 1, there, 0, world, ierror)
        call check(mine == 99, "received at MPI_BOTTOM")
        call MPI_Type_free(there, ierror)
    end subroutine

    ! Every third element, while the array is not one piece; with MPICH's mpi_f08 also in the background.
    subroutine parts_of_arrays()
        integer, asynchronous :: part(15)
        HANDLE(MPI_Request) :: r
        integer :: i

        part = [(100 * rank + i, i = 1, 15)]
        call MPI_Allgather(part(1:15:3), 5, MPI_INTEGER, every, 5, MPI_INTEGER, world, ierror)
        call MPI_Bcast(part(2:15:3), 5, MPI_INTEGER, ranks - 1, world, ierror)
        call check_parts(part)
#if defined F08 && !defined OPEN_MPI
        part = [(100 * rank + i, i = 1, 15)]
        call MPI_Iallgather(part(1:15:3), 5, MPI_INTEGER, every, 5, MPI_INTEGER, world, r, ierror)
        call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
        call MPI_Ibcast(part(2:15:3), 5, MPI_INTEGER, ranks - 1, world, r, ierror)
        call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
        call check_parts(part)
#endif
    end subroutine

    subroutine check_parts(part)
        integer, intent(in) :: part(15)
        integer :: i

        call check(all(every(5 * ranks - 4:5 * ranks) == [(100 * (ranks - 1) + i, i = 1, 15, 3)]), "sent")
        call check(all(part(2:15:3) == [(100 * (ranks - 1) + i, i = 2, 15, 3)]), "received")
        call check(all(part(3:15:3) == [(100 * rank + i, i = 3, 15, 3)]), "the gaps")
    end subroutine

    ! ---- others' ----

    subroutine intercommunicators_work()
        HANDLE(MPI_Comm) :: half, inter
        HANDLE(MPI_Request) :: r
        integer :: colour, theirs, i

        if (ranks < 2) return
        colour = mod(rank, 2)
        call MPI_Comm_split(world, colour, 0, half, ierror)
        call MPI_Intercomm_create(half, 0, world, 1 - colour, 7, inter, ierror)
        call MPI_Comm_remote_size(inter, theirs, ierror)
        mine = rank
        every = -1
        call MPI_Allgather(mine, 1, MPI_INTEGER, every, 1, MPI_INTEGER, inter, ierror)
        call check(all(every(:theirs) == [(2 * i + 1 - colour, i = 0, theirs - 1)]), "blocking")
        every = -1
        call MPI_Iallgather(mine, 1, MPI_INTEGER, every, 1, MPI_INTEGER, inter, r, ierror)
        call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
        call check(all(every(:theirs) == [(2 * i + 1 - colour, i = 0, theirs - 1)]), "non-blocking")
        call MPI_Comm_free(inter, ierror)
        call MPI_Comm_free(half, ierror)
    end subroutine

    ! mpi_f08 lets a program leave the last argument out.
    subroutine the_error_may_be_left_out()
#ifdef F08
        type(MPI_Request) :: r(2)
        integer :: i, some, indices(2)
        logical :: flag

        one = 1
        call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, world)
        call MPI_Barrier(world)
        call MPI_Ibarrier(world, r(1))
        call MPI_Wait(r(1), MPI_STATUS_IGNORE)
        call ALLREDUCE_INIT(one, total, 1, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, r(1))
        r(2) = MPI_REQUEST_NULL
        call MPI_Start(r(1))
        call MPI_Wait(r(1), MPI_STATUS_IGNORE)
        call MPI_Test(r(1), flag, MPI_STATUS_IGNORE)
        call MPI_Request_get_status(r(1), flag, MPI_STATUS_IGNORE)
        call MPI_Startall(1, r)
        call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
        call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE)
        call MPI_Waitany(2, r, i, MPI_STATUS_IGNORE)
        call MPI_Testany(2, r, i, flag, MPI_STATUS_IGNORE)
        call MPI_Waitsome(2, r, some, indices, MPI_STATUSES_IGNORE)
        call MPI_Testsome(2, r, some, indices, MPI_STATUSES_IGNORE)
        call MPI_Request_free(r(1))
        call check(total == ranks, "sum")
#endif
    end subroutine

end module

program plain_fortran_rules
    use tests
    implicit none

    call begin_tests(MPI_THREAD_FUNNELED)
    RUN(errors_are_returned)
    RUN(the_programs_handler_is_called)
    RUN(operations_and_types_are_freed_at_once)
    RUN(bottom_is_an_address)
    RUN(parts_of_arrays)
    RUN(intercommunicators_work)
    RUN(the_error_may_be_left_out)
    call end_tests()
end program
