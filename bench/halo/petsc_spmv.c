/* SPDX-License-Identifier: BSD-3-Clause */
/* petsc_spmv.c - PETSc's products with a matrix and its conjugate gradients, with each of its ways
 * to exchange the halo, in turn.
 *
 *   petsc_spmv [-matrix stencil|far] [-side 8] [-rows 64] [-far 8] [-share 4] [-rounds 15]
 *              [-products 50] [-ksp_... -pc_type none|jacobi]
 *
 *   rank     0     1     2     3     basic       persistent messages, one a neighbor: default
 *   rows    ooo - ooo - ooo - ooo    neighbor    MPI_Ineighbor_alltoallv
 *            \_____ far _____/       persistent  MPI_Neighbor_alltoallv_init, if PETSc has it
 *
 * stencil: 27 points on a grid of ranks with a cube of -side^3 rows each. far: -rows rows on each
 * rank in one line, and -far couplings of every -share-th row or so with any other one: many short
 * messages, as on a coarse level of algebraic multigrid.
 *
 * A plain PETSc program: under libtutti_mpi.so the neighborhood collectives are Tutti's. The
 * product of a vector of integers must be exact, and the solver must come to the solution. Times
 * are those of the slowest rank: of each round, then the median. */
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 64, COLUMNS = 2 + FAR + 1 };

static const struct {
    const char *name, *type, *persistent; /* -sf_type, -sf_neighbor_persistent */
} halos[] = {
    {"basic", "basic", "0"},
    {"neighbor", "neighbor", "0"},
#ifdef PETSC_HAVE_MPI_PERSISTENT_NEIGHBORHOOD_COLLECTIVES
    {"persistent", "neighbor", "1"},
#endif
};
enum { HALOS = sizeof halos / sizeof *halos };

typedef struct {
    PetscBool far;
    PetscInt side, rows, couplings, share; /* as the options */
    int rank, ranks[3];                    /* ranks along x, y, z */
    PetscInt here, n;                      /* rows of a rank, and of all */
} problem;

/* ---- the matrix: the columns of one row, without the diagonal ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int far_columns(const problem *p, PetscInt row, PetscInt *column)
{
    int count = 0;

    if (row > 0)
        column[count++] = row - 1;
    if (row < p->n - 1)
        column[count++] = row + 1;
    for (PetscInt k = 0; k < p->couplings; k++) {
        /* row + other = a constant for each k: so the matrix is symmetric */
        PetscInt other = (PetscInt)(mix((uint64_t)k + 1) % (uint64_t)p->n) - row;
        other += other < 0 ? p->n : 0;
        uint64_t low = (uint64_t)(row < other ? row : other);
        PetscBool known = other == row;
        for (int i = 0; i < count; i++)
            known |= column[i] == other;
        if (!known && mix(low * FAR + (uint64_t)k) % (uint64_t)p->share == 0)
            column[count++] = other;
    }
    return count;
}

static PetscInt stencil_row(const problem *p, const PetscInt at[3])
{
    PetscInt rank = 0, row = 0, side = p->side;

    for (int d = 2; d >= 0; d--) {
        rank = rank * p->ranks[d] + at[d] / side;
        row = row * side + at[d] % side;
    }
    return rank * p->here + row;
}

static int stencil_columns(const problem *p, PetscInt row, PetscInt *column)
{
    PetscInt at[3], rank = row / p->here, inside = row % p->here;
    int count = 0;

    for (int d = 0; d < 3; d++) {
        at[d] = rank % p->ranks[d] * p->side + inside % p->side;
        rank /= p->ranks[d];
        inside /= p->side;
    }
    for (int o = 0; o < 27; o++) {
        PetscInt there[3] = {at[0] + o % 3 - 1, at[1] + o / 3 % 3 - 1, at[2] + o / 9 - 1};
        PetscBool in = o != 13;
        for (int d = 0; d < 3; d++)
            in &= there[d] >= 0 && there[d] < p->side * p->ranks[d];
        if (in)
            column[count++] = stencil_row(p, there);
    }
    return count;
}

static int columns(const problem *p, PetscInt row, PetscInt *column)
{
    return p->far ? far_columns(p, row, column) : stencil_columns(p, row, column);
}

static PetscErrorCode problem_read(problem *p)
{
    char name[16] = "stencil";
    int size;

    *p = (problem){.side = 8, .rows = 64, .couplings = 8, .share = 4};
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-matrix", name, sizeof name, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &p->side, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &p->rows, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-far", &p->couplings, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-share", &p->share, NULL));
    p->far = strcmp(name, "far") == 0;
    PetscCheck(p->far || strcmp(name, "stencil") == 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-matrix %s: must be stencil or far", name);
    PetscCheck(p->side > 0 && p->rows > 0 && p->share > 0 && p->couplings >= 0 &&
                   p->couplings <= FAR,
               PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "an option is out of range");
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &p->rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCallMPI(MPI_Dims_create(size, 3, p->ranks));
    p->here = p->far ? p->rows : p->side * p->side * p->side;
    p->n = p->here * size;
    PetscFunctionReturn(0);
}

/* With that halo exchange, which is made in the assembly. */
static PetscErrorCode matrix_make(const problem *p, int kind, Mat *a)
{
    PetscInt column[COLUMNS], first = p->rank * p->here;
    PetscScalar value[COLUMNS];

    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-sf_type", halos[kind].type));
    PetscCall(PetscOptionsSetValue(NULL, "-sf_neighbor_persistent", halos[kind].persistent));
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, p->here, p->here, p->n, p->n, COLUMNS, NULL, COLUMNS,
                           NULL, a));
    for (PetscInt row = first; row < first + p->here; row++) {
        int count = columns(p, row, column);
        for (int i = 0; i < count; i++)
            value[i] = -1;
        column[count] = row;
        value[count] = count + (row % 7 == 0 ? 1 : 0); /* regular, and not easy */
        PetscCall(MatSetValues(*a, 1, &row, count + 1, column, value, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* ---- results ---- */

static PetscScalar integer_at(PetscInt row)
{
    return (PetscScalar)(mix((uint64_t)row + 77) % 1000);
}

static PetscErrorCode product_check(const problem *p, Mat a, Vec x, Vec y)
{
    PetscInt column[COLUMNS], first = p->rank * p->here;
    PetscScalar *in;
    const PetscScalar *out;

    PetscFunctionBeginUser;
    for (int again = 0; again < 20; again++) { /* also the first calls on a communicator */
        PetscCall(VecGetArrayWrite(x, &in));
        for (PetscInt i = 0; i < p->here; i++)
            in[i] = again + integer_at(first + i);
        PetscCall(VecRestoreArrayWrite(x, &in));
        PetscCall(MatMult(a, x, y));
        PetscCall(VecGetArrayRead(y, &out));
        for (PetscInt i = 0; i < p->here; i++) {
            PetscInt row = first + i;
            int count = columns(p, row, column);
            PetscScalar right = (count + (row % 7 == 0 ? 1 : 0)) * (again + integer_at(row));
            for (int k = 0; k < count; k++)
                right -= again + integer_at(column[k]);
            PetscCheck(out[i] == right, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                       "product %d, row %ld: %g where %g is right", again, (long)row, out[i],
                       right);
        }
        PetscCall(VecRestoreArrayRead(y, &out));
    }
    PetscFunctionReturn(0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times, PetscInt n)
{
    qsort(times, (size_t)n, sizeof *times, by_size);
    return times[n / 2];
}

static PetscErrorCode slowest(double start, double *time)
{
    PetscFunctionBeginUser;
    *time = MPI_Wtime() - start;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, time, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* What a product needs of other ranks. */
static PetscErrorCode pattern_print(const problem *p)
{
    PetscInt column[COLUMNS], first = p->rank * p->here;
    long length = 0, sum[2] = {0, 0}, most[2] = {0, 0};
    PetscBool *needed;

    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(p->n, &needed));
    for (PetscInt row = first; row < first + p->here; row++)
        for (int k = columns(p, row, column) - 1; k >= 0; k--)
            needed[column[k]] = (PetscBool)(column[k] / p->here != p->rank);
    for (PetscInt c = 0; c < p->n; c++) {
        length += needed[c] ? (long)sizeof(PetscScalar) : 0;
        if ((c + 1) % p->here != 0)
            continue;
        sum[0] += length > 0;
        sum[1] += length;
        most[1] = length > most[1] ? length : most[1];
        length = 0;
    }
    most[0] = sum[0];
    PetscCall(PetscFree(needed));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_LONG, MPI_MAX, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_LONG, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "# %ld rows, %ld messages, at most %ld to a rank; %ld B on average, at "
                          "most %ld\n",
                          (long)p->n, sum[0], most[0], sum[0] ? sum[1] / sum[0] : 0, most[1]));
    PetscFunctionReturn(0);
}

/* ---- measuring ---- */

typedef struct {
    Mat a;
    KSP ksp;
    Vec x, y, right; /* right: A times the vector of ones */
    double *product, *solve;
    PetscInt iterations;
    PetscReal norm, error;
} subject;

static PetscErrorCode subject_make(const problem *p, int kind, PetscInt rounds, subject *s)
{
    PetscFunctionBeginUser;
    PetscCall(matrix_make(p, kind, &s->a));
    PetscCall(MatCreateVecs(s->a, &s->x, &s->y));
    PetscCall(VecDuplicate(s->x, &s->right));
    PetscCall(product_check(p, s->a, s->x, s->y));
    PetscCall(VecSet(s->x, 1));
    PetscCall(MatMult(s->a, s->x, s->right));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
    PetscCall(KSPSetType(s->ksp, KSPCG));
    PetscCall(KSPSetOperators(s->ksp, s->a, s->a));
    PetscCall(KSPSetTolerances(s->ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
    PetscCall(KSPSetFromOptions(s->ksp));
    PetscCall(PetscMalloc2(rounds, &s->product, rounds, &s->solve));
    PetscFunctionReturn(0);
}

static PetscErrorCode measure(subject *s, PetscInt products, double *product, double *solve)
{
    double start;

    PetscFunctionBeginUser;
    PetscCall(VecSet(s->x, 1));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    start = MPI_Wtime();
    for (PetscInt i = 0; i < products; i++)
        PetscCall(MatMult(s->a, s->x, s->y));
    PetscCall(slowest(start, product));
    *product /= (double)products;
    PetscCall(VecSet(s->y, 0));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    start = MPI_Wtime();
    PetscCall(KSPSolve(s->ksp, s->right, s->y));
    PetscCall(slowest(start, solve));
    PetscCall(KSPGetIterationNumber(s->ksp, &s->iterations));
    PetscCall(VecNorm(s->y, NORM_2, &s->norm));
    PetscCall(VecAXPY(s->y, -1, s->x));
    PetscCall(VecNorm(s->y, NORM_INFINITY, &s->error));
    PetscFunctionReturn(0);
}

static PetscErrorCode subject_print(const char *name, subject *s, PetscInt rounds)
{
    double product = median(s->product, rounds), solve = median(s->solve, rounds);

    PetscFunctionBeginUser;
    PetscCheck(s->error < 1e-6, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the solution is wrong by %g",
               name, s->error);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%s: MatMult %.1f us, KSPSolve %.1f us, %ld iterations, %.1f us each; "
                          "norm %.9f, error %.1e\n",
                          name, 1e6 * product, 1e6 * solve, (long)s->iterations,
                          1e6 * solve / (double)s->iterations, s->norm, s->error));
    PetscFunctionReturn(0);
}

static PetscErrorCode subject_free(subject *s)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree2(s->product, s->solve));
    PetscCall(KSPDestroy(&s->ksp));
    PetscCall(VecDestroy(&s->x));
    PetscCall(VecDestroy(&s->y));
    PetscCall(VecDestroy(&s->right));
    PetscCall(MatDestroy(&s->a));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscInt rounds = 15, products = 50;
    subject of[HALOS] = {0};
    double unused[2];
    problem p;

    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsSetValue(NULL, "-options_left", "0"));
    PetscCall(problem_read(&p));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-products", &products, NULL));
    PetscCheck(rounds > 0 && products > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-rounds and -products must be positive");
    for (int t = 0; t < HALOS; t++)
        PetscCall(subject_make(&p, t, rounds, &of[t]));
    PetscCall(pattern_print(&p));
    for (int t = 0; t < HALOS; t++)
        PetscCall(measure(&of[t], products, &unused[0], &unused[1])); /* what comes once */
    for (PetscInt r = 0; r < rounds; r++)
        for (int t = 0; t < HALOS; t++)
            PetscCall(measure(&of[t], products, &of[t].product[r], &of[t].solve[r]));
    for (int t = 0; t < HALOS; t++)
        PetscCall(subject_print(halos[t].name, &of[t], rounds));
    for (int t = 0; t < HALOS; t++)
        PetscCall(subject_free(&of[t]));
    PetscCall(PetscFinalize());
    return 0;
}
