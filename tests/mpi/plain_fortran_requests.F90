! SPDX-License-Identifier: BSD-3-Clause
! plain_fortran_requests.F90 - a Fortran program that knows nothing of Tutti: requests of all kinds in one array,
! statuses, persistent requests. Run under libtutti_mpi.so, with `use mpi` and `use mpi_f08`.
#include "fortran_checks.inc"

! A persistent collective, a receive from anyone, a send, a collective and a null request: what the program gets of each
! does not depend on the others.
module mixture
    use checks
    implicit none
    integer, parameter :: N = 5, COLLECTIVE = 1, RECEIVE = 2, SEND = 3, SUM = 4, NONE = 5
    HANDLE(MPI_Request) :: requests(N)
    STATUSES(statuses, N)
    integer, asynchronous :: sent, got
    integer :: first = 1
    logical :: testany_works = .true.

contains

    ! The first index of an array, as the MPI counts: 0 in MPICH 4.0's mpi_f08. That of Open MPI 6.0.0rc2 says of null
    ! requests that none is complete, and sets no index.
    subroutine look_at_mpi()
        integer :: index

        requests = MPI_REQUEST_NULL
        call MPI_Testany(N, requests, index, testany_works, MPI_STATUS_IGNORE, ierror)
        call MPI_Irecv(got, 1, MPI_INTEGER, 0, TAG, MPI_COMM_SELF, requests(1), ierror)
        call MPI_Send(rank, 1, MPI_INTEGER, 0, TAG, MPI_COMM_SELF, ierror)
        call MPI_Waitany(1, requests, first, MPI_STATUS_IGNORE, ierror)
    end subroutine

    subroutine prepare()
        call look_at_mpi()
        requests(NONE) = MPI_REQUEST_NULL
        call ALLGATHER_INIT(mine, 1, MPI_INTEGER, every, 1, MPI_INTEGER, world, MPI_INFO_NULL, &
            requests(COLLECTIVE), ierror)
        call check(ierror == MPI_SUCCESS, "init")
    end subroutine

    ! The collective is started if it is to be.
    subroutine begin(round, started)
        integer, intent(in) :: round
        logical, intent(in) :: started

        mine = 100 * round + rank
        every = -1
        got = -1
        sent = 1000 * round + rank
        one = 1
        total = -1
        if (started) call MPI_Start(requests(COLLECTIVE), ierror)
        call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, requests(RECEIVE), ierror)
        call MPI_Isend(sent, 1, MPI_INTEGER, mod(rank + 1, ranks), TAG + round, world, requests(SEND), ierror)
        call MPI_Iallreduce(one, total, 1, MPI_INTEGER, MPI_SUM, world, requests(SUM), ierror)
    end subroutine

    subroutine check_data(round, started)
        integer, intent(in) :: round
        logical, intent(in) :: started
        integer :: i

        call check(got == 1000 * round + mod(rank + ranks - 1, ranks), "received")
        call check(total == ranks, "sum")
        if (started) call check(all(every(:ranks) == [(100 * round + i, i = 0, ranks - 1)]), "gathered")
        if (.not. started) call check(all(every == -1), "gathered without a start")
        call check(requests(COLLECTIVE) /= MPI_REQUEST_NULL, "the persistent one stays")
        do i = RECEIVE, NONE
            call check(requests(i) == MPI_REQUEST_NULL, "completed ones become null")
        end do
    end subroutine

    subroutine check_receive(round, i)
        integer, intent(in) :: round, i
        integer :: count

        call check(SOURCE_OF(statuses, i) == mod(rank + ranks - 1, ranks), "source")
        call check(TAG_OF(statuses, i) == TAG + round, "tag")
        call MPI_Get_count(STATUS_AT(statuses, i), MPI_INTEGER, count, ierror)
        call check(count == 1, "count")
    end subroutine

    subroutine check_empty(i)
        integer, intent(in) :: i
        integer :: count

        call check(SOURCE_OF(statuses, i) == MPI_ANY_SOURCE .and. TAG_OF(statuses, i) == MPI_ANY_TAG, "empty status")
        call MPI_Get_count(STATUS_AT(statuses, i), MPI_INTEGER, count, ierror)
        call check(count == 0, "count of an empty status")
    end subroutine

    subroutine finish()
        call MPI_Request_free(requests(COLLECTIVE), ierror)
        call check(ierror == MPI_SUCCESS .and. requests(COLLECTIVE) == MPI_REQUEST_NULL, "free")
    end subroutine

end module

module tests
    use mixture
    implicit none

contains

    ! As an index; the MPIs add 1 to that too: MPICH 4.0 but for mpi_f08, 4.2 for all; Open MPI 6 in get_status_any.
    logical function is_undefined(i)
        integer, intent(in) :: i

        is_undefined = i == MPI_UNDEFINED .or. i == MPI_UNDEFINED + 1
    end function

    ! ---- arrays of requests ----

    subroutine waitall_and_testall()
        integer :: round
        logical :: flag, started

        call prepare()
        do round = 1, ROUNDS
            started = mod(round, 2) == 1
            call begin(round, started)
            call MPI_Waitall(N, requests, statuses, ierror)
            call check(ierror == MPI_SUCCESS, "waitall")
            call check_receive(round, RECEIVE)
            call check_empty(COLLECTIVE)
            call check_empty(NONE)
            call check_data(round, started)
        end do
        call begin(1, .true.)
        call MPI_Waitall(N, requests, MPI_STATUSES_IGNORE, ierror)
        call check_data(1, .true.)
        do round = 1, ROUNDS
            call begin(round, .true.)
            flag = .false.
            do while (.not. flag)
                call MPI_Testall(N, requests, flag, statuses, ierror)
                call check(ierror == MPI_SUCCESS .and. any(transfer(flag, 0) == [0, 1]), "testall")
            end do
            call check_receive(round, RECEIVE)
            call check_data(round, .true.)
        end do
        call finish()
    end subroutine

    subroutine waitany_and_testany()
        integer :: round, i, k, seen(N)
        logical :: flag

        call prepare()
        do round = 1, ROUNDS
            call begin(round, .true.)
            seen = 0
            do k = 1, N - 1
                flag = .false.
                do while (.not. flag)
                    if (mod(round, 2) == 1 .or. .not. testany_works) then
                        call MPI_Waitany(N, requests, i, STATUS_AT(statuses, 1), ierror)
                        flag = .true.
                    else
                        call MPI_Testany(N, requests, i, flag, STATUS_AT(statuses, 1), ierror)
                    end if
                end do
                i = i + 1 - first
                call check(i >= 1 .and. i < N, "index")
                seen(i) = seen(i) + 1
                if (i == RECEIVE) call check_receive(round, 1)
                if (i == COLLECTIVE) call check_empty(1)
            end do
            call check(all(seen == [1, 1, 1, 1, 0]), "each once")
            call check_data(round, .true.)
            call MPI_Waitany(N, requests, i, MPI_STATUS_IGNORE, ierror)
            call check(is_undefined(i), "waitany has nothing to wait for")
            if (.not. testany_works) cycle
            call MPI_Testany(N, requests, i, flag, MPI_STATUS_IGNORE, ierror)
            call check(flag .and. is_undefined(i), "testany has nothing to wait for")
        end do
        call finish()
    end subroutine

    subroutine waitsome_and_testsome()
        integer :: round, k, some, left, indices(N), seen(N)

        call prepare()
        do round = 1, ROUNDS
            call begin(round, .true.)
            seen = 0
            left = N - 1
            do while (left > 0)
                if (mod(round, 2) == 1) then
                    call MPI_Waitsome(N, requests, some, indices, statuses, ierror)
                    call check(some > 0, "waitsome")
                else
                    call MPI_Testsome(N, requests, some, indices, statuses, ierror)
                end if
                indices = indices + 1 - first
                do k = 1, some
                    seen(indices(k)) = seen(indices(k)) + 1
                    if (indices(k) == RECEIVE) call check_receive(round, k)
                    if (indices(k) == COLLECTIVE) call check_empty(k)
                end do
                left = left - some
            end do
            call check(all(seen == [1, 1, 1, 1, 0]), "each once")
            call check_data(round, .true.)
            call MPI_Waitsome(N, requests, some, indices, MPI_STATUSES_IGNORE, ierror)
            call check(some == MPI_UNDEFINED, "waitsome has nothing to wait for")
        end do
        call finish()
    end subroutine

    ! ---- one request ----

    subroutine wait_test_and_get_status()
        integer :: round
        logical :: flag

        call prepare()
        call MPI_Test(requests(COLLECTIVE), flag, STATUS_AT(statuses, 1), ierror)
        call check(flag, "an inactive request is complete")
        call check_empty(1)
        do round = 1, ROUNDS
            call begin(round, .true.)
            flag = .false.
            do while (.not. flag)
                call MPI_Request_get_status(requests(COLLECTIVE), flag, STATUS_AT(statuses, 1), ierror)
            end do
            flag = .false.
            do while (.not. flag) ! not MPI_STATUS_IGNORE: then Open MPI's Fortran says false for ever
                call MPI_Request_get_status(requests(SUM), flag, STATUS_AT(statuses, 4), ierror)
            end do
            call MPI_Test(requests(COLLECTIVE), flag, STATUS_AT(statuses, 2), ierror)
            call check(flag, "test agrees with get_status")
            call check_empty(1)
            call check_empty(2)
            call MPI_Wait(requests(RECEIVE), STATUS_AT(statuses, 3), ierror)
            call check_receive(round, 3)
            call MPI_Wait(requests(SEND), MPI_STATUS_IGNORE, ierror)
            call MPI_Test(requests(SUM), flag, MPI_STATUS_IGNORE, ierror)
            call check(flag, "complete")
            call check_data(round, .true.)
        end do
        call finish()
    end subroutine

#ifdef TUTTI_HAVE_GET_STATUS_MANY
    subroutine get_status_of_several()
        integer :: round, i, k, some, indices(N), seen(N)
        logical :: flag

        requests = MPI_REQUEST_NULL
        call prepare()
        do round = 1, ROUNDS
            call MPI_Request_get_status_any(N, requests, i, flag, STATUS_AT(statuses, 1), ierror)
            call check(flag .and. is_undefined(i), "any of inactive ones")
            call check_empty(1)
            call MPI_Request_get_status_some(N, requests, some, indices, statuses, ierror)
            call check(some == MPI_UNDEFINED, "some of inactive ones")
            call begin(round, .true.)
            flag = .false.
            do while (.not. flag)
                call MPI_Request_get_status_all(N, requests, flag, statuses, ierror)
                call check(ierror == MPI_SUCCESS .and. any(transfer(flag, 0) == [0, 1]), "all")
            end do
            call check_receive(round, RECEIVE)
            call check_empty(COLLECTIVE)
            call check_empty(NONE)
            call MPI_Request_get_status_some(N, requests, some, indices, statuses, ierror)
            call check(ierror == MPI_SUCCESS .and. some == N - 1, "some")
            seen = 0
            do k = 1, min(some, N)
                seen(indices(k)) = seen(indices(k)) + 1
                if (indices(k) == RECEIVE) call check_receive(round, k)
                if (indices(k) == COLLECTIVE) call check_empty(k)
            end do
            call check(all(seen == [1, 1, 1, 1, 0]), "each once")
            call MPI_Request_get_status_any(N, requests, i, flag, STATUS_AT(statuses, 1), ierror)
            call check(flag .and. i >= 1 .and. i < N, "any")
            if (i == RECEIVE) call check_receive(round, 1)
            call MPI_Request_get_status_any(1, requests(COLLECTIVE:), i, flag, MPI_STATUS_IGNORE, ierror)
            call check(flag .and. i == 1, "any of one")
            call MPI_Waitall(N, requests, statuses, ierror)
            call check_receive(round, RECEIVE)
            call check_data(round, .true.)
        end do
        call finish()
    end subroutine
#endif

    subroutine startall_mixes_requests()
        HANDLE(MPI_Request) :: started(4)
        integer :: i, round

        call prepare()
        started(2) = requests(COLLECTIVE)
        call ALLREDUCE_INIT(one, total, 1, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, started(4), ierror)
        call MPI_Recv_init(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, started(1), ierror)
        call MPI_Send_init(sent, 1, MPI_INTEGER, mod(rank + 1, ranks), TAG, world, started(3), ierror)
        do round = 1, ROUNDS
            mine = round + rank
            sent = round - rank
            one = round
            call MPI_Startall(4, started, ierror)
            call check(ierror == MPI_SUCCESS, "startall")
            call MPI_Waitall(4, started, statuses, ierror)
            call check(got == round - mod(rank + ranks - 1, ranks), "received")
            call check(total == round * ranks, "sum")
            call check(all(every(:ranks) == [(round + i, i = 0, ranks - 1)]), "gathered")
        end do
        do i = 1, 4
            call MPI_Request_free(started(i), ierror)
            call check(started(i) == MPI_REQUEST_NULL, "free")
        end do
    end subroutine

    subroutine empty_arrays()
        integer :: i
        logical :: flag

        requests = MPI_REQUEST_NULL
        call MPI_Waitall(0, requests, MPI_STATUSES_IGNORE, ierror)
        call check(ierror == MPI_SUCCESS, "waitall of none")
        call MPI_Waitany(N, requests, i, MPI_STATUS_IGNORE, ierror)
        call check(is_undefined(i), "waitany of null requests")
        call MPI_Testall(N, requests, flag, MPI_STATUSES_IGNORE, ierror)
        call check(flag, "testall of null requests")
    end subroutine

end module

program plain_fortran_requests
    use tests
    implicit none

    call begin_tests(MPI_THREAD_FUNNELED)
    RUN(waitall_and_testall)
    RUN(waitany_and_testany)
    RUN(waitsome_and_testsome)
    RUN(wait_test_and_get_status)
#ifdef TUTTI_HAVE_GET_STATUS_MANY
    RUN(get_status_of_several)
#endif
    RUN(startall_mixes_requests)
    RUN(empty_arrays)
    call end_tests()
end program
