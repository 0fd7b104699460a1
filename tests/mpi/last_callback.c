/* SPDX-License-Identifier: BSD-3-Clause */
/* last_callback.c - callbacks of attributes on MPI_COMM_SELF, which MPI_Finalize calls: they may
 * still communicate, whether Tutti's own callback has run before (the attribute was set first) or
 * not. One request is from before MPI_Finalize, the other is made in the callback.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

static int mine, all[64], p, called;
static MPIX_Request request;

static int wrong(int base)
{
    int n = 0;

    for (int i = 0; i < p; i++)
        n += all[i] != base + i;
    return n;
}

static int last(MPI_Comm comm, int key, void *value, void *extra)
{
    int rank, n = 0, keeps = *(int *)extra;
    MPI_Request r;

    (void)comm, (void)key, (void)value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int start = 0; keeps && start < 3; start++) {
        mine = rank + 10 * start;
        MPIX_Start(&request);
        MPIX_Wait(&request, MPI_STATUS_IGNORE);
        n += wrong(10 * start);
    }
    mine = rank + 100;
    MPIX_Allgather_auto(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    n += wrong(100);
    mine = rank + 200;
    MPIX_Iallgather_auto(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    n += wrong(200);
    if (keeps)
        MPIX_Request_free(&request);
    called++;
    if (n)
        exit(1);
    return MPI_SUCCESS;
}

static void set_attribute(int *keeps)
{
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, keeps);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* first: set the attribute before Tutti starts, so that it is deleted after ours. keep: leave a
 * request to the callback. */
int main(int argc, char **argv)
{
    int first = argc > 1 && argv[1][0] == 'f', keeps = argc > 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (first)
        set_attribute(&keeps);
    MPIX_Allgather_auto_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request);
    if (!keeps)
        MPIX_Request_free(&request);
    if (!first)
        set_attribute(&keeps);
    MPI_Finalize();
    if (called == 1)
        puts("right");
    return called != 1;
}
