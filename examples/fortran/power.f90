! SPDX-License-Identifier: BSD-3-Clause
! power.f90 - the largest eigenvalue of a symmetric matrix by power iteration, with two persistent collectives.
!
!   mpirun -n 4 power_f08 [n]
!
! Each rank has a block of columns of the Hilbert matrix, a(i, j) = 1 / (i + j - 1), which is symmetric: so its columns are
! its rows, and y = A x needs all of x for the rows of one rank:
!
!   start allgather of x  |  my rows times my part of x  |  wait  |  my rows times the rest  |  allreduce of |y|
!
! Both requests are made once and started in each iteration.
program power_f08
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    use tutti
    implicit none
    real(real64), allocatable :: a(:, :), y(:)
    real(real64), allocatable, asynchronous :: mine(:), x(:)
    real(real64), asynchronous :: part(2), sums(2)
    type(MPIX_Request) :: gather, reduce
    type(tutti_stats) :: stats
    integer :: n, m, rank, ranks, first, iteration
    real(real64) :: eigenvalue, residual

    call MPI_Init()
    call tutti_init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    m = (size_of_matrix() + ranks - 1) / ranks
    n = m * ranks
    first = rank * m
    call make_matrix()

    call MPIX_Allgather_auto_init(mine, m, MPI_DOUBLE_PRECISION, x, m, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, &
        MPI_INFO_NULL, gather)
    call MPIX_Allreduce_auto_init(part, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, reduce)
    mine = 1 / sqrt(real(n, real64))
    do iteration = 1, 100
        call multiply()
        part = [dot_product(y, y), dot_product(y, mine)] ! |y|^2 and, as |x| is 1, the eigenvalue
        call MPIX_Start(reduce)
        call MPIX_Wait(reduce, MPI_STATUS_IGNORE)
        eigenvalue = sums(2)
        residual = sqrt(max(sums(1) - eigenvalue**2, 0d0)) ! |y - eigenvalue x|
        mine = y / sqrt(sums(1))
        if (residual < 1d-7 * eigenvalue) exit
    end do
    call tutti_get_stats(gather, stats)
    if (rank == 0) print '(a, i0, a, f0.9, a, es8.1, a, i0, 2a)', "n = ", n, ": eigenvalue ", eigenvalue, &
        ", residual ", residual, ", ", stats%starts, " iterations; allgather: ", trim(stats%algorithm)
    call MPIX_Request_free(gather)
    call MPIX_Request_free(reduce)
    call MPI_Finalize()
    if (residual > 1d-7 * eigenvalue) error stop "power_f08: does not converge"

contains

    integer function size_of_matrix()
        character(len=12) :: argument

        size_of_matrix = 1000
        call get_command_argument(1, argument)
        if (argument /= "") read (argument, *) size_of_matrix
    end function

    subroutine make_matrix()
        integer :: i, j

        allocate(a(n, m), y(m), mine(m), x(n))
        do j = 1, m
            do i = 1, n
                a(i, j) = 1 / real(i + first + j - 1, real64)
            end do
        end do
    end subroutine

    ! y = A x: my rows are the columns of a
    subroutine multiply()
        call MPIX_Start(gather)
        call add_product(first + 1, first + m, mine, .true.)
        call MPIX_Wait(gather, MPI_STATUS_IGNORE)
        call add_product(1, first, x(:first), .false.)
        call add_product(first + m + 1, n, x(first + m + 1:), .false.)
    end subroutine

    subroutine add_product(low, high, values, fresh)
        integer, intent(in) :: low, high
        real(real64), intent(in) :: values(:)
        logical, intent(in) :: fresh
        integer :: j

        do j = 1, m
            if (fresh) y(j) = 0
            y(j) = y(j) + dot_product(a(low:high, j), values)
            if (fresh .and. modulo(j, 16) == 0) call tutti_progress() ! the allgather goes on meanwhile
        end do
    end subroutine
end program
