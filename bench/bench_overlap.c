/* bench_overlap.c - how much of an allgather hides under computation, by who advances it.
 *
 *   native    MPI_Iallgather, progress calls are MPI_Test on its request
 *   driver    MPIX_Iallgather_auto, progress calls are MPI_Test on its request (poll, hook)
 *   manual    a persistent request, progress calls are tutti_progress()
 *   thread    MPIX_Iallgather_auto, with the progress thread; progress calls as for driver
 * (--threads)
 *
 * For each block size and number of progress calls every variant is measured once per repetition,
 * in a drawn order:
 *
 *   T_pure     start and wait, nothing else
 *   T_cpu      computation alone, calibrated to take T_pure
 *   T_overall  start, the computation cut into pieces with a progress call between them, wait;
 *              T_compute of it is the computation with its calls, T_test the calls
 *
 * each the slowest rank's; medians over the repetitions. Two definitions of overlap, in per cent:
 *
 *   OSU   max(0, 100 - 100 (T_overall - (T_compute - T_test)) / T_pure)
 *   IMB   100 max(0, min(1, (T_pure + T_cpu - T_overall) / min(T_pure, T_cpu)))
 *
 * speedup is (T_pure + T_cpu) / T_overall: 2 would be perfect, 1 nothing gained.
 */
#include "median.h"

#include <tutti.h>

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PURE, CPU, OVERALL, COMPUTE, TEST, TIMES, MAX_REPETITIONS = 1001 };

typedef struct bench {
    int p, rank, size; /* bytes of a block */
    char *send, *recv;
    MPI_Request request;
    MPIX_Request persistent;
} bench;

typedef struct variant {
    const char *name;
    bool thread;
    void (*start)(bench *b);
    void (*progress)(bench *b);
    void (*wait)(bench *b);
} variant;

/* ---- variants ---- */

static void start_native(bench *b)
{
    MPI_Iallgather(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                   &b->request);
}

static void start_tutti(bench *b)
{
    MPIX_Iallgather_auto(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                         &b->request);
}

static void test_request(bench *b)
{
    int flag;

    MPI_Test(&b->request, &flag, MPI_STATUS_IGNORE);
}

static void wait_request(bench *b)
{
    MPI_Wait(&b->request, MPI_STATUS_IGNORE);
}

static void start_persistent(bench *b)
{
    MPIX_Start(&b->persistent);
}

static void call_tutti(bench *b)
{
    (void)b;
    tutti_progress();
}

static void wait_persistent(bench *b)
{
    MPIX_Wait(&b->persistent, MPI_STATUS_IGNORE);
}

static const variant variants[] = {
    {"native", false, start_native, test_request, wait_request},
    {"driver", false, start_tutti, test_request, wait_request},
    {"manual", false, start_persistent, call_tutti, wait_persistent},
    {"thread", true, start_tutti, test_request, wait_request},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static bool threads; /* --threads */

/* ---- computation ---- */

static volatile double sink =
    1; /* read and written, so that the compiler does not know the result */
static double work_per_second;

static void work(double n)
{
    double x = sink;

    for (long i = (long)n; i > 0; i--)
        x = x * 0.999999 + 1e-6;
    sink = x;
}

static void calibrate(void)
{
    double n = 1e6, best = 0;

    for (int i = 0; i < 20; i++) {
        double begin = MPI_Wtime();
        work(n);
        double rate = n / (MPI_Wtime() - begin);
        best = rate > best ? rate : best;
    }
    MPI_Allreduce(&best, &work_per_second, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

/* ---- one repetition of one variant ---- */

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void prepare(bench *b, int k)
{
    memset(b->send, 'a' + (b->rank + k) % 26, (size_t)b->size);
}

static void check(const bench *b, int k)
{
    for (int i = 0; i < b->p; i++) {
        const char *block = b->recv + (size_t)i * (size_t)b->size,
                   want = (char)('a' + (i + k) % 26);
        if (block[0] != want || block[b->size - 1] != want) {
            fprintf(stderr, "bench_overlap: wrong data from rank %d\n", i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static double pure(const variant *v, bench *b, int k)
{
    double begin;

    prepare(b, k);
    meet();
    begin = MPI_Wtime();
    v->start(b);
    v->wait(b);
    begin = MPI_Wtime() - begin;
    check(b, k);
    return begin;
}

static double cpu(double n)
{
    double begin;

    meet();
    begin = MPI_Wtime();
    work(n);
    return MPI_Wtime() - begin;
}

static void overall(const variant *v, bench *b, int k, double n, int calls, double t[TIMES])
{
    double begin, compute, test;

    prepare(b, k);
    meet();
    t[TEST] = 0;
    begin = MPI_Wtime();
    v->start(b);
    compute = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        work(n / (calls + 1));
        test = MPI_Wtime();
        v->progress(b);
        t[TEST] += MPI_Wtime() - test;
    }
    work(n / (calls + 1));
    t[COMPUTE] = MPI_Wtime() - compute;
    v->wait(b);
    t[OVERALL] = MPI_Wtime() - begin;
    check(b, k);
}

/* The computation takes what the pure operation took, as the slowest rank saw it. */
static void repeat(const variant *v, bench *b, int k, int calls, double estimate, double t[TIMES])
{
    double local[TIMES] = {0};

    if (v->thread)
        tutti_progress_thread_start(MPI_INFO_NULL);
    local[PURE] = pure(v, b, k);
    local[CPU] = cpu(estimate * work_per_second);
    overall(v, b, k + 1, estimate * work_per_second, calls, local);
    if (v->thread)
        tutti_progress_thread_stop();
    MPI_Allreduce(local, t, TIMES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* ---- a row of the table ---- */

static void print(const variant *v, const bench *b, int calls, const double t[TIMES])
{
    double osu = 100 - 100 * (t[OVERALL] - (t[COMPUTE] - t[TEST])) / t[PURE];
    double shorter = t[PURE] < t[CPU] ? t[PURE] : t[CPU];
    double imb = 100 * (t[PURE] + t[CPU] - t[OVERALL]) / shorter;

    if (b->rank == 0)
        printf("| %7d | %5d | %-6s | %9.1f | %9.1f | %9.1f | %7.1f | %5.0f | %5.0f | %5.2f |\n",
               b->size, calls, v->name, 1e6 * t[PURE], 1e6 * t[CPU], 1e6 * t[OVERALL],
               1e6 * t[TEST], osu < 0 ? 0 : osu,
               imb < 0     ? 0
               : imb > 100 ? 100
                           : imb,
               (t[PURE] + t[CPU]) / t[OVERALL]);
}

static bool runs(const variant *v)
{
    return threads || !v->thread;
}

/* The same order on all ranks: the generator has its default seed. */
static void shuffle(int order[VARIANTS])
{
    for (int i = 0; i < VARIANTS; i++) {
        int j = rand() % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* The first tenth of the repetitions only estimates T_pure, for the computation to take as long. */
static void measure(bench *b, int calls, int repetitions)
{
    static double t[VARIANTS][TIMES][MAX_REPETITIONS], first[VARIANTS][MAX_REPETITIONS];
    double estimate[VARIANTS] = {0}, one[TIMES], result[TIMES];
    int warm = repetitions / 10 + 3, order[VARIANTS];

    for (int k = -warm; k < repetitions; k++) {
        shuffle(order);
        for (int i = 0; i < VARIANTS; i++) {
            int v = order[i];
            if (!runs(&variants[v]))
                continue;
            repeat(&variants[v], b, k + warm, calls, estimate[v], one);
            if (k < 0) {
                first[v][k + warm] = one[PURE];
                estimate[v] = median(first[v], k + warm + 1);
            }
            for (int j = 0; k >= 0 && j < TIMES; j++)
                t[v][j][k] = one[j];
        }
    }
    for (int v = 0; v < VARIANTS; v++) {
        for (int j = 0; j < TIMES; j++)
            result[j] = median(t[v][j], repetitions);
        if (runs(&variants[v]))
            print(&variants[v], b, calls, result);
    }
}

static void measure_size(bench *b, int repetitions)
{
    static const int calls[] = {0, 1, 4, 16, 64};
    size_t n = (size_t)b->size;

    b->send = malloc(n);
    b->recv = malloc(n * (size_t)b->p);
    MPIX_Allgather_auto_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &b->persistent);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        measure(b, calls[i], repetitions);
    MPIX_Request_free(&b->persistent);
    free(b->send);
    free(b->recv);
}

/* Nanoseconds of tutti_progress() when nothing runs, and while one operation waits for another
 * rank. */
static void measure_calls(bench *b)
{
    enum { CALLS = 1000000 };
    double idle, busy, begin = MPI_Wtime();
    char mine = 0, all[64];
    MPIX_Request r;

    for (int i = 0; i < CALLS; i++)
        tutti_progress();
    idle = (MPI_Wtime() - begin) / CALLS * 1e9;
    MPIX_Allgather_auto_init(&mine, 1, MPI_CHAR, all, 1, MPI_CHAR, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &r);
    if (b->rank == 0) {
        MPIX_Start(&r);
        begin = MPI_Wtime();
        for (int i = 0; i < CALLS; i++)
            tutti_progress();
        busy = (MPI_Wtime() - begin) / CALLS * 1e9;
        printf("tutti_progress(): %.1f ns when nothing runs, %.1f ns while an operation waits\n\n",
               idle, busy);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->rank != 0)
        MPIX_Start(&r);
    MPIX_Wait(&r, MPI_STATUS_IGNORE);
    MPIX_Request_free(&r);
}

static int usage(FILE *out)
{
    fprintf(out, "usage: bench_overlap [--threads] [--repetitions N] [--min BYTES] [--max BYTES]\n"
                 "--threads: at MPI_THREAD_MULTIPLE, with the progress thread as a variant\n");
    return out == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"threads", no_argument, NULL, 't'},   {"repetitions", required_argument, NULL, 'r'},
        {"min", required_argument, NULL, 'm'}, {"max", required_argument, NULL, 'M'},
        {"help", no_argument, NULL, 'h'},      {0}};
    int option, repetitions = 31, min = 65536, max = 4 << 20, level;
    const char *driver = "", *reason;
    bench b = {0};

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 't')
            threads = true;
        else if (option == 'r')
            repetitions = atoi(optarg);
        else if (option == 'm')
            min = atoi(optarg);
        else if (option == 'M')
            max = atoi(optarg);
        else
            return usage(option == 'h' ? stdout : stderr);
    }
    if (repetitions < 1 || repetitions > MAX_REPETITIONS || min < 1 || max < min)
        return usage(stderr);
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &b.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    tutti_progress_driver(&driver, &reason);
    if (b.rank == 0)
        printf("driver: %s, %s, %d ranks, %d repetitions\n", driver,
               level == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SINGLE", b.p,
               repetitions);
    measure_calls(&b);
    calibrate();
    if (b.rank == 0)
        printf(
            "|   bytes | calls | by     | pure / us |  cpu / us | both / us | calls   | OSU %% | "
            "IMB %% | speedup |\n|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (b.size = min; b.size <= max; b.size *= 4)
        measure_size(&b, repetitions);
    MPI_Finalize();
    return 0;
}
