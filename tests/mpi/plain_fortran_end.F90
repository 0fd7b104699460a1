! SPDX-License-Identifier: BSD-3-Clause
! plain_fortran_end.F90 - a Fortran program that knows nothing of Tutti, and whose rank 0 has forgotten an operation that
! no other rank takes part in: MPI_Finalize ends all the same. Run under libtutti_mpi.so, with `use mpi` and `use mpi_f08`.
#include "fortran.inc"

program plain_fortran_end
    USE_MPI
    implicit none
    integer :: rank, ierror
    integer, asynchronous :: mine, all(64)
    HANDLE(MPI_Request) :: forgotten

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    mine = rank
    if (rank == 0) call MPI_Iallgather(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, forgotten, ierror)
    call MPI_Finalize(ierror)
end program
