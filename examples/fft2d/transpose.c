/* SPDX-License-Identifier: BSD-3-Clause */
/* transpose.c - see transpose.h. */
#include "transpose.h"

#include "split.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* A share of the planes, or of every rank's rows. In elements, by rank: what is sent and received.
 */
typedef struct chunk {
    int first_plane, planes;
    int *first_row, *rows; /* [p]: of each rank, counted from row 0 of the plane */
    int *sendcounts, *senddispls, *recvcounts, *recvdispls;
    kiss_fft_cpx *send, *recv;
    MPIX_Request request;
} chunk;

struct transpose {
    transpose_shape s;
    int p, rank, first_row, nchunks;
    chunk *chunks;
    kiss_fft_cpx *line;
};

int transpose_my_rows(const transpose *t)
{
    return split_count(t->s.rows, t->p, t->rank);
}

int transpose_my_columns(const transpose *t)
{
    return split_count(t->s.columns, t->p, t->rank);
}

/* ---- make ---- */

static void chunk_shape(const transpose *t, chunk *c, int index)
{
    bool by_planes = t->s.planes > 1;

    c->first_plane = by_planes ? split_first(t->s.planes, t->nchunks, index) : 0;
    c->planes = by_planes ? split_count(t->s.planes, t->nchunks, index) : t->s.planes;
    for (int q = 0; q < t->p; q++) {
        int first = split_first(t->s.rows, t->p, q), rows = split_count(t->s.rows, t->p, q);
        c->first_row[q] = by_planes ? first : first + split_first(rows, t->nchunks, index);
        c->rows[q] = by_planes ? rows : split_count(rows, t->nchunks, index);
    }
}

/* To q: my lines of the chunk, q's columns of each. From q: q's lines, my columns of each. */
static void chunk_counts(const transpose *t, chunk *c)
{
    int sent = 0, received = 0;

    for (int q = 0; q < t->p; q++) {
        c->sendcounts[q] = c->planes * c->rows[t->rank] * split_count(t->s.columns, t->p, q);
        c->recvcounts[q] = c->planes * c->rows[q] * transpose_my_columns(t);
        c->senddispls[q] = sent;
        c->recvdispls[q] = received;
        sent += c->sendcounts[q];
        received += c->recvcounts[q];
    }
    c->send = malloc(((size_t)sent + 1) * sizeof *c->send);
    c->recv = malloc(((size_t)received + 1) * sizeof *c->recv);
}

static bool chunk_open(const transpose *t, chunk *c, int index)
{
    size_t p = (size_t)t->p;

    c->request = MPIX_REQUEST_NULL;
    c->first_row = calloc(6 * p, sizeof(int));
    if (!c->first_row)
        return false;
    c->rows = c->first_row + p;
    c->sendcounts = c->rows + p;
    c->senddispls = c->sendcounts + p;
    c->recvcounts = c->senddispls + p;
    c->recvdispls = c->recvcounts + p;
    chunk_shape(t, c, index);
    chunk_counts(t, c);
    return c->send && c->recv;
}

/* All ranks learn whether one of them has failed. */
static int agree(MPI_Comm comm, bool failed)
{
    int any = failed;

    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    return any ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int make_requests(transpose *t, const char *algorithm)
{
    int error = MPI_SUCCESS;
    MPI_Datatype complex;
    MPI_Info info;

    MPI_Type_contiguous(2, MPI_FLOAT, &complex);
    MPI_Type_commit(&complex);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", algorithm);
    for (int i = 0; i < t->nchunks && !error; i++) {
        chunk *c = &t->chunks[i];
        error = MPIX_Alltoallv_auto_init(c->send, c->sendcounts, c->senddispls, complex, c->recv,
                                         c->recvcounts, c->recvdispls, complex, t->s.comm, info,
                                         &c->request);
    }
    MPI_Info_free(&info);
    MPI_Type_free(&complex);
    return error;
}

int transpose_make(const transpose_shape *shape, int chunks, const char *algorithm,
                   transpose **result)
{
    transpose *t = calloc(1, sizeof *t);
    bool failed = !t;
    int error;

    if (t) {
        t->s = *shape;
        t->nchunks = shape->planes > 1 && shape->planes < chunks ? shape->planes : chunks;
        MPI_Comm_size(shape->comm, &t->p);
        MPI_Comm_rank(shape->comm, &t->rank);
        t->first_row = split_first(shape->rows, t->p, t->rank);
        t->line = malloc((size_t)shape->columns * sizeof *t->line);
        t->chunks = calloc((size_t)t->nchunks, sizeof *t->chunks);
        failed = !t->line || !t->chunks;
    }
    for (int i = 0; !failed && i < t->nchunks; i++)
        failed = !chunk_open(t, &t->chunks[i], i);
    error = agree(shape->comm, failed);
    if (!error)
        error = make_requests(t, algorithm);
    if (error) {
        transpose_free(t);
        return error;
    }
    *result = t;
    return MPI_SUCCESS;
}

void transpose_free(transpose *t)
{
    if (!t)
        return;
    for (int i = 0; t->chunks && i < t->nchunks; i++) {
        chunk *c = &t->chunks[i];
        if (c->request != MPIX_REQUEST_NULL)
            MPIX_Request_free(&c->request);
        free(c->recv);
        free(c->send);
        free(c->first_row);
    }
    free(t->chunks);
    free(t->line);
    free(t);
}

/* ---- run ---- */

/* Transform one line and cut it into the pieces for the ranks: line number i of the chunk. */
static void transform_line(transpose *t, chunk *c, kiss_fft_cfg cfg, const kiss_fft_cpx *line,
                           int i)
{
    kiss_fft(cfg, line, t->line);
    for (int q = 0; q < t->p; q++) {
        int first = split_first(t->s.columns, t->p, q), n = split_count(t->s.columns, t->p, q);
        memcpy(c->send + c->senddispls[q] + (ptrdiff_t)i * n, t->line + first,
               (size_t)n * sizeof *t->line);
    }
    tutti_progress(); /* the chunks before this one */
}

static void transform(transpose *t, chunk *c, kiss_fft_cfg cfg, const kiss_fft_cpx *in)
{
    int i = 0;

    for (int k = c->first_plane; k < c->first_plane + c->planes; k++)
        for (int row = 0; row < c->rows[t->rank]; row++) {
            ptrdiff_t my_row = c->first_row[t->rank] - t->first_row + row;
            transform_line(t, c, cfg, in + k * t->s.plane_stride + my_row * t->s.row_stride, i++);
        }
}

/* The pieces of lines that have come become pieces of columns. */
static void put_into_place(const transpose *t, const chunk *c, kiss_fft_cpx *out)
{
    int columns = transpose_my_columns(t);

    for (int q = 0; q < t->p; q++) {
        const kiss_fft_cpx *from = c->recv + c->recvdispls[q];
        for (int k = c->first_plane; k < c->first_plane + c->planes; k++)
            for (int row = 0; row < c->rows[q]; row++, from += columns) {
                kiss_fft_cpx *to = out + (ptrdiff_t)k * columns * t->s.rows + c->first_row[q] + row;
                for (int x = 0; x < columns; x++)
                    to[(ptrdiff_t)x * t->s.rows] = from[x];
            }
    }
}

int transpose_run(transpose *t, kiss_fft_cfg cfg, const kiss_fft_cpx *in, kiss_fft_cpx *out)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < t->nchunks && !error; i++) {
        transform(t, &t->chunks[i], cfg, in);
        error = MPIX_Start(&t->chunks[i].request);
    }
    for (int i = 0; i < t->nchunks && !error; i++) {
        error = MPIX_Wait(&t->chunks[i].request, MPI_STATUS_IGNORE);
        if (!error)
            put_into_place(t, &t->chunks[i], out);
    }
    return error;
}
