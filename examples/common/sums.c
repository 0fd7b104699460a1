/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.c - see sums.h. */
#include "common/sums.h"

int sums_open(sums *s, manner how, int n)
{
    *s = (sums){.how = how, .n = n, .native = MPI_REQUEST_NULL};
    if (how != PERSISTENT)
        return MPI_SUCCESS;
    return MPIX_Allreduce_auto_init(MPI_IN_PLACE, s->values, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &s->tutti);
}

void sums_close(sums *s)
{
    if (s->tutti != MPIX_REQUEST_NULL)
        MPIX_Request_free(&s->tutti);
}

void sums_start(sums *s)
{
    if (s->how == PERSISTENT)
        MPIX_Start(&s->tutti);
    else if (s->how == NONBLOCKING)
        MPI_Iallreduce(MPI_IN_PLACE, s->values, s->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       &s->native);
    else
        MPI_Allreduce(MPI_IN_PLACE, s->values, s->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void sums_finish(sums *s)
{
    if (s->how == PERSISTENT)
        MPIX_Wait(&s->tutti, MPI_STATUS_IGNORE);
    else if (s->how == NONBLOCKING)
        MPI_Wait(&s->native, MPI_STATUS_IGNORE);
}

void sums_advance(sums *s)
{
    int complete;

    if (s->how == NONBLOCKING)
        MPI_Testall(1, &s->native, &complete, MPI_STATUSES_IGNORE);
}
