/* SPDX-License-Identifier: BSD-3-Clause */
/* product.c - the product with the matrix: an allgatherv assembles the vector, which each needs
 * whole, while the columns that the rank owns are multiplied.
 */
#include "common/product.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

struct product {
    const matrix *m;
    manner how;
    double *vector; /* [n] */
    sums *sums;     /* that advance under the product */
    MPIX_Request tutti;
    MPI_Request native;
};

static int open_request(product *p, const char *algorithm)
{
    MPI_Info info;
    int error;

    if (p->how != PERSISTENT)
        return MPI_SUCCESS;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", algorithm);
    error = MPIX_Allgatherv_auto_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->vector, p->m->counts,
                                      p->m->displs, MPI_DOUBLE, MPI_COMM_WORLD, info, &p->tutti);
    MPI_Info_free(&info);
    return error;
}

int product_open(product **result, const matrix *m, manner how, const options *o)
{
    product *p = calloc(1, sizeof *p);
    int failed, error;

    if (p)
        *p = (product){.m = m,
                       .how = how,
                       .vector = calloc((size_t)m->n, sizeof(double)),
                       .native = MPI_REQUEST_NULL};
    failed = !p || !p->vector;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    error = failed ? MPI_ERR_NO_MEM : open_request(p, o->algorithm);
    if (error) {
        product_close(p);
        p = NULL;
    }
    *result = p;
    return error;
}

void product_close(product *p)
{
    if (!p)
        return;
    if (p->tutti != MPIX_REQUEST_NULL)
        MPIX_Request_free(&p->tutti);
    free(p->vector);
    free(p);
}

double *product_vector(product *p)
{
    return p->vector + p->m->first;
}

static void gather_start(product *p)
{
    const matrix *m = p->m;

    if (p->how == BLOCKING)
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->vector, m->counts, m->displs,
                       MPI_DOUBLE, MPI_COMM_WORLD);
    else if (p->how == NONBLOCKING)
        MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->vector, m->counts, m->displs,
                        MPI_DOUBLE, MPI_COMM_WORLD, &p->native);
    else
        MPIX_Start(&p->tutti);
}

static void gather_finish(product *p)
{
    if (p->how == NONBLOCKING)
        MPI_Wait(&p->native, MPI_STATUS_IGNORE);
    else if (p->how == PERSISTENT)
        MPIX_Wait(&p->tutti, MPI_STATUS_IGNORE);
}

/* What is under way advances only while somebody is in the library, MPI's or Tutti's. */
static void advance(void *context)
{
    product *p = context;
    int complete;

    if (p->how == PERSISTENT)
        tutti_progress();
    else if (p->how == NONBLOCKING)
        MPI_Testall(1, &p->native, &complete, MPI_STATUSES_IGNORE);
    sums_advance(p->sums);
}

void product_multiply(product *p, sums *s, double *y)
{
    const matrix *m = p->m;

    p->sums = s;
    memset(y, 0, (size_t)m->rows * sizeof *y);
    gather_start(p);
    csr_multiply(&m->own, m->rows, p->vector, y, advance, p);
    gather_finish(p);
    csr_multiply(&m->rest, m->rows, p->vector, y, advance, p);
}
