/* SPDX-License-Identifier: BSD-3-Clause */
/* cg.c - conjugate gradients; the direction vector is assembled under the multiplication.
 *
 * usage: cg [options] [FILE.mtx]
 *
 * In each iteration every rank needs the whole direction vector. Its own part is there at once: the
 * columns that the rank owns are multiplied while an allgatherv brings the others. Then two dot
 * products are summed over all ranks, one after the other. Four ways of communication advance side
 * by side, one iteration each in turn, and must agree:
 *
 *   blocking      MPI_Allgatherv, then all columns
 *   non-blocking  MPI_Iallgatherv, own columns, MPI_Wait, the rest
 *   gather        MPIX_Start of one request made before the loop, own columns, MPIX_Wait, the rest
 *   persistent    the same; and each dot product is MPIX_Start and MPIX_Wait of a persistent
 *                 allreduce made before the loop, where the others call MPI_Allreduce
 *
 * With --pipelined two more, whose only sum is under the multiplication, too (pipelined.c):
 *
 *   non-blocking  MPI_Iallreduce, MPI_Iallgatherv, own columns, MPI_Wait, the rest, MPI_Wait
 *   persistent    MPIX_Start of both requests, own columns, MPIX_Wait, the rest, MPIX_Wait
 */
#include "common/compare.h"
#include "common/report.h"
#include "matrix.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const way ways[] = {
    {"blocking", "native blocking", BLOCKING, BLOCKING, false},
    {"nonblocking", "native non-blocking", NONBLOCKING, BLOCKING, false},
    {"gather", "Tutti gather", PERSISTENT, BLOCKING, false},
    {"persistent", "Tutti persistent", PERSISTENT, PERSISTENT, false},
    {"nonblocking", "native pipelined", NONBLOCKING, NONBLOCKING, true},
    {"persistent", "Tutti pipelined", PERSISTENT, PERSISTENT, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct option names[] = {
    {"algorithm", required_argument, NULL, 'a'},  {"method", required_argument, NULL, 'm'},
    {"iterations", required_argument, NULL, 'i'}, {"tolerance", required_argument, NULL, 't'},
    {"grid", required_argument, NULL, 'g'},       {"pipelined", no_argument, NULL, 'p'},
    {"replace", required_argument, NULL, 'r'},    {0}};

static const command cg = {
    .name = "cg",
    .options = names,
    .usage =
        "usage: cg [options] [FILE.mtx]\n"
        "  --algorithm NAME[:FORM]  for the persistent allgatherv (default auto)\n"
        "  --method NAME            blocking, nonblocking, gather, persistent or all (default)\n"
        "  --pipelined              nonblocking and persistent also with one sum in an iteration,\n"
        "                           under the product with the matrix\n"
        "  --replace N              there: compute the residual anew every N iterations (default\n"
        "                           50, 0: never)\n"
        "  --iterations N           at most (default 1000)\n"
        "  --tolerance X            relative residual (default 1e-8)\n"
        "  --grid K                 without FILE: Poisson problem on K^3 points (default 30)\n"};

/* Rank 0 reads or builds; all learn whether it went well. */
static int load(const options *o, int rank, matrix *m)
{
    entries e = {0};
    char error[ENTRIES_ERROR_SIZE] = "out of memory";
    int failed = 0;

    if (rank == 0)
        failed = o->file ? entries_read(o->file, &e, error) : entries_stencil(o->grid, 7, &e);
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!failed) {
        failed = matrix_distribute(&e, MPI_COMM_WORLD, m);
        if (rank == 0)
            free(e.at);
    }
    if (failed && rank == 0)
        fprintf(stderr, "%s\n", error);
    return failed;
}

static void print_problem(const options *o, const matrix *m)
{
    int least = m->n, most = 0;

    for (int r = 0; r < m->p; r++) {
        least = m->counts[r] < least ? m->counts[r] : least;
        most = m->counts[r] > most ? m->counts[r] : most;
    }
    if (m->rank == 0)
        printf("%s: %d unknowns on %d ranks, %d to %d rows each; allgatherv algorithm %s\n"
               "times: of the slowest rank, median of the iterations (ratio to the first line's)\n",
               o->file ? o->file : "3-D Poisson problem", m->n, m->p, least, most, o->algorithm);
}

/* The right-hand side is A times ones: so the solution is known. */
static int make_sides(const matrix *m, const options *o, double *b, double *ones)
{
    sums none = {.how = BLOCKING};
    product *p;
    int failed = !b || !ones;

    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed || product_open(&p, m, BLOCKING, o) != MPI_SUCCESS)
        return 1;
    for (int i = 0; i < m->rows; i++)
        product_vector(p)[i] = ones[i] = 1;
    product_multiply(p, &none, b);
    product_close(p);
    return 0;
}

static int solve(const options *o, const matrix *m)
{
    double *b = malloc((size_t)m->rows * sizeof *b + 1);
    double *ones = malloc((size_t)m->rows * sizeof *ones + 1);
    const problem p = {.matrix = m, .rows = m->rows, .rank = m->rank, .b = b, .exact = ones};
    int failed = make_sides(m, o, b, ones);

    if (failed && m->rank == 0)
        fputs("cg: out of memory\n", stderr);
    else if (!failed)
        failed = compare_ways(&p, ways, WAYS, o, report);
    free(b);
    free(ones);
    return failed;
}

int main(int argc, char **argv)
{
    options o;
    matrix m;
    int rank, failed = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!options_parse(argc, argv, &cg, &o) || !method_known(ways, WAYS, &o)) {
        if (rank == 0)
            fputs(cg.usage, stderr);
    } else {
        failed = load(&o, rank, &m);
        if (!failed) {
            print_problem(&o, &m);
            failed = solve(&o, &m);
            matrix_free(&m);
        }
    }
    MPI_Finalize();
    return failed ? 1 : 0;
}
