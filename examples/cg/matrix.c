/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.c - distribute a matrix by rows. */
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 24 }; /* entries in one broadcast: below the int limit of bytes */

/* Rank 0's list to everybody. */
static int broadcast(const entries *e, MPI_Comm comm, int rank, entries *copy)
{
    unsigned long long head[2] = {0, 0};
    int failed;

    if (rank == 0) {
        head[0] = (unsigned long long)e->n;
        head[1] = e->count;
    }
    MPI_Bcast(head, 2, MPI_UNSIGNED_LONG_LONG, 0, comm);
    *copy = (entries){.n = (int)head[0], .count = head[1]};
    copy->at = malloc(head[1] * sizeof *copy->at + 1);
    failed = !copy->at;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    if (failed) {
        free(copy->at);
        return -1;
    }
    if (rank == 0)
        memcpy(copy->at, e->at, e->count * sizeof *e->at);
    for (size_t i = 0; i < copy->count; i += CHUNK) {
        size_t n = copy->count - i < CHUNK ? copy->count - i : CHUNK;
        MPI_Bcast(copy->at + i, (int)(n * sizeof *copy->at), MPI_BYTE, 0, comm);
    }
    return 0;
}

/* Cut the rows where the running sum of non-zeros passes k/p of all: uneven blocks of rows. */
static int deal_rows(const entries *e, matrix *m)
{
    size_t *weight = calloc((size_t)m->n, sizeof *weight), sum = 0;
    int row = 0;

    m->counts = calloc((size_t)m->p * 2, sizeof *m->counts);
    if (!weight || !m->counts) {
        free(weight);
        return -1;
    }
    m->displs = m->counts + m->p;
    for (size_t i = 0; i < e->count; i++)
        weight[e->at[i].row]++;
    for (int r = 0; r < m->p; r++) {
        m->displs[r] = row;
        while (row < m->n && (r == m->p - 1 || sum < e->count / (size_t)m->p * (size_t)(r + 1)))
            sum += weight[row++];
        m->counts[r] = row - m->displs[r];
    }
    m->first = m->displs[m->rank];
    m->rows = m->counts[m->rank];
    free(weight);
    return 0;
}

static int is_mine(const matrix *m, int index)
{
    return index >= m->first && index < m->first + m->rows;
}

/* The entries of my rows whose columns are mine (own = 1) or not. */
static int build(const entries *e, const matrix *m, int own, csr *part)
{
    part->start = calloc((size_t)m->rows + 2, sizeof *part->start);
    if (!part->start)
        return -1;
    for (size_t i = 0; i < e->count; i++)
        if (is_mine(m, e->at[i].row) && is_mine(m, e->at[i].column) == own)
            part->start[e->at[i].row - m->first + 2]++;
    for (int r = 1; r <= m->rows; r++)
        part->start[r + 1] += part->start[r];
    size_t n = (size_t)part->start[m->rows + 1] + 1;
    part->column = malloc(n * sizeof *part->column);
    part->value = malloc(n * sizeof *part->value);
    if (!part->column || !part->value)
        return -1;
    for (size_t i = 0; i < e->count; i++)
        if (is_mine(m, e->at[i].row) && is_mine(m, e->at[i].column) == own) {
            int at = part->start[e->at[i].row - m->first + 1]++; /* ends as the row's end */
            part->column[at] = e->at[i].column;
            part->value[at] = e->at[i].value;
        }
    return 0;
}

int matrix_distribute(const entries *e, MPI_Comm comm, matrix *m)
{
    entries copy;
    int failed;

    *m = (matrix){0};
    MPI_Comm_size(comm, &m->p);
    MPI_Comm_rank(comm, &m->rank);
    if (broadcast(e, comm, m->rank, &copy) != 0)
        return -1;
    m->n = copy.n;
    failed = deal_rows(&copy, m) != 0 || build(&copy, m, 1, &m->own) != 0 ||
             build(&copy, m, 0, &m->rest) != 0;
    free(copy.at);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    if (failed)
        matrix_free(m);
    return failed ? -1 : 0;
}

void matrix_free(matrix *m)
{
    csr_free(&m->own);
    csr_free(&m->rest);
    free(m->counts);
    *m = (matrix){0};
}
