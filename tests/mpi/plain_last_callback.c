/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_last_callback.c - an MPI program that knows nothing of Tutti: callbacks of attributes on
 * MPI_COMM_SELF communicate, in MPI_Finalize. Run under libtutti_mpi.so. */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdio.h>

enum { CALLS = 2 };

static int called, wrong, p;

static int last(MPI_Comm comm, int key, void *value, void *extra)
{
    int one = 1, sum[3] = {0};
    MPI_Request r;

    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Allreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(&one, &sum[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    PERSISTENT(Allreduce)
    (&one, &sum[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    for (int i = 0; i < 3; i++)
        wrong += sum[i] != p;
    called++;
    return MPI_SUCCESS;
}

static void set_attribute(void)
{
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

int main(int argc, char **argv)
{
    MPI_Request r;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < CALLS; i++) {
        set_attribute();
        MPI_Ibarrier(MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    if (called != CALLS || wrong)
        fprintf(stderr, "plain_last_callback: %d of %d called, %d wrong\n", called, CALLS, wrong);
    return called != CALLS || wrong;
}
