! SPDX-License-Identifier: BSD-3-Clause
! halo.f90 - heat on a grid whose columns are distributed: mpirun -n 4 halo_f08
!
!   start  |  columns 2 .. m - 1  |  wait  |  columns 1 and m
!
! One persistent neighbor_alltoallv sends columns 1 and m from where they are, and receives columns 0 and m + 1, the halo.
program halo_f08
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    use tutti
    implicit none
    integer, parameter :: k = 60, steps = 50
    real(real64) :: whole(0:k + 1, 0:k + 1), next(k, k)
    real(real64), allocatable, asynchronous :: u(:, :)
    type(MPI_Comm) :: graph
    type(MPIX_Request) :: request
    integer :: p, me, m, first, step, i
    integer, allocatable :: beside(:), sent(:), received(:), counts(:)
    logical :: there(2) ! to the left, to the right

    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, p)
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    p = min(p, k)
    first = min(me * k / p, k) ! the columns before mine; ranks from k on have none
    m = merge((me + 1) * k / p - first, 0, me < p)
    there = [me > 0 .and. m > 0, me < p - 1]
    beside = pack([me - 1, me + 1], there)
    sent = pack([1, m], there) * (k + 2)
    received = pack([0, m + 1], there) * (k + 2)
    allocate(counts(size(beside)), source=k + 2)
    whole = 0
    whole(1:k, 1:k) = reshape([(sin(1d0 * i), i=1, k * k)], [k, k])
    allocate(u(0:k + 1, 0:m + 1), source=whole(:, first:first + m + 1))
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size(beside), beside, counts, size(beside), beside, counts, &
        MPI_INFO_NULL, .false., graph)
    call MPIX_Neighbor_alltoallv_auto_init(u, counts, sent, MPI_DOUBLE_PRECISION, u, counts, received, &
        MPI_DOUBLE_PRECISION, graph, MPI_INFO_NULL, request)
    do step = 1, steps
        call MPIX_Start(request)
        next(:, 2:m - 1) = heat(u(:, 1:m))
        call MPIX_Wait(request, MPI_STATUS_IGNORE)
        if (m > 0) next(:, 1:1) = heat(u(:, 0:2))
        if (m > 1) next(:, m:m) = heat(u(:, m - 1:m + 1))
        u(1:k, 1:m) = next(:, 1:m)
        whole(1:k, 1:k) = heat(whole)
    end do
    call MPIX_Request_free(request)
    if (m > 0 .and. any(abs(u(:, 1:m) - whole(:, first + 1:first + m)) > 0)) error stop "halo_f08: wrong"
    if (me == 0) print '(a, i0, a)', "heat after ", steps, " steps: right"
    call MPI_Finalize()
contains
    function heat(v)
        real(real64), intent(in) :: v(:, :)
        real(real64) :: heat(size(v, 1) - 2, max(size(v, 2) - 2, 0))
        associate (a => size(v, 1) - 1, b => size(v, 2) - 1)
            heat = (4 * v(2:a, 2:b) + v(:a - 1, 2:b) + v(3:, 2:b) + v(2:a, :b - 1) + v(2:a, 3:)) / 8
        end associate
    end function
end program
