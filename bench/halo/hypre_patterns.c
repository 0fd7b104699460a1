/* SPDX-License-Identifier: BSD-3-Clause */
/* hypre_patterns.c - the halo exchanges of an algebraic multigrid solver, level by level.
 *
 *   hypre_patterns MATRIX [TITLE [ENTRIES]]
 *
 *   rows of rank       0   0   1   1   2   2       MATRIX, cut in blocks of rows for p ranks
 *   level 0            o - o - o - o - o - o       BoomerAMG of hypre coarsens it
 *   level 1            o ----- o ----- o           a coarse row belongs to the rank of its fine row
 *
 * MATRIX is of ./make: native integers of 32 bits: rows n, ranks p, entries off the diagonal m; the
 * first row of each rank and n; the diagonal; the first entry of each row and m; the column of each
 * entry. All entries off the diagonal are -1.
 *
 * On p ranks the lists of what hypre itself sends in a product with the matrix of each level are
 * printed. On one rank, hypre makes the whole hierarchy, and what p ranks would send is found from
 * the entries: rank r sends value j to the owners of all rows with an entry in column j. What is
 * printed explains itself, and bench/sim/patterns.py reads it.
 *
 * Coarsening is PMIS with random numbers that do not depend on the number of ranks, everything else
 * is hypre's default. By default hypre cuts each row of the interpolation to 4 entries, and which
 * of equal ones stay depends on the number of ranks. ENTRIES replaces the 4; 0 cuts none.
 *
 * Besides the set-up O(m log m) on rank 0. */
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMIS_SAME_RANDOM_NUMBERS 9 // for HYPRE_BoomerAMGSetCoarsenType

typedef struct {
    int n, p, m;
    int *first;    // of each rank: its first row
    int *diagonal; // of each row
    int *start;    // of each row: its first entry
    int *column;   // of each entry
} matrix;

// What is sent: value * p + destination. Values are numbered by the rows of the level.
typedef struct {
    int64_t *key;
    int count;
} sends;

static void stop(const char *reason)
{
    fprintf(stderr, "hypre_patterns: %s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void *allocate(int64_t count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);

    if (!memory)
        stop("no memory");
    return memory;
}

static int *read_integers(FILE *file, int count)
{
    int *array = allocate(count, sizeof *array);

    if (count < 0 || fread(array, sizeof *array, (size_t)count, file) != (size_t)count)
        stop("the matrix is too short");
    return array;
}

static matrix read_matrix(const char *path)
{
    FILE *file = fopen(path, "rb");
    matrix a = {0};

    if (!file)
        stop("cannot open the matrix");
    int *head = read_integers(file, 3);
    a.n = head[0];
    a.p = head[1];
    a.m = head[2];
    free(head);
    a.first = read_integers(file, a.p + 1);
    a.diagonal = read_integers(file, a.n);
    a.start = read_integers(file, a.n + 1);
    a.column = read_integers(file, a.m);
    fclose(file);
    return a;
}

static void free_matrix(matrix *a)
{
    free(a->first);
    free(a->diagonal);
    free(a->start);
    free(a->column);
}

/* ---- the hierarchy ---- */

// Give hypre the rows from lo to hi - 1.
static HYPRE_IJMatrix hand_over(const matrix *a, int lo, int hi)
{
    HYPRE_IJMatrix ij;
    int *sizes = allocate(hi - lo, sizeof *sizes), widest = 0;

    for (int i = lo; i < hi; i++) {
        sizes[i - lo] = a->start[i + 1] - a->start[i] + 1;
        if (sizes[i - lo] > widest)
            widest = sizes[i - lo];
    }
    double *value = allocate(widest + 1, sizeof *value);
    for (int i = 0; i < widest; i++)
        value[i] = -1;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, lo, hi - 1, lo, hi - 1, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(ij, sizes);
    HYPRE_IJMatrixInitialize(ij);
    for (int i = lo; i < hi; i++) {
        int one = 1, others = sizes[i - lo] - 1;
        double diagonal = a->diagonal[i];

        HYPRE_IJMatrixSetValues(ij, 1, &one, &i, &i, &diagonal);
        HYPRE_IJMatrixSetValues(ij, 1, &others, &i, a->column + a->start[i], value);
    }
    HYPRE_IJMatrixAssemble(ij);
    free(sizes);
    free(value);
    return ij;
}

static HYPRE_Solver set_up(HYPRE_IJMatrix ij, const char *entries)
{
    HYPRE_Solver solver;
    HYPRE_ParCSRMatrix a;

    HYPRE_IJMatrixGetObject(ij, (void **)&a);
    HYPRE_BoomerAMGCreate(&solver);
    HYPRE_BoomerAMGSetCoarsenType(solver, PMIS_SAME_RANDOM_NUMBERS);
    if (entries)
        HYPRE_BoomerAMGSetPMaxElmts(solver, atoi(entries));
    if (HYPRE_BoomerAMGSetup(solver, a, NULL, NULL))
        stop("HYPRE_BoomerAMGSetup failed");
    return solver;
}

/* ---- what is sent ---- */

static int compare_keys(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

// Of p ranks that own rows as `owner` says; this process has the whole matrix.
static sends sends_of_entries(hypre_ParCSRMatrix *a, const int *owner, int p)
{
    hypre_CSRMatrix *rows = hypre_ParCSRMatrixDiag(a);
    const int *start = hypre_CSRMatrixI(rows), *column = hypre_CSRMatrixJ(rows);
    sends s = {.key = NULL};
    int n = hypre_CSRMatrixNumRows(rows), kept = 0;

    for (int write = 0; write < 2; write++) { // first only counts
        s.count = 0;
        for (int i = 0; i < n; i++)
            for (int e = start[i]; e < start[i + 1]; e++)
                if (owner[column[e]] != owner[i]) {
                    if (write)
                        s.key[s.count] = (int64_t)column[e] * p + owner[i];
                    s.count++;
                }
        if (!write)
            s.key = allocate(s.count, sizeof *s.key);
    }
    qsort(s.key, (size_t)s.count, sizeof *s.key, compare_keys);
    for (int i = 0; i < s.count; i++)
        if (i == 0 || s.key[i] != s.key[i - 1])
            s.key[kept++] = s.key[i];
    s.count = kept;
    return s;
}

// Of hypre's own lists, of all ranks, on rank 0.
static sends sends_of_hypre(hypre_ParCSRMatrix *a, int p)
{
    sends mine = {.key = NULL}, all = {.key = NULL};
    int *counts = allocate(p, sizeof *counts), *displs = allocate(p, sizeof *displs);

    if (!hypre_ParCSRMatrixCommPkg(a))
        hypre_MatvecCommPkgCreate(a);
    hypre_ParCSRCommPkg *lists = hypre_ParCSRMatrixCommPkg(a);
    const int *start = hypre_ParCSRCommPkgSendMapStarts(lists);
    int neighbors = hypre_ParCSRCommPkgNumSends(lists);

    mine.key = allocate(neighbors ? start[neighbors] : 0, sizeof *mine.key);
    for (int k = 0; k < neighbors; k++)
        for (int e = start[k]; e < start[k + 1]; e++) {
            int64_t row =
                hypre_ParCSRMatrixFirstRowIndex(a) + hypre_ParCSRCommPkgSendMapElmt(lists, e);

            mine.key[mine.count++] = row * p + hypre_ParCSRCommPkgSendProcs(lists)[k];
        }
    MPI_Gather(&mine.count, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < p; r++) {
        displs[r] = all.count;
        all.count += counts[r];
    }
    all.key = allocate(all.count, sizeof *all.key);
    MPI_Gatherv(mine.key, mine.count, MPI_INT64_T, all.key, counts, displs, MPI_INT64_T, 0,
                MPI_COMM_WORLD);
    qsort(all.key, (size_t)all.count, sizeof *all.key, compare_keys);
    free(mine.key);
    free(counts);
    free(displs);
    return all;
}

// The owners of a level's rows, from the first row of each rank.
static int *owners_of(const int *first, int p)
{
    int *owner = allocate(first[p], sizeof *owner);

    for (int r = 0; r < p; r++)
        for (int i = first[r]; i < first[r + 1]; i++)
            owner[i] = r;
    return owner;
}

// The owners of the rows of `a`, on rank 0.
static int *gather_owners(hypre_ParCSRMatrix *a, int p)
{
    int *first = allocate(p + 1, sizeof *first), mine = hypre_ParCSRMatrixNumRows(a), sum = 0;

    MPI_Gather(&mine, 1, MPI_INT, first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r <= p; r++) {
        int rows = first[r];

        first[r] = sum;
        sum += rows;
    }
    int *owner = owners_of(first, p);
    free(first);
    return owner;
}

// The owners of the next level's rows: its rows are the points of this one that hypre marked.
static void coarsen_owners(int *owner, int n, const int *marker)
{
    int rows = 0;

    for (int i = 0; i < n; i++)
        if (marker[i] > 0)
            owner[rows++] = owner[i];
}

/* ---- printing ---- */

typedef struct {
    int source, count;
    const int64_t *key; // what is sent of one value
    int p;
} value;

static int compare_values(const void *x, const void *y)
{
    const value *a = x, *b = y;

    if (a->source != b->source)
        return a->source - b->source;
    for (int k = 0; k < a->count && k < b->count; k++) {
        int difference = (int)(a->key[k] % a->p) - (int)(b->key[k] % a->p);

        if (difference)
            return difference;
    }
    return a->count - b->count;
}

// Values that go to the same ranks are one line.
static void print_sends(const sends *s, const int *owner, int p)
{
    value *v = allocate(s->count, sizeof *v);
    int values = 0;

    for (int i = 0; i < s->count; i++) {
        if (i == 0 || s->key[i] / p != s->key[i - 1] / p)
            v[values++] = (value){.source = owner[s->key[i] / p], .key = s->key + i, .p = p};
        v[values - 1].count++;
    }
    qsort(v, (size_t)values, sizeof *v, compare_values);
    for (int i = 0, same; i < values; i += same) {
        for (same = 1; i + same < values && !compare_values(v + i, v + i + same); same++)
            ;
        printf("%d %d", v[i].source, same);
        for (int k = 0; k < v[i].count; k++)
            printf(" %d", (int)(v[i].key[k] % p) - v[i].source);
        putchar('\n');
    }
    free(v);
}

static void print_head(const char *title, int p, int ranks)
{
    printf("# halo pattern 1: %s\n"
           "# hypre %s, BoomerAMG, PMIS coarsening, on %d rank%s\n"
           "# level, rows, entries; then what is sent: source, values, destinations - source:\n"
           "# so many values of the source go to exactly these ranks\n"
           "ranks %d\n",
           title, HYPRE_RELEASE_VERSION, ranks, ranks == 1 ? "" : "s", p);
}

static void print_levels(hypre_ParAMGData *amg, const matrix *a, int me, int ranks)
{
    int *owner = owners_of(a->first, a->p);

    for (int l = 0; l < hypre_ParAMGDataNumLevels(amg); l++) {
        hypre_ParCSRMatrix *level = hypre_ParAMGDataAArray(amg)[l];
        hypre_IntArray *marker = hypre_ParAMGDataCFMarkerArray(amg)[l];
        sends s;

        if (ranks > 1) {
            free(owner);
            owner = gather_owners(level, a->p);
            s = sends_of_hypre(level, a->p);
        } else {
            s = sends_of_entries(level, owner, a->p);
        }
        hypre_ParCSRMatrixSetNumNonzeros(level);
        if (me == 0) {
            printf("level %d %d %d\n", l, (int)hypre_ParCSRMatrixGlobalNumRows(level),
                   (int)hypre_ParCSRMatrixNumNonzeros(level));
            print_sends(&s, owner, a->p);
        }
        if (ranks == 1 && l + 1 < hypre_ParAMGDataNumLevels(amg))
            coarsen_owners(owner, hypre_ParCSRMatrixNumRows(level), hypre_IntArrayData(marker));
        free(s.key);
    }
    free(owner);
}

int main(int argc, char **argv)
{
    int me, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2)
        stop("usage: hypre_patterns MATRIX [TITLE [ENTRIES]]");
    matrix a = read_matrix(argv[1]);
    if (ranks != 1 && ranks != a.p)
        stop("start as many ranks as the matrix is cut for, or one");
    HYPRE_Init();
    HYPRE_IJMatrix ij =
        hand_over(&a, ranks == 1 ? 0 : a.first[me], ranks == 1 ? a.n : a.first[me + 1]);
    HYPRE_Solver solver = set_up(ij, argc > 3 ? argv[3] : NULL);
    if (me == 0)
        print_head(argc > 2 ? argv[2] : argv[1], a.p, ranks);
    print_levels((hypre_ParAMGData *)solver, &a, me, ranks);
    HYPRE_BoomerAMGDestroy(solver);
    HYPRE_IJMatrixDestroy(ij);
    HYPRE_Finalize();
    free_matrix(&a);
    MPI_Finalize();
    return 0;
}
