/* SPDX-License-Identifier: BSD-3-Clause */
/* only_starts.c - a program that calls nothing between MPI_Init and MPI_Finalize. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
