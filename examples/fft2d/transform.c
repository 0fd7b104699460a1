/* SPDX-License-Identifier: BSD-3-Clause */
/* transform.c - see transform.h. */
#include "transform.h"

#include "split.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Transform lines of one direction and transpose. */
typedef struct stage {
    transpose *transpose;
    kiss_fft_cfg cfg; /* of the lines; owned by the transform */
} stage;

struct transform {
    int n[3];
    int z, y, x; /* how many of each this rank has: of z, y before the first transpose, x after */
    int y2;      /* of y, after the second transpose */
    int first_z, first_y, first_x, first_y2;
    MPI_Comm row, column;
    int nstages;
    stage forward[2], inverse[2];
    kiss_fft_cfg cfg[2][3]; /* [inverse][direction z, y, x] */
    kiss_fft_cpx *work, *line;
};

size_t transform_points(const transform *t)
{
    return (size_t)t->z * (size_t)t->y * (size_t)t->n[2];
}

static size_t turned_points(const transform *t)
{
    return (size_t)t->z * (size_t)t->x * (size_t)t->n[1];
}

size_t transform_frequencies(const transform *t)
{
    return t->nstages == 1 ? turned_points(t) : (size_t)t->x * (size_t)t->y2 * (size_t)t->n[0];
}

void transform_point_at(const transform *t, size_t i, int at[3])
{
    size_t line = i / (size_t)t->n[2];

    at[2] = (int)(i % (size_t)t->n[2]);
    at[1] = t->first_y + (int)(line % (size_t)t->y);
    at[0] = t->first_z + (int)(line / (size_t)t->y);
}

void transform_frequency_at(const transform *t, size_t i, int at[3])
{
    int length = t->nstages == 1 ? t->n[1] : t->n[0];
    size_t line = i / (size_t)length;

    at[t->nstages == 1] = (int)(i % (size_t)length); /* y of a 2-D field, z of a 3-D one */
    if (t->nstages == 1) {
        at[0] = 0;
        at[2] = t->first_x + (int)line;
    } else {
        at[1] = t->first_y2 + (int)(line % (size_t)t->y2);
        at[2] = t->first_x + (int)(line / (size_t)t->y2);
    }
}

/* ---- make ---- */

static void shares(transform *t, const int grid[2], int rank)
{
    int i = rank / grid[1], j = rank % grid[1];

    t->first_z = split_first(t->n[0], grid[0], i);
    t->first_y = split_first(t->n[1], grid[1], j);
    t->first_x = split_first(t->n[2], grid[1], j);
    t->first_y2 = split_first(t->n[1], grid[0], i);
    t->z = split_count(t->n[0], grid[0], i);
    t->y = split_count(t->n[1], grid[1], j);
    t->x = split_count(t->n[2], grid[1], j);
    t->y2 = split_count(t->n[1], grid[0], i);
    MPI_Comm_split(MPI_COMM_WORLD, i, j, &t->row);
    MPI_Comm_split(MPI_COMM_WORLD, j, i, &t->column);
}

/* The layouts: field [z][y][x], after the first transpose [z][x][y], spectrum [x][y][z]. */
static int make_stages(transform *t, int chunks, const char *algorithm)
{
    const int *n = t->n;
    transpose_shape there[2] = {{t->row, t->z, n[1], n[2], (ptrdiff_t)t->y * n[2], n[2]},
                                {t->column, t->x, n[0], n[1], n[1], (ptrdiff_t)t->x * n[1]}};
    transpose_shape back[2] = {{t->column, t->x, n[1], n[0], (ptrdiff_t)t->y2 * n[0], n[0]},
                               {t->row, t->z, n[2], n[1], n[1], (ptrdiff_t)t->z * n[1]}};
    int error = MPI_SUCCESS;

    for (int i = 0; i < t->nstages && !error; i++) {
        int from = t->nstages == 1 ? 1 : i; /* 2-D: the last step back is the only one */
        t->forward[i].cfg = t->cfg[0][2 - i];
        t->inverse[i].cfg = t->cfg[1][from];
        error = transpose_make(&there[i], chunks, algorithm, &t->forward[i].transpose);
        if (!error)
            error = transpose_make(&back[from], chunks, algorithm, &t->inverse[i].transpose);
    }
    return error;
}

static bool make_memory(transform *t)
{
    size_t most = transform_points(t), longest = 0;

    if (turned_points(t) > most)
        most = turned_points(t);
    for (int i = 0; i < 3; i++) {
        for (int inverse = 0; inverse < 2; inverse++)
            t->cfg[inverse][i] = kiss_fft_alloc(t->n[i], inverse, NULL, NULL);
        longest = (size_t)t->n[i] > longest ? (size_t)t->n[i] : longest;
    }
    t->work = malloc((most + 1) * sizeof *t->work);
    t->line = malloc(longest * sizeof *t->line);
    return t->work && t->line && t->cfg[0][0] && t->cfg[0][1] && t->cfg[0][2] && t->cfg[1][0] &&
           t->cfg[1][1] && t->cfg[1][2];
}

int transform_make(const int n[3], const int grid[2], int chunks, const char *algorithm,
                   transform **result)
{
    transform *t = calloc(1, sizeof *t);
    int rank, failed = !t, error;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed) {
        free(t);
        return MPI_ERR_NO_MEM;
    }
    memcpy(t->n, n, sizeof t->n);
    t->nstages = n[0] > 1 ? 2 : 1;
    shares(t, grid, rank);
    failed = !make_memory(t);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    error = failed ? MPI_ERR_NO_MEM : make_stages(t, chunks, algorithm);
    if (error) {
        transform_free(t);
        return error;
    }
    *result = t;
    return MPI_SUCCESS;
}

void transform_free(transform *t)
{
    if (!t)
        return;
    for (int i = 0; i < 2; i++) {
        transpose_free(t->forward[i].transpose);
        transpose_free(t->inverse[i].transpose);
        for (int k = 0; k < 3; k++)
            free(t->cfg[i][k]);
    }
    MPI_Comm_free(&t->row);
    MPI_Comm_free(&t->column);
    free(t->line);
    free(t->work);
    free(t);
}

/* ---- run ---- */

static void transform_lines(transform *t, kiss_fft_cfg cfg, int length, size_t n,
                            kiss_fft_cpx *data, float scale)
{
    for (size_t i = 0; i < n; i++, data += length) {
        kiss_fft(cfg, data, t->line);
        for (int k = 0; k < length; k++)
            data[k] = (kiss_fft_cpx){t->line[k].r * scale, t->line[k].i * scale};
    }
}

/* From `from` through the work space to `to`, or straight to it. */
static int run_stages(transform *t, const stage *stages, kiss_fft_cpx *from, kiss_fft_cpx *to)
{
    int error;

    if (t->nstages == 1)
        return transpose_run(stages[0].transpose, stages[0].cfg, from, to);
    error = transpose_run(stages[0].transpose, stages[0].cfg, from, t->work);
    return error ? error : transpose_run(stages[1].transpose, stages[1].cfg, t->work, to);
}

int transform_forward(transform *t, kiss_fft_cpx *field, kiss_fft_cpx *spectrum)
{
    int last = t->nstages == 1, error = run_stages(t, t->forward, field, spectrum);

    if (!error)
        transform_lines(t, t->cfg[0][last], t->n[last],
                        transform_frequencies(t) / (size_t)t->n[last], spectrum, 1);
    return error;
}

int transform_inverse(transform *t, kiss_fft_cpx *spectrum, kiss_fft_cpx *field)
{
    float points = (float)t->n[0] * (float)t->n[1] * (float)t->n[2];
    int error = run_stages(t, t->inverse, spectrum, field);

    if (!error)
        transform_lines(t, t->cfg[1][2], t->n[2], transform_points(t) / (size_t)t->n[2], field,
                        1 / points);
    return error;
}
