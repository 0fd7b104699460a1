! SPDX-License-Identifier: BSD-3-Clause
! transpose.f90 - b = transpose(f(a)) of a matrix whose columns are distributed, in pieces, each on its way while the
! next one is computed.
!
!   mpirun -n 4 transpose_f08 [n [pieces]]
!
!   compute 1  |  compute 2      |  compute 3      |
!              |  alltoall of 1  |  alltoall of 2  |  alltoall of 3
!
! The requests of MPIX_Ialltoall_auto are MPI's own, completed by MPI_Wait. What an alltoall works on is ASYNCHRONOUS, or the
! compiler may move accesses over the wait.
program transpose_f08
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    use tutti
    implicit none
    real(real64), allocatable :: a(:, :), b(:, :)
    real(real64), allocatable, asynchronous :: send(:, :, :, :), recv(:, :, :, :) ! column, row, rank, piece
    type(MPI_Request), allocatable :: requests(:)
    integer :: n, pieces, rank, ranks, m, w
    double precision :: overlapped, one_by_one

    call MPI_Init()
    call tutti_init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    n = argument(1, 768)
    pieces = argument(2, 4)
    m = n / ranks
    w = m / pieces
    if (w * pieces * ranks /= n) error stop "transpose_f08: n must be a multiple of ranks times pieces"
    allocate(a(n, m), b(n, m), send(w, m, 0:ranks - 1, pieces), recv(w, m, 0:ranks - 1, pieces), requests(pieces))
    overlapped = transpose_all(.false.) ! the first calls of all sizes: planning
    one_by_one = transpose_all(.false.)
    overlapped = transpose_all(.true.)
    call check()
    if (rank == 0) print '(a, i0, a, i0, a, i0, a, f0.2, a, f0.2, a)', "transposed ", n, " x ", n, " in ", pieces, &
        " pieces: ", 1d3 * one_by_one, " ms one by one, ", 1d3 * overlapped, " ms overlapped"
    call MPI_Finalize()

contains

    integer function argument(i, default)
        integer, intent(in) :: i, default
        character(len=12) :: text

        argument = default
        call get_command_argument(i, text)
        if (text /= "") read (text, *) argument
    end function

    ! The seconds of the slowest rank
    double precision function transpose_all(overlap) result(seconds)
        logical, intent(in) :: overlap
        integer :: piece

        call MPIX_Barrier_auto(MPI_COMM_WORLD)
        seconds = -MPI_Wtime()
        do piece = 1, pieces
            call compute(piece)
            call MPIX_Ialltoall_auto(send(:, :, :, piece), w * m, MPI_DOUBLE_PRECISION, recv(:, :, :, piece), w * m, &
                MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, requests(piece))
            if (.not. overlap) call finish(piece)
            if (overlap .and. piece > 1) call finish(piece - 1)
        end do
        if (overlap) call finish(pieces)
        seconds = seconds + MPI_Wtime()
        call MPIX_Allreduce_auto(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    end function

    ! The columns of a piece, and where they go, transposed
    subroutine compute(piece)
        integer, intent(in) :: piece
        integer :: i, j, k, to

        do k = 1, w
            j = (piece - 1) * w + k
            do i = 1, n
                a(i, j) = f(i, rank * m + j)
            end do
            do to = 0, ranks - 1
                send(k, :, to, piece) = a(to * m + 1:(to + 1) * m, j)
            end do
            call tutti_progress() ! the pieces before go on
        end do
    end subroutine

    elemental real(real64) function f(i, j)
        integer, intent(in) :: i, j

        f = sin(real(i, real64)) + i + 1000d0 * j
    end function

    subroutine finish(piece)
        integer, intent(in) :: piece
        integer :: from, low

        call MPI_Wait(requests(piece), MPI_STATUS_IGNORE)
        do from = 0, ranks - 1
            low = from * m + (piece - 1) * w
            b(low + 1:low + w, :) = recv(:, :, from, piece)
        end do
    end subroutine

    subroutine check()
        integer :: i, j

        do j = 1, m
            do i = 1, n
                if (abs(b(i, j) - f(rank * m + j, i)) > 0) error stop "transpose_f08: wrong"
            end do
        end do
    end subroutine
end program
