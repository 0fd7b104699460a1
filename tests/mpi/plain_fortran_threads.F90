! SPDX-License-Identifier: BSD-3-Clause
! plain_fortran_threads.F90 - a Fortran program that knows nothing of Tutti, with two threads: each calls collectives on
! a communicator of its own, blocking, non-blocking and persistent, while the other one does. Run under libtutti_mpi.so,
! with `use mpi` and `use mpi_f08`.
#include "fortran_checks.inc"

module tests
    use checks
    implicit none
    integer, parameter :: THREADS = 2, REPEATS = 500, COUNT = 3
    HANDLE(MPI_Comm) :: own(THREADS)

contains

    subroutine open_communicators()
        integer :: t

        do t = 1, THREADS
            call MPI_Comm_dup(world, own(t), ierror)
            call MPI_Comm_set_errhandler(own(t), MPI_ERRORS_RETURN, ierror)
        end do
    end subroutine

    subroutine close_communicators()
        integer :: t

        do t = 1, THREADS
            call MPI_Comm_free(own(t), ierror)
        end do
    end subroutine

    ! How many results are wrong. Everything that changes is this thread's.
    integer function blocking(comm, salt) result(wrong)
        HANDLE(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: salt
        integer :: from(COUNT * ranks), to(COUNT * ranks), lengths(ranks), displs(ranks), i, error
        HANDLE(MPI_Datatype) :: types(ranks)

        wrong = 0
        from = [(salt + 100 * rank + (i - 1) / COUNT, i = 1, COUNT * ranks)]
        call MPI_Alltoall(from, COUNT, MPI_INTEGER, to, COUNT, MPI_INTEGER, comm, error)
        wrong = wrong + merge(0, 1, all(to == [(salt + 100 * ((i - 1) / COUNT) + rank, i = 1, COUNT * ranks)]))
        lengths = COUNT
        displs = [(4 * COUNT * (i - 1), i = 1, ranks)]
        types = MPI_INTEGER
        to = -1
        call MPI_Alltoallw(from, lengths, displs, types, to, lengths, displs, types, comm, error)
        wrong = wrong + merge(0, 1, all(to == [(salt + 100 * ((i - 1) / COUNT) + rank, i = 1, COUNT * ranks)]))
        call MPI_Reduce(rank + salt, to, 1, MPI_INTEGER, MPI_SUM, ranks - 1, comm, error)
        if (rank == ranks - 1) wrong = wrong + merge(0, 1, to(1) == ranks * salt + ranks * (ranks - 1) / 2)
        call MPI_Bcast(from, COUNT, MPI_INTEGER, 0, comm, error)
        wrong = wrong + merge(0, 1, all(from(:COUNT) == salt))
    end function

    integer function nonblocking(comm, salt) result(wrong)
        HANDLE(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: salt
        integer, asynchronous :: from, to(ranks), sum
        integer :: i, error
        logical :: flag
        HANDLE(MPI_Request) :: r(2)

        from = salt + rank
        call MPI_Iallgather(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, comm, r(1), error)
        call MPI_Iallreduce(from, sum, 1, MPI_INTEGER, MPI_SUM, comm, r(2), error)
        flag = .false.
        if (mod(salt, 2) == 0) then
            call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, error)
        else
            do while (.not. flag)
                call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, error)
            end do
        end if
        wrong = merge(0, 1, all(to == [(salt + i, i = 0, ranks - 1)]))
        wrong = wrong + merge(0, 1, sum == ranks * salt + ranks * (ranks - 1) / 2)
    end function

    integer function persistent(comm, salt) result(wrong)
        HANDLE(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: salt
        integer, asynchronous :: from, to(ranks)
        integer :: i, round, error
        HANDLE(MPI_Request) :: r

        wrong = 0
        call ALLGATHER_INIT(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, comm, MPI_INFO_NULL, r, error)
        do round = 1, ROUNDS
            from = salt + round + rank
            call MPI_Start(r, error)
            call MPI_Wait(r, MPI_STATUS_IGNORE, error)
            wrong = wrong + merge(0, 1, all(to == [(salt + round + i, i = 0, ranks - 1)]))
        end do
        call MPI_Request_free(r, error)
    end function

    subroutine two_threads_call_at_once()
        integer :: t, k, wrong, provided

        call MPI_Query_thread(provided, ierror)
        if (provided < MPI_THREAD_MULTIPLE) return
        wrong = 0
        !$omp parallel do num_threads(THREADS) schedule(static, 1) private(k) reduction(+: wrong)
        do t = 1, THREADS
            do k = 1, REPEATS
                wrong = wrong + blocking(own(t), 10000 * t + k) + nonblocking(own(t), 10000 * t + k)
                if (mod(k, 10) == t) wrong = wrong + persistent(own(t), 10000 * t + k)
            end do
        end do
        !$omp end parallel do
        call check(wrong == 0, "what the threads have received")
    end subroutine

end module

program plain_fortran_threads
    use tests
    implicit none

    call begin_tests(MPI_THREAD_MULTIPLE)
    call open_communicators()
    RUN(two_threads_call_at_once)
    call close_communicators()
    call end_tests()
end program
