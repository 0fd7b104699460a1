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
#include "report.h"
#include "solver.h"

#include <stdio.h>
#include <stdlib.h>

/* Rank 0 reads or builds; all learn whether it went well. */
static int load(const options *o, int rank, matrix *m)
{
    entries e = {0};
    char error[MATRIX_ERROR_SIZE] = "out of memory";
    int failed = 0;

    if (rank == 0)
        failed = o->file ? matrix_read(o->file, &e, error) : matrix_poisson(o->grid, &e);
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

/* One iteration of each solver in turn, beginning with another one each time. */
static void run(solver s[], int n)
{
    bool busy = true;

    for (int round = 0; busy; round++) {
        busy = false;
        for (int i = 0; i < n; i++) {
            solver *one = &s[(i + round) % n];
            if (solver_done(one))
                continue;
            busy = true;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            solver_iterate(one);
            one->times[one->iterations++] = MPI_Wtime() - begin;
        }
    }
}

static void explain(const options *o, int rank, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    if (rank == 0)
        fprintf(stderr, "cg: --algorithm %s: %s\n", o->algorithm, text);
}

static int solve(const options *o, const matrix *m)
{
    solver s[WAYS];
    int n = 0, error = MPI_SUCCESS, failed = 1;

    for (int i = 0; i < WAYS && !error; i++)
        if (way_chosen(&ways[i], o))
            error = solver_open(&s[n++], m, &ways[i], o);
    if (error) {
        explain(o, m->rank, error);
    } else {
        run(s, n);
        failed = report(s, n);
    }
    for (int i = 0; i < n; i++)
        solver_close(&s[i]);
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
    if (!options_parse(argc, argv, &o) || !method_known(&o)) {
        if (rank == 0)
            fputs(options_usage, stderr);
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
