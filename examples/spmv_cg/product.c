/* SPDX-License-Identifier: BSD-3-Clause */
/* product.c - the product with the matrix: the halo travels while the columns that the rank owns
 * are multiplied.
 *
 *   vector:  my rows | values of the halo, received there
 *   packed:  values of my rows that others need
 */
#include "common/product.h"
#include "any_failed.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* What neighbor_alltoallw takes beside counts and displacements. */
typedef struct typed_blocks {
    int *ones;
    MPI_Aint *zeros, *displs;
    MPI_Datatype *in, *out;
} typed_blocks;

static int typed_allocate(typed_blocks *t, int in, int out)
{
    t->ones = malloc((size_t)out * sizeof *t->ones + 1);
    t->zeros = calloc((size_t)out + 1, sizeof *t->zeros);
    t->displs = malloc((size_t)in * sizeof *t->displs + 1);
    t->in = malloc((size_t)in * sizeof(MPI_Datatype) + 1);
    t->out = malloc((size_t)out * sizeof(MPI_Datatype) + 1);
    return !t->ones || !t->zeros || !t->displs || !t->in || !t->out;
}

static void typed_free(typed_blocks *t)
{
    free(t->ones);
    free(t->zeros);
    free(t->displs);
    free(t->in);
    free(t->out);
}

struct product {
    const matrix *m;
    manner how;
    double *vector, *packed, *received; /* received: in the vector */
    sums *sums;                         /* that advance under the product */
    MPIX_Request tutti;
    MPI_Request native, *messages; /* messages: BY_HAND, first those to be received */
    int n_messages;
    bool typed; /* nothing is packed */
};

/* Values are where the rows say that they are in the vector. */
static void open_typed(product *p, MPI_Info info, typed_blocks *t, int *error)
{
    const blocks *in = &p->m->halo.in, *out = &p->m->halo.out;

    for (int i = 0; i < out->n; i++) {
        t->ones[i] = 1;
        MPI_Type_create_indexed_block(out->counts[i], 1, p->m->halo.rows + out->displs[i],
                                      MPI_DOUBLE, &t->out[i]);
        MPI_Type_commit(&t->out[i]);
    }
    for (int i = 0; i < in->n; i++) {
        t->in[i] = MPI_DOUBLE;
        t->displs[i] = in->displs[i] * (MPI_Aint)sizeof(double);
    }
    *error = MPIX_Neighbor_alltoallw_auto_init(p->vector, t->ones, t->zeros, t->out, p->received,
                                               in->counts, t->displs, t->in, p->m->halo.comm, info,
                                               &p->tutti);
    for (int i = 0; i < out->n; i++)
        MPI_Type_free(&t->out[i]);
}

static int open_tutti(product *p, const options *o)
{
    const blocks *in = &p->m->halo.in, *out = &p->m->halo.out;
    typed_blocks t;
    MPI_Info info;
    int error;

    p->typed = o->types;
    if (any_failed(typed_allocate(&t, in->n, out->n) != 0)) {
        typed_free(&t);
        return MPI_ERR_NO_MEM;
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", o->algorithm);
    if (p->typed)
        open_typed(p, info, &t, &error);
    else
        error = MPIX_Neighbor_alltoallv_auto_init(p->packed, out->counts, out->displs, MPI_DOUBLE,
                                                  p->received, in->counts, in->displs, MPI_DOUBLE,
                                                  p->m->halo.comm, info, &p->tutti);
    MPI_Info_free(&info);
    typed_free(&t);
    return error;
}

static void open_messages(product *p)
{
    const halo *h = &p->m->halo;

    for (int i = 0; i < h->in.n; i++)
        MPI_Recv_init(p->received + h->in.displs[i], h->in.counts[i], MPI_DOUBLE, h->in.ranks[i], 1,
                      h->comm, &p->messages[p->n_messages++]);
    for (int i = 0; i < h->out.n; i++)
        MPI_Send_init(p->packed + h->out.displs[i], h->out.counts[i], MPI_DOUBLE, h->out.ranks[i],
                      1, h->comm, &p->messages[p->n_messages++]);
}

static int allocate(product *p)
{
    const halo *h = &p->m->halo;

    p->vector = calloc((size_t)(p->m->rows + h->in.values) + 1, sizeof *p->vector);
    p->packed = calloc((size_t)h->out.values + 1, sizeof *p->packed);
    p->messages = malloc((size_t)(h->in.n + h->out.n) * sizeof *p->messages + 1);
    if (!p->vector || !p->packed || !p->messages)
        return -1;
    p->received = p->vector + p->m->rows;
    return 0;
}

int product_open(product **result, const matrix *m, manner how, const options *o)
{
    product *p = calloc(1, sizeof *p);
    int error = MPI_SUCCESS;

    if (p)
        *p = (product){.m = m, .how = how, .native = MPI_REQUEST_NULL};
    if (any_failed(!p || allocate(p) != 0))
        error = MPI_ERR_NO_MEM;
    else if (how == PERSISTENT)
        error = open_tutti(p, o);
    else if (how == BY_HAND)
        open_messages(p);
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
    for (int i = 0; i < p->n_messages; i++)
        MPI_Request_free(&p->messages[i]);
    free(p->messages);
    free(p->packed);
    free(p->vector);
    free(p);
}

double *product_vector(product *p)
{
    return p->vector;
}

static void halo_start(product *p)
{
    const halo *h = &p->m->halo;
    const blocks *in = &h->in, *out = &h->out;

    for (int i = 0; !p->typed && i < out->values; i++)
        p->packed[i] = p->vector[h->rows[i]];
    if (p->how == BLOCKING)
        MPI_Neighbor_alltoallv(p->packed, out->counts, out->displs, MPI_DOUBLE, p->received,
                               in->counts, in->displs, MPI_DOUBLE, h->comm);
    else if (p->how == NONBLOCKING)
        MPI_Ineighbor_alltoallv(p->packed, out->counts, out->displs, MPI_DOUBLE, p->received,
                                in->counts, in->displs, MPI_DOUBLE, h->comm, &p->native);
    else if (p->how == BY_HAND)
        MPI_Startall(p->n_messages, p->messages);
    else
        MPIX_Start(&p->tutti);
}

static void halo_finish(product *p)
{
    if (p->how == NONBLOCKING)
        MPI_Wait(&p->native, MPI_STATUS_IGNORE);
    else if (p->how == BY_HAND)
        MPI_Waitall(p->n_messages, p->messages, MPI_STATUSES_IGNORE);
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
    else if (p->how == BY_HAND)
        MPI_Testall(p->n_messages, p->messages, &complete, MPI_STATUSES_IGNORE);
    sums_advance(p->sums);
}

void product_multiply(product *p, sums *s, double *y)
{
    const matrix *m = p->m;

    p->sums = s;
    memset(y, 0, (size_t)m->rows * sizeof *y);
    halo_start(p);
    csr_multiply(&m->own, m->rows, p->vector, y, advance, p);
    halo_finish(p);
    csr_multiply(&m->rest, m->rows, p->received, y, advance, p);
}
