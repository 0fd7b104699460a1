/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c - for check_alike: some rank has a wrong setting, and all others learn of it from
 * every call on a communicator with it, under MPI_ERRORS_RETURN. Exits with 0 if so. */
#include <stdio.h>
#include <tutti.h>

static int wrong;

static void refused(int error, const char *what)
{
    if (error != MPI_SUCCESS)
        return;
    printf("no error: %s\n", what);
    wrong++;
}

int main(int argc, char **argv)
{
    int in = 1, out[64], p, provided, periodic = 1;
    MPIX_Request init = MPIX_REQUEST_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm again, ring;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 1)
        tutti_init(); /* of the others it is no error */
    refused(MPIX_Allgather_auto(&in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD), "blocking");
    if (MPIX_Iallreduce_auto(&in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS)
        refused(MPI_Wait(&request, MPI_STATUS_IGNORE), "non-blocking");
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    refused(MPIX_Bcast_auto_init(&in, 1, MPI_INT, 0, again, MPI_INFO_NULL, &init), "persistent");
    if (MPIX_Ibcast_auto(&in, 1, MPI_INT, 0, again, &request) == MPI_SUCCESS)
        refused(MPI_Wait(&request, MPI_STATUS_IGNORE), "non-blocking again");
    MPI_Comm_free(&again);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &periodic, 0, &ring);
    for (int i = 0; i < 2; i++) /* the second knows of it */
        refused(MPIX_Neighbor_allgather_auto_init(&in, 1, MPI_INT, out, 1, MPI_INT, ring,
                                                  MPI_INFO_NULL, &init),
                "of neighbors");
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return wrong != 0;
}
