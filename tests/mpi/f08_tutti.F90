! SPDX-License-Identifier: BSD-3-Clause
! f08_tutti.F90 - the module `tutti` on mpi_f08: kinds, MPI_IN_PLACE, derived types, sections, operations of the
! program, large arrays, ierror present and absent, requests of every kind. Prints "right" on rank 0.
module sums
    use mpi_f08
    implicit none
contains
    ! 2 x 2 matrices, which do not commute
    subroutine multiply(invec, inoutvec, len, datatype)
        use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:, :, :), b(:, :, :)
        integer :: i

        if (datatype == MPI_DATATYPE_NULL) return
        call c_f_pointer(invec, a, [2, 2, len])
        call c_f_pointer(inoutvec, b, [2, 2, len])
        do i = 1, len
            b(:, :, i) = matmul(a(:, :, i), b(:, :, i))
        end do
    end subroutine
end module

program f08_tutti
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
    use mpi_f08
    use tutti
    use sums
    implicit none
    integer, parameter :: starts = 4
    integer :: rank, ranks, level, provided, wrong = 0, all_wrong
    character(len=8) :: threads

    call get_environment_variable("TEST_THREADS", threads)
    level = merge(MPI_THREAD_MULTIPLE, MPI_THREAD_SINGLE, threads == "multiple")
    call MPI_Init_thread(level, provided)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call tutti_init()
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call kinds_of_elements()
    call in_place()
    call derived_types()
    call sections()
    call operations()
    call large_counts()
    call arrays_of_requests()
    call typed_blocks()
    call halo()
    call errors()
    call the_library()
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0 .and. all_wrong == 0) print '(a)', "right"
    call MPI_Finalize()
    if (all_wrong > 0) stop 1

contains

    subroutine check(right, what)
        logical, intent(in) :: right
        character(len=*), intent(in) :: what

        if (right) return
        wrong = wrong + 1
        print '(a, i0, 2a)', "rank ", rank, ": wrong: ", what
    end subroutine

    subroutine kinds_of_elements()
        integer(int8), asynchronous :: bytes(3)
        integer(int8), allocatable, asynchronous :: all_bytes(:, :)
        real(real32), asynchronous :: mine, total
        real(real64), allocatable, asynchronous :: values(:), others(:)
        complex(real64), asynchronous :: c
        character(len=5), asynchronous :: word
        type(MPIX_Request) :: request
        type(MPI_Request) :: native
        integer :: start, i, ierror
        logical :: done

        allocate(all_bytes(3, 0:ranks - 1), values(1000 * ranks), others(1000 * ranks))
        call check(request == MPIX_REQUEST_NULL, "a new request is null")
        call MPIX_Allgather_auto_init(bytes, 3, MPI_INTEGER1, all_bytes, 3, MPI_INTEGER1, MPI_COMM_WORLD, &
            MPI_INFO_NULL, request)
        call check(request /= MPIX_REQUEST_NULL, "a request that was made is not null")
        do start = 1, starts
            bytes = int([rank, start, rank + start], int8)
            all_bytes = -1
            call MPIX_Start(request)
            call MPIX_Wait(request, MPI_STATUS_IGNORE)
            call check(all(all_bytes(1, :) == [(i, i=0, ranks - 1)]), "int8 by a persistent allgather")
        end do
        call MPIX_Request_free(request, ierror)
        call check(ierror == MPI_SUCCESS .and. request == MPIX_REQUEST_NULL, "a freed request is null")

        mine = real(rank + 1)
        call MPIX_Iallreduce_recursive_doubling(mine, total, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, native)
        call MPI_Wait(native, MPI_STATUS_IGNORE)
        call check(total == real(ranks * (ranks + 1)) / 2, "real32 by a non-blocking allreduce")

        values = [(rank + 0.25d0 * i, i=1, size(values))]
        call MPIX_Ialltoall_pairwise(values, 1000, MPI_DOUBLE_PRECISION, others, 1000, MPI_DOUBLE_PRECISION, &
            MPI_COMM_WORLD, native, ierror)
        done = .false.
        do while (.not. done)
            call MPI_Test(native, done, MPI_STATUS_IGNORE)
        end do
        call check(others(size(others)) == ranks - 1 + 0.25d0 * 1000 * (rank + 1), "real64 by an alltoall")

        c = cmplx(rank, -rank, real64)
        call MPIX_Bcast_binomial(c, 1, MPI_DOUBLE_COMPLEX, ranks - 1, MPI_COMM_WORLD)
        call check(c == cmplx(ranks - 1, 1 - ranks, real64), "complex by a blocking bcast")
        word = merge("tutti", "solo ", rank == 0)
        call MPIX_Bcast_auto(word, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
        call check(word == "tutti", "characters by a blocking bcast")
        call MPIX_Barrier_dissemination(MPI_COMM_WORLD)
    end subroutine

    subroutine in_place()
        integer, asynchronous :: sums(2)
        integer, allocatable, asynchronous :: all_of(:)
        type(MPIX_Request) :: request
        type(MPI_Request) :: native
        integer :: start, i

        allocate(all_of(ranks))
        call MPIX_Allreduce_auto_init(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
            request)
        do start = 1, starts
            sums = [rank, start]
            call MPIX_Start(request)
            call MPIX_Wait(request, MPI_STATUS_IGNORE)
            call check(all(sums == [ranks * (ranks - 1) / 2, ranks * start]), "a persistent allreduce in place")
        end do
        call MPIX_Request_free(request)
        all_of = -1
        all_of(rank + 1) = 10 * rank
        call MPIX_Iallgather_ring(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, 1, MPI_INTEGER, MPI_COMM_WORLD, native)
        call MPI_Wait(native, MPI_STATUS_IGNORE)
        call check(all(all_of == [(10 * i, i=0, ranks - 1)]), "a non-blocking allgather in place")
        if (rank == 0) then
            all_of = [(i, i=1, ranks)]
            call MPIX_Scatter_auto(all_of, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
        else
            call MPIX_Scatter_auto(MPI_BOTTOM, 0, MPI_INTEGER, sums, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
            call check(sums(1) == rank + 1, "a scatter in place")
        end if
    end subroutine

    ! A row of a matrix, by its address from MPI_BOTTOM
    subroutine derived_types()
        integer, asynchronous :: matrix(3, 4)
        integer, allocatable, asynchronous :: rows(:, :)
        type(MPI_Datatype) :: row, at_bottom
        integer(MPI_ADDRESS_KIND) :: address
        type(MPIX_Request) :: request
        integer :: start, i

        allocate(rows(4, 0:ranks - 1))
        call MPI_Type_vector(4, 1, 3, MPI_INTEGER, row)
        call MPI_Get_address(matrix(2, 1), address)
        call MPI_Type_create_hindexed(1, [1], [address], row, at_bottom)
        call MPI_Type_commit(at_bottom)
        call MPIX_Allgather_bruck_init(MPI_BOTTOM, 1, at_bottom, rows, 4, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
            request)
        call MPI_Type_free(row)
        call tutti_type_free(at_bottom)
        call check(at_bottom == MPI_DATATYPE_NULL, "tutti_type_free leaves the null type")
        do start = 1, starts
            matrix = 0
            matrix(2, :) = [(1000 * rank + 10 * start + i, i=1, 4)]
            rows = -1
            call MPIX_Start(request)
            call MPIX_Wait(request, MPI_STATUS_IGNORE)
            call check(all(rows(:, ranks - 1) == [(1000 * (ranks - 1) + 10 * start + i, i=1, 4)]), &
                "a row from MPI_BOTTOM")
        end do
        call MPIX_Request_free(request)
    end subroutine

    subroutine sections()
        integer, asynchronous :: matrix(3, 8)
        integer, allocatable, asynchronous :: got(:, :, :)
        type(MPIX_Request) :: request
        type(MPI_Request) :: native
        integer :: ierror, i

        allocate(got(2, 4, 0:2 * ranks - 1))
        matrix = reshape([(100 * rank + i, i=1, 24)], [3, 8])
        got = -1
        call MPIX_Allgather_linear(matrix(1:3:2, 2:8:2), 8, MPI_INTEGER, got(:, :, 0:2 * ranks - 1:2), 8, MPI_INTEGER, &
            MPI_COMM_WORLD, ierror)
        call check(ierror == MPI_SUCCESS, "a blocking call takes a section")
        do i = 0, ranks - 1
            call check(all(got(:, :, 2 * i) - 100 * i == reshape([4, 6, 10, 12, 16, 18, 22, 24], [2, 4])), &
                "a section is sent and received in the order of its elements")
            call check(all(got(:, :, 2 * i + 1) == -1), "what is beside a section stays as it is")
        end do
        native = MPI_REQUEST_NULL
        call MPIX_Iallgather_linear(matrix(1:3:2, :), 16, MPI_INTEGER, got, 16, MPI_INTEGER, MPI_COMM_WORLD, native, &
            ierror)
        call check(ierror == MPI_ERR_BUFFER, "a non-blocking call refuses a section")
        call MPIX_Allgather_auto_init(matrix, 1, MPI_INTEGER, got(1, :, :), 1, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
            request, ierror)
        call check(ierror == MPI_ERR_BUFFER, "an init refuses a section")
        got = -1
        call MPIX_Iallgather_linear(matrix(:, 3:5), 8, MPI_INTEGER, got(:, :, ranks:), 8, MPI_INTEGER, MPI_COMM_WORLD, &
            native, ierror)
        call check(ierror == MPI_SUCCESS, "a section in one piece is a buffer")
        call MPI_Wait(native, MPI_STATUS_IGNORE)
        call check(all(got(1, 1, ranks:) == [(100 * i + 7, i=0, ranks - 1)]), "a section in one piece is received")
        call nothing_in_sections()
    end subroutine

    ! Of which no element is touched
    subroutine nothing_in_sections()
        integer, asynchronous :: matrix(3, 8), got(3, 8)
        type(MPIX_Request) :: request
        type(MPI_Request) :: native
        integer :: ierror

        got = -1
        call MPIX_Iallgather_linear(matrix(1, :), 0, MPI_INTEGER, got(2, :), 0, MPI_INTEGER, MPI_COMM_WORLD, native, ierror)
        call check(ierror == MPI_SUCCESS, "a non-blocking call takes a section of which it uses nothing")
        if (ierror == MPI_SUCCESS) call MPI_Wait(native, MPI_STATUS_IGNORE)
        call MPIX_Bcast_auto_init_c(got(1, :), 0_MPI_COUNT_KIND, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request, &
            ierror)
        call check(ierror == MPI_SUCCESS, "an init takes a section of which it uses nothing")
        if (ierror == MPI_SUCCESS) then
            call MPIX_Start(request)
            call MPIX_Wait(request, MPI_STATUS_IGNORE)
            call MPIX_Request_free(request)
        end if
        call MPIX_Ireduce_scatter_block_auto(matrix(1, :), got(1, :), 0, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, native, &
            ierror)
        call check(ierror == MPI_SUCCESS, "one count for both sides")
        if (ierror == MPI_SUCCESS) call MPI_Wait(native, MPI_STATUS_IGNORE)
        call MPIX_Iallgather_linear(matrix(1, :), 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, native, ierror)
        call check(ierror == MPI_ERR_BUFFER, "a section of which something is used is refused")
        call check(all(got == -1), "nothing is received")
    end subroutine

    subroutine operations()
        integer, asynchronous :: mine(2, 2, 3), product(2, 2, 3)
        integer :: expected(2, 2), i
        type(MPI_Op) :: op
        type(MPI_Datatype) :: matrix
        type(MPI_Request) :: native

        call MPI_Op_create(multiply, .false., op)
        call MPI_Type_contiguous(4, MPI_INTEGER, matrix)
        call MPI_Type_commit(matrix)
        do i = 1, 3
            mine(:, :, i) = of(rank + i)
        end do
        call MPIX_Iallreduce_auto(mine, product, 3, matrix, op, MPI_COMM_WORLD, native)
        call tutti_op_free(op)
        call check(op == MPI_OP_NULL, "tutti_op_free leaves the null operation")
        call MPI_Wait(native, MPI_STATUS_IGNORE)
        expected = of(2)
        do i = 1, ranks - 1
            expected = matmul(expected, of(i + 2))
        end do
        call check(all(product(:, :, 2) == expected), "an operation of the program that does not commute")
        call MPI_Type_free(matrix)
    end subroutine

    pure function of(i) result(m)
        integer, intent(in) :: i
        integer :: m(2, 2)
        m = reshape([i, 1, 1, 0], [2, 2])
    end function

    ! 4 MB in all from each rank, and counts of MPI_COUNT_KIND; uneven blocks
    subroutine large_counts()
        integer(MPI_COUNT_KIND), parameter :: n = 500000
        real(real64), allocatable, asynchronous :: mine(:), sums(:), uneven(:)
        integer(MPI_COUNT_KIND), allocatable, asynchronous :: counts(:)
        integer(MPI_ADDRESS_KIND), allocatable, asynchronous :: displs(:)
        type(MPIX_Request) :: request
        integer :: start, i

        allocate(mine(n), sums(n), counts(ranks), displs(ranks), uneven(ranks * (ranks + 1) / 2))
        call MPIX_Allreduce_auto_init_c(mine, sums, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &
            request)
        do start = 1, 2
            mine = [(modulo(i, 7) + rank * start, i=1, int(n))]
            call MPIX_Start(request)
            do i = 1, 100
                call tutti_progress()
            end do
            call MPIX_Wait(request, MPI_STATUS_IGNORE)
            call check(all(sums == mine + (ranks - 1 - rank) * start), "a large array")
        end do
        call MPIX_Request_free(request)
        counts = [(i, i=1, ranks)]
        displs = [((i - 1) * i / 2, i=1, ranks)]
        call MPIX_Allgatherv_auto_c(mine, counts(rank + 1), MPI_DOUBLE_PRECISION, uneven, counts, displs, &
            MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call check(uneven(size(uneven)) == modulo(ranks, 7) + (ranks - 1) * 2, "uneven blocks")
    end subroutine

    subroutine arrays_of_requests()
        integer, parameter :: n = 3
        integer, asynchronous :: mine(n), sums(n)
        type(MPIX_Request) :: requests(n)
        type(MPI_Status) :: statuses(n)
        integer :: i, index, outcount, indices(n)
        logical :: flag, seen(n)

        do i = 1, n
            call MPIX_Allreduce_auto_init(mine(i), sums(i), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                requests(i))
        end do
        mine = [rank, 1, -rank]
        call MPIX_Startall(n, requests)
        call MPIX_Waitall(n, requests, statuses)
        call check(all(sums == [ranks * (ranks - 1) / 2, ranks, -ranks * (ranks - 1) / 2]), "MPIX_Waitall")
        call MPIX_Startall(n, requests)
        call MPIX_Waitall(n, requests, MPI_STATUSES_IGNORE)
        call MPIX_Startall(n, requests)
        seen = .false.
        do i = 1, n
            call MPIX_Waitany(n, requests, index, MPI_STATUS_IGNORE)
            if (index >= 1 .and. index <= n) seen(index) = .true.
        end do
        call check(all(seen), "MPIX_Waitany counts from 1")
        call MPIX_Waitany(n, requests, index, statuses(1))
        call check(index == MPI_UNDEFINED, "MPIX_Waitany without active requests")
        call MPIX_Startall(n, requests)
        seen = .false.
        do while (.not. all(seen))
            call MPIX_Testsome(n, requests, outcount, indices, statuses)
            if (outcount == MPI_UNDEFINED) exit
            do i = 1, outcount
                seen(indices(i)) = .true.
            end do
        end do
        call check(all(seen), "MPIX_Testsome counts from 1")
        call MPIX_Start(requests(2))
        do
            call MPIX_Request_get_status(requests(2), flag, MPI_STATUS_IGNORE)
            if (flag) exit
        end do
        call tutti_block_arrived(requests(2), 0, flag)
        call check(flag, "tutti_block_arrived")
        call MPIX_Test(requests(2), flag, statuses(1))
        call check(flag, "MPIX_Test after a true MPIX_Request_get_status")
        call statistics(requests(2))
        do i = 1, n
            call MPIX_Request_free(requests(i))
        end do
    end subroutine

    subroutine statistics(request)
        type(MPIX_Request), intent(in) :: request
        type(tutti_stats) :: stats
        integer :: ierror

        call tutti_get_stats(request, stats, ierror)
        call check(ierror == MPI_SUCCESS .and. stats%starts == 5, "tutti_get_stats counts starts")
        call check(stats%algorithm /= "" .and. index(stats%algorithm, char(0)) == 0, "tutti_get_stats names the algorithm")
        call tutti_get_stats(MPIX_REQUEST_NULL, stats, ierror)
        call check(ierror == MPI_ERR_REQUEST, "tutti_get_stats of a null request")
    end subroutine

    subroutine typed_blocks()
        integer, asynchronous :: sent(ranks), received(ranks)
        type(MPI_Datatype) :: types(ranks)
        integer, asynchronous :: counts(ranks), displs(ranks)
        type(MPIX_Request) :: request
        integer :: i

        types = MPI_INTEGER
        counts = 1
        displs = [(4 * i, i=0, ranks - 1)]
        call MPIX_Alltoallw_linear_init(sent, counts, displs, types, received, counts, displs, types, MPI_COMM_WORLD, &
            MPI_INFO_NULL, request)
        sent = [(100 * rank + i, i=0, ranks - 1)]
        call MPIX_Start(request)
        call MPIX_Wait(request, MPI_STATUS_IGNORE)
        call check(all(received == [(100 * i + rank, i=0, ranks - 1)]), "an alltoallw")
        call MPIX_Request_free(request)
    end subroutine

    ! A block for each of two neighbors on either side, all from one place, on nodes of two ranks: by every form's name, and by
    ! the info key.
    subroutine halo()
        integer, parameter :: n = 3
        integer, asynchronous :: mine(n), ghosts(n, 4)
        integer :: beside(4), counts(4), same(4), displs(4), weights(4), form, start, i
        character(len=8) :: hints(7) = [character(len=8) :: "", "", "", "", "node", "node:2", "partner"]
        type(MPI_Comm) :: graph
        type(MPI_Info) :: info
        type(MPIX_Request) :: request

        beside = modulo(rank + [-2, -1, 1, 2], ranks)
        counts = n
        same = 0
        displs = [(n * i, i=0, 3)]
        weights = 1
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, beside, weights, 4, beside, weights, MPI_INFO_NULL, .false., graph)
        call MPI_Info_create(info)
        call MPI_Info_set(info, "tutti_regions", "node:2")
        call tutti_comm_set_hints(graph, info)
        call MPI_Info_free(info)
        do form = 1, size(hints)
            call MPI_Info_create(info)
            select case (form)
            case (1)
                call MPIX_Neighbor_alltoallv_auto_init(mine, counts, same, MPI_INTEGER, ghosts, counts, displs, MPI_INTEGER, &
                    graph, info, request)
            case (2)
                call MPIX_Neighbor_alltoallv_linear_init(mine, counts, same, MPI_INTEGER, ghosts, counts, displs, MPI_INTEGER, &
                    graph, info, request)
            case (3)
                call MPIX_Neighbor_alltoallv_partner_init(mine, counts, same, MPI_INTEGER, ghosts, counts, displs, MPI_INTEGER, &
                    graph, info, request)
            case (4)
                call MPIX_Neighbor_alltoallv_node_init(mine, counts, same, MPI_INTEGER, ghosts, counts, displs, MPI_INTEGER, &
                    graph, info, request)
            case default
                call MPI_Info_set(info, "tutti_algorithm", trim(hints(form)))
                call MPIX_Neighbor_alltoallv_auto_init(mine, counts, same, MPI_INTEGER, ghosts, counts, displs, MPI_INTEGER, &
                    graph, info, request)
            end select
            call MPI_Info_free(info)
            do start = 1, starts
                mine = 100 * rank + 10 * start + [1, 2, 3]
                ghosts = -1
                call MPIX_Start(request)
                call tutti_progress()
                call MPIX_Wait(request, MPI_STATUS_IGNORE)
                do i = 1, 4
                    call check(all(ghosts(:, i) == 100 * beside(i) + 10 * start + [1, 2, 3]), "a halo")
                end do
            end do
            call MPIX_Request_free(request)
        end do
        call MPI_Comm_free(graph)
    end subroutine

    subroutine errors()
        integer, asynchronous :: a, b
        type(MPIX_Request) :: request
        integer :: ierror

        call MPIX_Allreduce_auto(a, b, -1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call check(ierror == MPI_ERR_COUNT, "a negative count")
        call MPIX_Bcast_auto(a, 1, MPI_INTEGER, ranks, MPI_COMM_WORLD, ierror)
        call check(ierror == MPI_ERR_ROOT, "no such root")
        call MPIX_Start(request, ierror)
        call check(ierror == MPI_ERR_REQUEST, "a start of a null request")
    end subroutine

    subroutine the_library()
        character(len=200) :: text
        character(len=8) :: short
        type(c_ptr) :: memory
        real(real64), pointer :: x(:)
        type(MPI_Info) :: info
        integer :: regions(ranks), n, major, minor, patch, ierror
        logical :: flag

        call tutti_comm_prepare(MPI_COMM_WORLD)
        call tutti_comm_prepared(MPI_COMM_WORLD, flag)
        call check(flag, "tutti_comm_prepared")
        call MPI_Info_create(info)
        call MPI_Info_set(info, "tutti_algorithm", "ring")
        call tutti_comm_set_hints(MPI_COMM_WORLD, info)
        call MPI_Info_free(info)
        call tutti_comm_explain(MPI_COMM_WORLD, "allgather 1024", text, ierror)
        call check(index(text, "ring") > 0 .and. index(text, char(0)) == 0, "tutti_comm_explain: "//trim(text))
        call tutti_comm_explain(MPI_COMM_WORLD, "allgather 1024", short, ierror)
        call check(short == text(:8), "tutti_comm_explain cuts the text")
        call tutti_comm_set_hints(MPI_COMM_WORLD, MPI_INFO_NULL)
        call tutti_comm_regions(MPI_COMM_WORLD, "node", regions, n)
        call check(n == 1 .and. all(regions == 0), "tutti_comm_regions")
        call tutti_comm_topology(MPI_COMM_WORLD, text)
        call tutti_progress_driver(short, text)
        call check(short /= "" .and. text /= "", "tutti_progress_driver")
        call tutti_shared_memory(n, text, ierror)
        call check(ierror == MPI_SUCCESS, "tutti_shared_memory")
        call tutti_alloc(800_MPI_ADDRESS_KIND, memory)
        call c_f_pointer(memory, x, [100])
        x = rank
        call MPIX_Allreduce_auto(MPI_IN_PLACE, x, 100, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
        call check(all(x == ranks - 1), "memory of tutti_alloc")
        call tutti_free(memory)
        call tutti_version(major, minor, patch)
        call check(major == TUTTI_VERSION_MAJOR .and. minor == TUTTI_VERSION_MINOR .and. &
            patch == TUTTI_VERSION_PATCH, "tutti_version")
    end subroutine
end program
