/* cg.c - conjugate gradients; the direction vector is assembled under the multiplication.
 *
 * usage: cg [options] [FILE.mtx]
 *
 * In each iteration every rank needs the whole direction vector. Its own part is there at once: the
 * columns that the rank owns are multiplied while an allgatherv brings the others. Three ways of
 * communication advance side by side, one iteration each in turn, and must agree:
 *
 *   blocking      MPI_Allgatherv, then all columns
 *   non-blocking  MPI_Iallgatherv, own columns, MPI_Wait, the rest
 *   persistent    MPIX_Start of one request made before the loop, own columns, MPIX_Wait, the rest
 */
#include "matrix.h"

#include <tutti.h>

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum method { BLOCKING, NONBLOCKING, PERSISTENT, METHODS } method;

static const char *const method_names[METHODS] = {"native blocking", "native non-blocking",
                                                  "Tutti persistent"};

typedef struct options {
    const char *file;
    int grid, iterations;
    double tolerance;
    char algorithm[64];
    bool use[METHODS];
} options;

typedef struct solver {
    const matrix *m;
    method method;
    double *x, *r, *ap; /* my rows */
    double *direction;  /* [n], my rows at their place */
    double rr, rr0;     /* squared residual, now and at first */
    const char *broken; /* NULL, or why it cannot go on */
    MPIX_Request gather;
    double *times; /* [iterations] */
    int iterations;
} solver;

static void progress(void)
{
    tutti_progress();
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0, all;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* ap = A direction. The order of the additions is the same in all three ways. */
static void multiply(solver *s)
{
    const matrix *m = s->m;
    MPI_Request request;

    memset(s->ap, 0, (size_t)m->rows * sizeof *s->ap);
    if (s->method == BLOCKING)
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s->direction, m->counts, m->displs,
                       MPI_DOUBLE, MPI_COMM_WORLD);
    else if (s->method == NONBLOCKING)
        MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s->direction, m->counts, m->displs,
                        MPI_DOUBLE, MPI_COMM_WORLD, &request);
    else
        MPIX_Start(&s->gather);
    csr_multiply(&m->own, m->rows, s->direction, s->ap, s->method == PERSISTENT ? progress : NULL);
    if (s->method == NONBLOCKING)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (s->method == PERSISTENT)
        MPIX_Wait(&s->gather, MPI_STATUS_IGNORE);
    csr_multiply(&m->rest, m->rows, s->direction, s->ap, NULL);
}

/* Of a positive definite matrix this is positive. */
static void check(solver *s, double square)
{
    if (!isfinite(square))
        s->broken = "numbers out of range";
    else if (!(square > 0))
        s->broken = "matrix not positive definite";
}

/* The right-hand side is A times ones, so the solution is known. */
static int solver_open(solver *s, const matrix *m, method how, const options *o, MPI_Info info)
{
    size_t rows = (size_t)m->rows;
    int failed;

    *s = (solver){.m = m, .method = how};
    s->x = calloc(rows * 3 + 1, sizeof(double));
    s->direction = calloc((size_t)m->n, sizeof(double));
    s->times = calloc((size_t)o->iterations, sizeof(double));
    failed = !s->x || !s->direction || !s->times;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed)
        return MPI_ERR_NO_MEM;
    s->r = s->x + rows;
    s->ap = s->r + rows;
    if (how == PERSISTENT) {
        int error =
            MPIX_Allgatherv_auto_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s->direction, m->counts,
                                      m->displs, MPI_DOUBLE, MPI_COMM_WORLD, info, &s->gather);
        if (error)
            return error;
    }
    for (int i = 0; i < m->rows; i++)
        s->direction[m->first + i] = 1;
    multiply(s);
    memcpy(s->r, s->ap, rows * sizeof(double));
    memcpy(s->direction + m->first, s->r, rows * sizeof(double));
    s->rr = s->rr0 = dot(m->rows, s->r, s->r);
    check(s, s->rr);
    return MPI_SUCCESS;
}

static void solver_close(solver *s)
{
    if (s->gather != MPIX_REQUEST_NULL)
        MPIX_Request_free(&s->gather);
    free(s->times);
    free(s->direction);
    free(s->x);
}

static bool solver_done(const solver *s, const options *o)
{
    return s->broken || s->iterations == o->iterations ||
           s->rr <= o->tolerance * o->tolerance * s->rr0;
}

static void solver_iterate(solver *s)
{
    int rows = s->m->rows;
    double *p = s->direction + s->m->first, curvature, alpha, rr;

    multiply(s);
    curvature = dot(rows, p, s->ap);
    check(s, curvature);
    if (s->broken)
        return;
    alpha = s->rr / curvature;
    for (int i = 0; i < rows; i++) {
        s->x[i] += alpha * p[i];
        s->r[i] -= alpha * s->ap[i];
    }
    rr = dot(rows, s->r, s->r);
    for (int i = 0; i < rows; i++)
        p[i] = s->r[i] + rr / s->rr * p[i];
    s->rr = rr;
    if (rr != 0) /* which is the solution itself */
        check(s, rr);
}

/* One iteration of each method in turn, beginning with another one each time. */
static void run(solver s[METHODS], const options *o)
{
    bool busy = true;

    for (int round = 0; busy; round++) {
        busy = false;
        for (int i = 0; i < METHODS; i++) {
            solver *one = &s[(i + round) % METHODS];
            if (!o->use[one->method] || solver_done(one, o))
                continue;
            busy = true;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            solver_iterate(one);
            one->times[one->iterations++] = MPI_Wtime() - begin;
        }
    }
}

/* ---- results ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median over the iterations of the slowest rank's time, seconds. */
static double typical_time(solver *s)
{
    int n = s->iterations;

    if (n == 0)
        return 0;
    MPI_Allreduce(MPI_IN_PLACE, s->times, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(s->times, (size_t)n, sizeof(double), compare_doubles);
    return s->times[n / 2];
}

/* Largest difference of a's solution to b's, or to ones if b is NULL. */
static double difference(const solver *a, const solver *b)
{
    double most = 0;

    for (int i = 0; i < a->m->rows; i++)
        most = fmax(most, fabs(a->x[i] - (b ? b->x[i] : 1)));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Print a line a method; 0 if all converged to the same solution. */
static int report(solver s[METHODS], const options *o)
{
    const solver *first = NULL;
    int failed = 0, rank = s[0].m ? s[0].m->rank : 0;

    for (int i = 0; i < METHODS; i++) {
        if (!o->use[i])
            continue;
        if (!first)
            first = &s[i];
        double time = typical_time(&s[i]), error = difference(&s[i], NULL);
        double apart = difference(&s[i], first), residual = sqrt(s[i].rr / s[i].rr0);
        bool converged = residual <= o->tolerance; /* false for NaN */
        bool same = apart <= 1e-10 && s[i].iterations == first->iterations;

        if (rank == 0)
            printf("%-20s %5d iterations  residual %.2e  error %.2e  %9.1f us/iteration  %s\n",
                   method_names[i], s[i].iterations, residual, error, time * 1e6,
                   s[i].broken  ? s[i].broken
                   : !converged ? "not converged"
                   : same       ? "same solution"
                                : "DIFFERENT SOLUTION");
        failed |= s[i].broken || !same || !converged;
    }
    return failed;
}

/* ---- set-up ---- */

static int usage(int rank)
{
    if (rank == 0)
        fprintf(stderr,
                "usage: cg [options] [FILE.mtx]\n"
                "  --algorithm NAME[:FORM]  for the persistent allgatherv (default auto)\n"
                "  --method NAME            blocking, nonblocking, persistent or all (default)\n"
                "  --iterations N           at most (default 1000)\n"
                "  --tolerance X            relative residual (default 1e-8)\n"
                "  --grid K                 without FILE: Poisson problem on K^3 points (default "
                "30)\n");
    return 1;
}

static bool parse_method(const char *name, bool use[METHODS])
{
    static const char *const names[METHODS] = {"blocking", "nonblocking", "persistent"};
    bool known = strcmp(name, "all") == 0;

    for (int i = 0; i < METHODS; i++) {
        use[i] = strcmp(name, "all") == 0 || strcmp(name, names[i]) == 0;
        known |= use[i];
    }
    return known;
}

static bool parse(int argc, char **argv, options *o)
{
    static const struct option names[] = {
        {"algorithm", required_argument, NULL, 'a'},  {"method", required_argument, NULL, 'm'},
        {"iterations", required_argument, NULL, 'i'}, {"tolerance", required_argument, NULL, 't'},
        {"grid", required_argument, NULL, 'g'},       {0}};
    int option;
    bool right = true;

    *o = (options){.grid = 30, .iterations = 1000, .tolerance = 1e-8, .algorithm = "auto"};
    parse_method("all", o->use);
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (option == 'a')
            right &= snprintf(o->algorithm, sizeof o->algorithm, "%s", optarg) <
                     (int)sizeof o->algorithm;
        else if (option == 'm')
            right &= parse_method(optarg, o->use);
        else if (option == 'i')
            right &= (o->iterations = atoi(optarg)) > 0;
        else if (option == 't')
            right &= (o->tolerance = atof(optarg)) > 0;
        else if (option == 'g')
            right &= (o->grid = atoi(optarg)) > 0 && o->grid <= 400;
        else
            right = false;
    o->file = argv[optind];
    return right && argc - optind <= 1;
}

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
        printf("%s: %d unknowns on %d ranks, %d to %d rows each; allgatherv algorithm %s\n",
               o->file ? o->file : "3-D Poisson problem", m->n, m->p, least, most, o->algorithm);
}

static int solve(const options *o, const matrix *m)
{
    solver s[METHODS] = {0};
    MPI_Info info;
    int error = MPI_SUCCESS, failed = 1;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", o->algorithm);
    for (int i = 0; i < METHODS && !error; i++)
        error = solver_open(&s[i], m, (method)i, o, info);
    if (error) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(error, text, &length);
        if (m->rank == 0)
            fprintf(stderr, "cg: --algorithm %s: %s\n", o->algorithm, text);
    } else {
        run(s, o);
        failed = report(s, o);
    }
    for (int i = 0; i < METHODS; i++)
        solver_close(&s[i]);
    MPI_Info_free(&info);
    return failed;
}

int main(int argc, char **argv)
{
    options o;
    matrix m;
    int rank, failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!parse(argc, argv, &o)) {
        failed = usage(rank);
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
