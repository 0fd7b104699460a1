/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv_cg.c - conjugate gradients; only the values of the vector travel that a rank needs.
 *
 * usage: spmv_cg [options] [FILE.mtx]
 *
 * The rows of a sparse matrix are distributed. In each iteration a rank needs some values of other
 * ranks' parts of the direction vector, its halo: they travel while the columns that it owns are
 * multiplied. Then two dot products are summed over all ranks, one after the other. Four ways of
 * communication advance side by side, one iteration each in turn, and must agree:
 *
 *   blocking      MPI_Neighbor_alltoallv, then all columns
 *   non-blocking  MPI_Ineighbor_alltoallv, own columns, MPI_Wait, the rest
 *   by hand       the same with persistent messages to the neighbors: MPI_Startall, MPI_Waitall
 *   persistent    the same with MPIX_Start and MPIX_Wait of a persistent neighbor_alltoallv; and
 *                 each dot product is a persistent allreduce, where the others call MPI_Allreduce
 *
 * With --pipelined three more, whose only sum is under the multiplication, too
 * (common/pipelined.c), by MPI_Iallreduce or a persistent allreduce.
 *
 * cg has the same solvers, but assembles the whole vector on each rank.
 */
#include "any_failed.h"
#include "common/compare.h"
#include "common/report.h"
#include "matrix.h"
#include "parts.h"
#include "serial.h"
#include "traffic.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const way ways[] = {
    {"blocking", "native blocking", BLOCKING, BLOCKING, false},
    {"nonblocking", "native non-blocking", NONBLOCKING, BLOCKING, false},
    {"hand", "by hand", BY_HAND, BLOCKING, false},
    {"persistent", "Tutti persistent", PERSISTENT, PERSISTENT, false},
    {"nonblocking", "native pipelined", NONBLOCKING, NONBLOCKING, true},
    {"hand", "by hand, pipelined", BY_HAND, NONBLOCKING, true},
    {"persistent", "Tutti pipelined", PERSISTENT, PERSISTENT, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct option names[] = {{"algorithm", required_argument, NULL, 'a'},
                                      {"method", required_argument, NULL, 'm'},
                                      {"iterations", required_argument, NULL, 'i'},
                                      {"tolerance", required_argument, NULL, 't'},
                                      {"grid", required_argument, NULL, 'g'},
                                      {"stencil", required_argument, NULL, 's'},
                                      {"pipelined", no_argument, NULL, 'p'},
                                      {"replace", required_argument, NULL, 'r'},
                                      {"types", no_argument, NULL, 'y'},
                                      {"parts", required_argument, NULL, 'd'},
                                      {"regions", required_argument, NULL, 'n'},
                                      {0}};

static const command spmv_cg = {
    .name = "spmv_cg",
    .options = names,
    .usage =
        "usage: spmv_cg [options] [FILE.mtx]\n"
        "  --parts NAME             which rank has which rows: rows (in blocks, default), scotch\n"
        "                           or, without FILE, boxes\n"
        "  --algorithm NAME[:FORM]  for the persistent neighbor_alltoallv (default auto)\n"
        "  --types                  ... a persistent neighbor_alltoallw instead, which takes "
        "values\n"
        "                           from where they are in the vector\n"
        "  --method NAME            blocking, nonblocking, hand, persistent or all (default)\n"
        "  --pipelined              all but blocking also with one sum in an iteration, under the\n"
        "                           product with the matrix\n"
        "  --replace N              there: compute the residual anew every N iterations (default\n"
        "                           50, 0: never)\n"
        "  --iterations N           at most (default 1000)\n"
        "  --tolerance X            relative residual (default 1e-8)\n"
        "  --grid K                 without FILE: a problem on K^3 points (default 30)\n"
        "  --stencil 7 or 27        its points (default 7)\n"
        "  --regions SHAPE          where the ranks are made up to be, as TUTTI_REGIONS: node:4\n"};

/* Rank 0: read or make the problem, and divide it. False: error says why. */
static bool make_problem(const options *o, int p, whole *w, int **part, char *error)
{
    entries e = {0};
    const char *wrong = "out of memory";
    int failed;

    snprintf(error, ENTRIES_ERROR_SIZE, "spmv_cg: %s", wrong);
    failed = o->file ? entries_read(o->file, &e, error) : entries_stencil(o->grid, o->stencil, &e);
    if (failed)
        return false;
    failed = whole_make(w, &e, o->file ? 0 : o->grid);
    free(e.at);
    *part = failed ? NULL : malloc((size_t)w->n * sizeof **part);
    if (*part)
        wrong = parts_make(o->parts, w, p, *part);
    if (wrong)
        snprintf(error, ENTRIES_ERROR_SIZE, "spmv_cg: %s", wrong);
    return !wrong;
}

/* Rank 0 makes the problem, and all get their rows. */
static int load(const options *o, int rank, whole *w, matrix *m)
{
    char error[ENTRIES_ERROR_SIZE] = "";
    int *part = NULL, failed = 0, p;

    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (rank == 0 && !make_problem(o, p, w, &part, error))
        failed = 1;
    failed = any_failed(failed);
    if (!failed && matrix_deal(m, w, part) != 0) {
        failed = 1;
        snprintf(error, sizeof error, "spmv_cg: out of memory");
    }
    if (failed && rank == 0)
        fprintf(stderr, "%s\n", error);
    free(part);
    return failed;
}

static int set_regions(MPI_Comm comm, const char *regions)
{
    MPI_Info info;
    int error;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_regions", regions);
    error = tutti_comm_set_hints(comm, info);
    MPI_Info_free(&info);
    return error;
}

static int make_regions(const char *regions, const matrix *m)
{
    if (!regions || (set_regions(MPI_COMM_WORLD, regions) == MPI_SUCCESS &&
                     set_regions(m->halo.comm, regions) == MPI_SUCCESS))
        return 0;
    if (m->rank == 0)
        fprintf(stderr, "spmv_cg: --regions %s: not a shape; try tutti-plan --regions\n", regions);
    return 1;
}

static void print_problem(const options *o, const matrix *m, int nodes)
{
    if (m->rank != 0)
        return;
    if (o->file)
        printf("%s", o->file);
    else
        printf("%d-point problem", o->stencil);
    printf(": %d unknowns, %d non-zeros; parts: %s; %d %s, %d %s; halo algorithm %s\n", m->n,
           m->whole->a.start[m->n], o->parts, m->p, m->p == 1 ? "rank" : "ranks", nodes,
           nodes == 1 ? "node" : "nodes", o->algorithm);
}

static int print_traffic(const options *o, const matrix *m)
{
    int *node = malloc((size_t)m->p * sizeof *node), nodes = 0, failed = any_failed(!node);

    if (!failed)
        failed = tutti_comm_regions(MPI_COMM_WORLD, "node", node, &nodes) != MPI_SUCCESS;
    if (!failed) {
        print_problem(o, m, nodes);
        failed = traffic_print(m, node, nodes);
    }
    if (failed && m->rank == 0)
        fputs("spmv_cg: out of memory\n", stderr);
    free(node);
    return failed;
}

static int judge(solver s[], int n)
{
    int failed = report(s, n);

    return serial_check(s, n) || failed;
}

static int solve(const options *o, const matrix *m)
{
    const problem p = {m, m->rows, m->rank, m->b, m->exact};

    if (m->rank == 0)
        puts("times: of the slowest rank, median of the iterations (ratio to the first line's)");
    return compare_ways(&p, ways, WAYS, o, judge);
}

int main(int argc, char **argv)
{
    options o;
    matrix m;
    whole w = {0};
    int rank, failed = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!options_parse(argc, argv, &spmv_cg, &o) || !method_known(ways, WAYS, &o) ||
        !parts_known(o.parts)) {
        if (rank == 0)
            fputs(spmv_cg.usage, stderr);
    } else if (!load(&o, rank, &w, &m)) {
        failed = make_regions(o.regions, &m) || print_traffic(&o, &m) || solve(&o, &m);
        matrix_free(&m);
    }
    whole_free(&w);
    MPI_Finalize();
    return failed ? 1 : 0;
}
