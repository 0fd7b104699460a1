/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - see exchange.h. */
#include "exchange.h"

int exchange_make(exchange_kind kind, const char *algorithm, bodies *b, MPI_Comm comm,
                  exchange *result)
{
    exchange *e = result;
    MPI_Info info;
    int error = MPI_SUCCESS;

    *e = (exchange){.kind = kind,
                    .name = kind == EXCHANGE_BLOCKING      ? "MPI_Allgatherv"
                            : kind == EXCHANGE_NONBLOCKING ? "MPI_Iallgatherv"
                                                           : algorithm,
                    .b = b,
                    .comm = comm,
                    .native = MPI_REQUEST_NULL,
                    .request = MPIX_REQUEST_NULL};
    MPI_Comm_rank(comm, &e->rank);
    MPI_Type_contiguous(3, MPI_DOUBLE, &e->position);
    MPI_Type_commit(&e->position);
    if (kind == EXCHANGE_PERSISTENT) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "tutti_algorithm", algorithm);
        error = MPIX_Allgatherv_auto_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b->x, b->counts,
                                          b->displs, e->position, comm, info, &e->request);
        MPI_Info_free(&info);
    }
    if (error)
        exchange_free(e);
    return error;
}

void exchange_free(exchange *e)
{
    if (e->request != MPIX_REQUEST_NULL)
        MPIX_Request_free(&e->request);
    MPI_Type_free(&e->position);
}

void exchange_begin(exchange *e)
{
    bodies *b = e->b;

    e->done = e->kind == EXCHANGE_BLOCKING;
    if (e->kind == EXCHANGE_PERSISTENT)
        MPIX_Start(&e->request);
    else if (e->kind == EXCHANGE_NONBLOCKING)
        MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b->x, b->counts, b->displs, e->position,
                        e->comm, &e->native);
    else
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b->x, b->counts, b->displs, e->position,
                       e->comm);
}

/* MPI's own operation reports only that all of it is done. */
bool exchange_arrived(exchange *e, int rank)
{
    int flag = 0;

    if (e->done || rank == e->rank)
        return true;
    if (e->kind == EXCHANGE_PERSISTENT) {
        tutti_block_arrived(e->request, rank, &flag);
        return flag;
    }
    MPI_Test(&e->native, &flag, MPI_STATUS_IGNORE);
    e->done = flag;
    return flag;
}

void exchange_advance(exchange *e)
{
    int flag = 0;

    if (e->kind == EXCHANGE_PERSISTENT) {
        tutti_progress();
    } else if (!e->done) {
        MPI_Test(&e->native, &flag, MPI_STATUS_IGNORE);
        e->done = flag;
    }
}

void exchange_end(exchange *e)
{
    if (e->kind == EXCHANGE_PERSISTENT)
        MPIX_Wait(&e->request, MPI_STATUS_IGNORE);
    else if (!e->done)
        MPI_Wait(&e->native, MPI_STATUS_IGNORE);
    e->done = true;
}
