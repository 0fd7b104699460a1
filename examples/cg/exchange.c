/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - see exchange.h. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

enum { GATHER, REDUCE }; /* in native[] */

static int open_requests(exchange *e, const char *algorithm)
{
    MPI_Info info;
    int error = MPI_SUCCESS;

    MPI_Info_create(&info);
    if (e->gather == PERSISTENT) {
        MPI_Info_set(info, "tutti_algorithm", algorithm);
        error = MPIX_Allgatherv_auto_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, e->vector,
                                          e->m->counts, e->m->displs, MPI_DOUBLE, MPI_COMM_WORLD,
                                          info, &e->tutti_gather);
    }
    if (!error && e->reduce == PERSISTENT)
        error = MPIX_Allreduce_auto_init(MPI_IN_PLACE, e->sums, e->n_sums, MPI_DOUBLE, MPI_SUM,
                                         MPI_COMM_WORLD, MPI_INFO_NULL, &e->tutti_reduce);
    MPI_Info_free(&info);
    return error;
}

int exchange_open(exchange *e, const matrix *m, manner gather, manner reduce, int n_sums,
                  const char *algorithm)
{
    int failed;

    *e = (exchange){.m = m,
                    .gather = gather,
                    .reduce = reduce,
                    .n_sums = n_sums,
                    .native = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    e->vector = calloc((size_t)m->n, sizeof(double));
    failed = !e->vector;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return failed ? MPI_ERR_NO_MEM : open_requests(e, algorithm);
}

void exchange_close(exchange *e)
{
    if (e->tutti_gather != MPIX_REQUEST_NULL)
        MPIX_Request_free(&e->tutti_gather);
    if (e->tutti_reduce != MPIX_REQUEST_NULL)
        MPIX_Request_free(&e->tutti_reduce);
    free(e->vector);
}

void sums_start(exchange *e)
{
    if (e->reduce == BLOCKING)
        MPI_Allreduce(MPI_IN_PLACE, e->sums, e->n_sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (e->reduce == NONBLOCKING)
        MPI_Iallreduce(MPI_IN_PLACE, e->sums, e->n_sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       &e->native[REDUCE]);
    else
        MPIX_Start(&e->tutti_reduce);
}

void sums_finish(exchange *e)
{
    if (e->reduce == NONBLOCKING)
        MPI_Wait(&e->native[REDUCE], MPI_STATUS_IGNORE);
    else if (e->reduce == PERSISTENT)
        MPIX_Wait(&e->tutti_reduce, MPI_STATUS_IGNORE);
}

static void gather_start(exchange *e)
{
    const matrix *m = e->m;

    if (e->gather == BLOCKING)
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, e->vector, m->counts, m->displs,
                       MPI_DOUBLE, MPI_COMM_WORLD);
    else if (e->gather == NONBLOCKING)
        MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, e->vector, m->counts, m->displs,
                        MPI_DOUBLE, MPI_COMM_WORLD, &e->native[GATHER]);
    else
        MPIX_Start(&e->tutti_gather);
}

static void gather_finish(exchange *e)
{
    if (e->gather == NONBLOCKING)
        MPI_Wait(&e->native[GATHER], MPI_STATUS_IGNORE);
    else if (e->gather == PERSISTENT)
        MPIX_Wait(&e->tutti_gather, MPI_STATUS_IGNORE);
}

/* What is under way advances only while somebody is in the library, MPI's or Tutti's. */
static void advance(void *context)
{
    exchange *e = context;
    int complete;

    if (e->gather == PERSISTENT)
        tutti_progress();
    else if (e->gather == NONBLOCKING)
        MPI_Testall(2, e->native, &complete, MPI_STATUSES_IGNORE);
}

void multiply(exchange *e, double *y)
{
    const matrix *m = e->m;

    memset(y, 0, (size_t)m->rows * sizeof *y);
    gather_start(e);
    csr_multiply(&m->own, m->rows, e->vector, y, advance, e);
    gather_finish(e);
    csr_multiply(&m->rest, m->rows, e->vector, y, advance, e);
}
