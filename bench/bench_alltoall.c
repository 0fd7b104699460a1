/* bench_alltoall.c - what an alltoall costs: every algorithm of Tutti against the native calls and
 * the same messages by hand (interleave.h says how it is measured).
 *
 * By hand means pairwise exchange as a programmer would write it: one partner after the other, the
 * own block copied while the first messages travel; as persistent messages or as plain ones. The
 * faster of the two is the floor.
 *
 * --paper prints the table of the alltoall paper for this number of ranks (XI: 2, XII: 4, XIII: 8):
 * blocking calls, 2^4 to 2^20 elements of 4 bytes in a block, medians in milliseconds. Its index is
 * bruck, its radix r = 4 bruck_radix, its datatype bruck_modified, its zero copy bruck_zerocopy.
 */
#include "interleave.h"

#include <stdio.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define NATIVE_INIT MPIX_Alltoall_init
#else
#define NATIVE_INIT MPI_Alltoall_init
#endif

#define BLOCKS b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE

/* ---- native ---- */

static void run_native(bench *b)
{
    MPI_Alltoall(BLOCKS, MPI_COMM_WORLD);
}

static void run_native_i(bench *b)
{
    MPI_Request r;

    MPI_Ialltoall(BLOCKS, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void init_native_init(bench *b)
{
    NATIVE_INIT(BLOCKS, MPI_COMM_WORLD, MPI_INFO_NULL, &b->native);
}

static void run_native_init(bench *b)
{
    MPI_Start(&b->native);
    MPI_Wait(&b->native, MPI_STATUS_IGNORE);
}

static void finish_native_init(bench *b)
{
    MPI_Request_free(&b->native);
}

/* ---- by hand ---- */

static char *at(char *buffer, const bench *b, int rank)
{
    return buffer + (size_t)rank * (size_t)b->size;
}

/* Step k: where p is a power of two both are one rank. */
static int to(const bench *b, int k)
{
    return b->p & (b->p - 1) ? (b->rank + k) % b->p : b->rank ^ k;
}

static int from(const bench *b, int k)
{
    return b->p & (b->p - 1) ? (b->rank - k + b->p) % b->p : b->rank ^ k;
}

static void copy_own(bench *b)
{
    memcpy(at(b->recv, b, b->rank), at(b->send, b, b->rank), (size_t)b->size);
}

static void init_persistent_messages(bench *b)
{
    for (int k = 1; k < b->p; k++) {
        MPI_Recv_init(at(b->recv, b, from(b, k)), b->size, MPI_BYTE, from(b, k), 0, MPI_COMM_WORLD,
                      &b->requests[2 * k]);
        MPI_Send_init(at(b->send, b, to(b, k)), b->size, MPI_BYTE, to(b, k), 0, MPI_COMM_WORLD,
                      &b->requests[2 * k + 1]);
    }
}

static void run_persistent_messages(bench *b)
{
    for (int k = 1; k < b->p; k++) {
        MPI_Startall(2, b->requests + 2 * k);
        if (k == 1)
            copy_own(b);
        MPI_Waitall(2, b->requests + 2 * k, MPI_STATUSES_IGNORE);
    }
}

static void finish_persistent_messages(bench *b)
{
    for (int k = 2; k < 2 * b->p; k++)
        MPI_Request_free(&b->requests[k]);
}

static void run_plain_messages(bench *b)
{
    for (int k = 1; k < b->p; k++) {
        MPI_Request *r = b->requests + 2 * k;
        MPI_Irecv(at(b->recv, b, from(b, k)), b->size, MPI_BYTE, from(b, k), 0, MPI_COMM_WORLD,
                  &r[0]);
        MPI_Isend(at(b->send, b, to(b, k)), b->size, MPI_BYTE, to(b, k), 0, MPI_COMM_WORLD, &r[1]);
        if (k == 1)
            copy_own(b);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
}

/* ---- Tutti: blocking, non-blocking and persistent calls of every algorithm ---- */

#define DEFINE_CALLS(name, ...)                                                                    \
    static void run_##name(bench *b)                                                               \
    {                                                                                              \
        MPIX_Alltoall_##name(BLOCKS, __VA_ARGS__);                                                 \
    }                                                                                              \
    static void run_i_##name(bench *b)                                                             \
    {                                                                                              \
        MPI_Request r;                                                                             \
                                                                                                   \
        MPIX_Ialltoall_##name(BLOCKS, __VA_ARGS__, &r);                                            \
        MPI_Wait(&r, MPI_STATUS_IGNORE);                                                           \
    }                                                                                              \
    static void init_##name(bench *b)                                                              \
    {                                                                                              \
        MPIX_Alltoall_##name##_init(BLOCKS, __VA_ARGS__, MPI_INFO_NULL, &b->tutti);                \
    }

enum { RADIX = 4 };

#define DEFINE_both(name)            DEFINE_CALLS(name, MPI_COMM_WORLD)
#define DEFINE_regular(name)         DEFINE_CALLS(name, MPI_COMM_WORLD)
#define DEFINE_radix(name)           DEFINE_CALLS(name, RADIX, MPI_COMM_WORLD)
#define DEFINE_alltoall(name, calls) DEFINE_##calls(name)
#define DEFINE_allgather(name, calls)
#define ALGO(collective, name, calls) DEFINE_##collective(name, calls)
#include "algos/algos.def"
#undef ALGO

/* ---- the variants, in the order of the columns ---- */

#define VARIANTS_alltoall(name)                                                                    \
    {#name, interleave_nothing, run_##name, interleave_nothing},                                   \
        {"i-" #name, interleave_nothing, run_i_##name, interleave_nothing},                        \
        {"init-" #name, init_##name, interleave_run_tutti, interleave_finish_tutti},
#define VARIANTS_allgather(name)

static const variant variants[] = {
    {"native", interleave_nothing, run_native, interleave_nothing},
    {"native-i", interleave_nothing, run_native_i, interleave_nothing},
    {"native-init", init_native_init, run_native_init, finish_native_init},
    {"hand-start", init_persistent_messages, run_persistent_messages, finish_persistent_messages},
    {"hand-plain", interleave_nothing, run_plain_messages, interleave_nothing},
#define ALGO(collective, name, calls) VARIANTS_##collective(name)
#include "algos/algos.def"
#undef ALGO
};

enum { NVARIANTS = sizeof variants / sizeof *variants };

static double of(const double t[], const char *name)
{
    return t[interleave_find(variants, NVARIANTS, name)];
}

/* The fastest of Tutti's variants whose name begins so. */
static int best(const double t[], const char *prefix)
{
    int found = -1;

    for (int i = interleave_find(variants, NVARIANTS, "hand-plain") + 1; i < NVARIANTS; i++)
        if (strncmp(variants[i].name, prefix, strlen(prefix)) == 0 &&
            (found < 0 || t[i] < t[found]))
            found = i;
    return found;
}

static void print_head(int p, int repetitions)
{
    printf("# alltoall, %d ranks, median of %d repetitions of the slowest rank, us per operation\n"
           "# per size: native calls and messages by hand; each algorithm as a blocking, a\n"
           "# non-blocking and a persistent call; the ratios that count\n",
           p, repetitions);
}

static void print_row(int size, const double t[])
{
    double start = of(t, "hand-start"), plain = of(t, "hand-plain");
    int i = best(t, "i-"), init = best(t, "init-");

    printf("%d bytes\n", size);
    for (int k = 0; k < NVARIANTS; k++)
        printf("%s%16s %10.2f%s", k > 4 && (k - 5) % 3 == 0 ? "" : " ", variants[k].name, t[k],
               k == 4 || (k > 4 && (k - 5) % 3 == 2) ? "\n" : "");
    printf("  %s / native-i %.2f   %s / native-init %.2f   init-pairwise / floor %.2f\n",
           variants[i].name, t[i] / of(t, "native-i"), variants[init].name,
           t[init] / of(t, "native-init"),
           of(t, "init-pairwise") / (start < plain ? start : plain));
}

/* ---- the paper's table ---- */

static const variant paper_variants[] = {
    {"Baseline", interleave_nothing, run_native, interleave_nothing},
    {"Index", interleave_nothing, run_bruck, interleave_nothing},
    {"Radix r", interleave_nothing, run_bruck_radix, interleave_nothing},
    {"Datatype", interleave_nothing, run_bruck_modified, interleave_nothing},
    {"Zero copy", interleave_nothing, run_bruck_zerocopy, interleave_nothing},
};

enum { PAPER_ROWS = sizeof paper_variants / sizeof *paper_variants, PAPER_SIZES = 5 };

static double paper[PAPER_SIZES][PAPER_ROWS];

static void paper_head(int p, int repetitions)
{
    printf("MEDIAN EXECUTION TIME (MSEC) COMPARISON FOR ALL IMPLEMENTATIONS WITH %d PROCESSES "
           "(%d repetitions)\n%-16s %10s %10s %10s %10s %10s\n",
           p, repetitions, "Processes/Size", "2^4", "2^8", "2^12", "2^16", "2^20");
}

/* Rows of the table are columns of the measurement: they are printed with the last size. */
static void paper_row(int size, const double t[])
{
    int column = 0;

    while (4 << (4 * column + 4) < size)
        column++;
    for (int i = 0; i < PAPER_ROWS; i++)
        paper[column][i] = t[i] / 1000;
    for (int i = 0; i < PAPER_ROWS && column == PAPER_SIZES - 1; i++) {
        printf("%-16s", paper_variants[i].name);
        for (int k = 0; k < PAPER_SIZES; k++)
            printf(" %10.5f", paper[k][i]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    interleave m = {.variants = variants,
                    .n = NVARIANTS,
                    .send_p_blocks = true,
                    .least = 4 << 4,
                    .most = 4 << 20,
                    .factor = 4,
                    .repetitions = 200,
                    .head = print_head,
                    .row = print_row};

    if (argc > 1 && strcmp(argv[1], "--paper") == 0) {
        m.variants = paper_variants;
        m.n = PAPER_ROWS;
        m.factor = 16;
        m.head = paper_head;
        m.row = paper_row;
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    return interleave_main(&m, argc, argv);
}
