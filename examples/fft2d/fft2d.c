/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d.c - the Fourier transform of a picture or a field, its transposes under its computation.
 *
 * usage: fft2d [options] [PICTURE.pgm]
 *
 * Rows are spread over the ranks. A forward transform and its inverse must give the input again,
 * and small fields are compared with a serial transform. With -k K the transposes travel in K
 * chunks, each while the next is transformed; -k 1 does not overlap and is the baseline that is
 * timed beside it, in turn. --lowpass keeps low frequencies only, and --output writes the picture
 * that remains. --pencil takes a 3-D field on a grid of ranks instead.
 */
#include "options.h"
#include "pgm.h"
#include "split.h"
#include "transform.h"

#include <kiss_fftnd.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_MOST = 1 << 18 }; /* points up to which the serial transform is compared */

static const double tolerance = 2e-5; /* of the largest value: single precision */

static int rank, size;

/* ---- the field ---- */

/* Some waves, and a square with sharp edges for the low pass to soften. 0 to 255. */
static float generated(const int n[3], const int at[3])
{
    double x = (at[2] + 0.5) / n[2], y = (at[1] + 0.5) / n[1], z = (at[0] + 0.5) / n[0];
    double value = 80 + 30 * sin(40 * x + 13 * y * y) + 20 * cos(25 * y * x + 9 * z);

    if (fabs(x - 0.6) < 0.2 && fabs(y - 0.4) < 0.15)
        value += 100;
    return (float)value;
}

/* Rank 0 reads, all learn what there is; NULL without a file. Whole on all ranks: it is small. */
static int load(options *o, pgm *picture)
{
    char error[PGM_ERROR_SIZE];
    int head[4] = {0};

    if (!o->file)
        return 0;
    if (rank == 0) {
        head[0] = pgm_read(o->file, picture, error);
        if (head[0])
            fprintf(stderr, "%s\n", error);
        head[1] = picture->rows;
        head[2] = picture->columns;
        head[3] = picture->maximum;
    }
    MPI_Bcast(head, 4, MPI_INT, 0, MPI_COMM_WORLD);
    if (head[0])
        return 1;
    o->n[1] = picture->rows = head[1];
    o->n[2] = picture->columns = head[2];
    picture->maximum = head[3];
    if (rank != 0)
        picture->at = malloc((size_t)head[1] * (size_t)head[2] * sizeof *picture->at);
    if (!picture->at)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(picture->at, head[1] * head[2], MPI_UINT16_T, 0, MPI_COMM_WORLD);
    return 0;
}

static void fill(const options *o, const transform *t, const pgm *picture, kiss_fft_cpx *field)
{
    for (size_t i = 0; i < transform_points(t); i++) {
        int at[3];
        transform_point_at(t, i, at);
        field[i].i = 0;
        field[i].r = picture->at
                         ? (float)picture->at[(size_t)at[1] * (size_t)o->n[2] + (size_t)at[2]]
                         : generated(o->n, at);
    }
}

/* ---- checks ---- */

static double largest(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Largest difference, as a share of the largest value. */
static double difference(const kiss_fft_cpx *a, const kiss_fft_cpx *b, size_t n)
{
    double most = 0, value = 0;

    for (size_t i = 0; i < n; i++) {
        most = fmax(most, hypot(a[i].r - b[i].r, a[i].i - b[i].i));
        value = fmax(value, hypot(b[i].r, b[i].i));
    }
    most = largest(most);
    value = largest(value);
    return value > 0 ? most / value : most;
}

/* The share of this rank of the serial transform of the same field. */
static kiss_fft_cpx *serial(const options *o, const transform *t, const kiss_fft_cpx *field)
{
    size_t n = (size_t)o->n[0] * (size_t)o->n[1] * (size_t)o->n[2];
    kiss_fft_cpx *all = calloc(n, sizeof *all), *result = calloc(n, sizeof *result), *mine;
    kiss_fftnd_cfg cfg = kiss_fftnd_alloc(o->n, 3, 0, NULL, NULL);
    int at[3];

    mine = malloc((transform_frequencies(t) + 1) * sizeof *mine);
    if (!all || !result || !cfg || !mine)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < transform_points(t); i++) {
        transform_point_at(t, i, at);
        all[((size_t)at[0] * (size_t)o->n[1] + (size_t)at[1]) * (size_t)o->n[2] + (size_t)at[2]] =
            field[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, all, (int)(2 * n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    kiss_fftnd(cfg, all, result);
    for (size_t i = 0; i < transform_frequencies(t); i++) {
        transform_frequency_at(t, i, at);
        mine[i] = result[((size_t)at[0] * (size_t)o->n[1] + (size_t)at[1]) * (size_t)o->n[2] +
                         (size_t)at[2]];
    }
    free(all);
    free(result);
    free(cfg);
    return mine;
}

static int say(const char *what, double error)
{
    bool right = error <= tolerance;

    if (rank == 0)
        printf("%-28s largest difference %.1e  %s\n", what, error, right ? "right" : "WRONG");
    return !right;
}

/* An error of MPI ends the program: requests may be active. */
static void must(int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "fft2d: rank %d: %s\n", rank, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int check(const options *o, transform *t, const kiss_fft_cpx *field, kiss_fft_cpx *work,
                 kiss_fft_cpx *spectrum)
{
    size_t points = transform_points(t);
    int failed = 0;

    memcpy(work, field, points * sizeof *work);
    must(transform_forward(t, work, spectrum));
    if ((double)o->n[0] * o->n[1] * o->n[2] <= SERIAL_MOST) {
        kiss_fft_cpx *expected = serial(o, t, field);
        failed |= say("against a serial transform",
                      difference(spectrum, expected, transform_frequencies(t)));
        free(expected);
    }
    must(transform_inverse(t, spectrum, work));
    return failed | say("forward and back", difference(work, field, points));
}

/* ---- the low pass ---- */

/* 0 to 1: how high frequency i of n is. */
static double height(int i, int n)
{
    return n == 1 ? 0 : 2.0 * (i <= n / 2 ? i : n - i) / n;
}

static void keep_low(const options *o, const transform *t, kiss_fft_cpx *spectrum)
{
    for (size_t i = 0; i < transform_frequencies(t); i++) {
        int at[3];
        transform_frequency_at(t, i, at);
        if (hypot(height(at[1], o->n[1]), height(at[2], o->n[2])) > o->lowpass)
            spectrum[i] = (kiss_fft_cpx){0, 0};
    }
}

/* Rank 0 writes the real part of all rows. */
static int write_picture(const options *o, const transform *t, int maximum,
                         const kiss_fft_cpx *field)
{
    size_t n = transform_points(t);
    int *counts = calloc(2 * (size_t)size, sizeof *counts), *displs = counts + size, failed = 0;
    pgm all = {.rows = o->n[1], .columns = o->n[2], .maximum = maximum};
    uint16_t *mine = malloc((n + 1) * sizeof *mine);
    char error[PGM_ERROR_SIZE];

    if (rank == 0)
        all.at = malloc((size_t)all.rows * (size_t)all.columns * sizeof *all.at);
    if (!counts || !mine || (rank == 0 && !all.at))
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < n; i++)
        mine[i] = (uint16_t)fmin(maximum, fmax(0, field[i].r + 0.5));
    for (int r = 0; r < size; r++) {
        counts[r] = split_count(o->n[1], size, r) * o->n[2];
        displs[r] = split_first(o->n[1], size, r) * o->n[2];
    }
    MPI_Gatherv(mine, (int)n, MPI_UINT16_T, all.at, counts, displs, MPI_UINT16_T, 0,
                MPI_COMM_WORLD);
    if (rank == 0 && (failed = pgm_write(o->output, &all, error)))
        fprintf(stderr, "%s\n", error);
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(all.at);
    free(mine);
    free(counts);
    return failed;
}

static int filter(const options *o, transform *t, const pgm *picture, const kiss_fft_cpx *field,
                  kiss_fft_cpx *work, kiss_fft_cpx *spectrum)
{
    memcpy(work, field, transform_points(t) * sizeof *work);
    must(transform_forward(t, work, spectrum));
    if (o->lowpass >= 0)
        keep_low(o, t, spectrum);
    must(transform_inverse(t, spectrum, work));
    return write_picture(o, t, picture->at ? picture->maximum : 255, work);
}

/* ---- times ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of the slowest rank's times, seconds. */
static double typical(double *times, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, times, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(times, (size_t)n, sizeof *times, compare_doubles);
    return times[n / 2];
}

static double time_once(transform *t, kiss_fft_cpx *work, kiss_fft_cpx *spectrum)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    must(transform_forward(t, work, spectrum));
    must(transform_inverse(t, spectrum, work));
    return MPI_Wtime() - begin;
}

/* With K chunks and with one, in turn. */
static void compare_times(const options *o, transform *t, kiss_fft_cpx *work,
                          kiss_fft_cpx *spectrum)
{
    double *times = calloc(2 * (size_t)o->repetitions, sizeof *times), one, many;
    transform *baseline;

    must(transform_make(o->n, o->grid, 1, o->algorithm, &baseline));
    for (int i = -1; i < o->repetitions; i++)
        for (int k = 0; k < 2; k++) {
            int which = (k + i) & 1;
            double time = time_once(which ? t : baseline, work, spectrum);
            if (i >= 0 && times)
                times[which * o->repetitions + i] = time;
        }
    one = typical(times, o->repetitions);
    many = typical(times + o->repetitions, o->repetitions);
    if (rank == 0)
        printf("forward and back: %.3f ms in one chunk, %.3f ms in %d: ratio %.2f\n", one * 1e3,
               many * 1e3, o->chunks, many / one);
    transform_free(baseline);
    free(times);
}

/* ---- all of it ---- */

static void print_title(const options *o)
{
    if (rank != 0)
        return;
    if (o->pencil)
        printf("%d x %d x %d field on %d x %d ranks", o->n[0], o->n[1], o->n[2], o->grid[0],
               o->grid[1]);
    else
        printf("%s: %d x %d on %d ranks", o->file ? o->file : "generated field", o->n[1], o->n[2],
               size);
    printf(", %d chunk%s, alltoallv algorithm %s\n", o->chunks, o->chunks > 1 ? "s" : "",
           o->algorithm);
}

static int run(const options *o, const pgm *picture)
{
    kiss_fft_cpx *field, *work, *spectrum;
    transform *t;
    size_t points, most;
    int failed, error = transform_make(o->n, o->grid, o->chunks, o->algorithm, &t);

    if (error) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(error, text, &length);
        if (rank == 0)
            fprintf(stderr, "fft2d: algorithm %s: %s\n", o->algorithm, text);
        return 1;
    }
    points = transform_points(t);
    most = transform_frequencies(t) > points ? transform_frequencies(t) : points;
    field = malloc((points + 1) * sizeof *field);
    work = malloc((most + 1) * sizeof *work);
    spectrum = malloc((most + 1) * sizeof *spectrum);
    if (!field || !work || !spectrum)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fill(o, t, picture, field);
    failed = check(o, t, field, work, spectrum);
    if (o->output)
        failed |= filter(o, t, picture, field, work, spectrum);
    if (o->repetitions && o->chunks > 1)
        compare_times(o, t, work, spectrum);
    free(spectrum);
    free(work);
    free(field);
    transform_free(t);
    return failed;
}

int main(int argc, char **argv)
{
    pgm picture = {0};
    const char *wrong;
    options o;
    int failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed = 1;
    if (options_parse(argc, argv, &o))
        failed = load(&o, &picture);
    else if (rank == 0)
        fputs(options_usage, stderr);
    wrong = failed ? NULL : options_fit(&o, size);
    if (wrong && rank == 0)
        fprintf(stderr, "fft2d: %s\n", wrong);
    failed |= wrong != NULL;
    if (!failed) {
        print_title(&o);
        failed = run(&o, &picture);
    }
    free(picture.at);
    MPI_Finalize();
    return failed ? 1 : 0;
}
