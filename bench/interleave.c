/* interleave.c - see interleave.h. */
#include "interleave.h"

#include "median.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void interleave_nothing(bench *b)
{
    (void)b;
}

void interleave_run_tutti(bench *b)
{
    MPIX_Start(&b->tutti);
    MPIX_Wait(&b->tutti, MPI_STATUS_IGNORE);
}

void interleave_finish_tutti(bench *b)
{
    MPIX_Request_free(&b->tutti);
}

int interleave_find(const variant *variants, int n, const char *name)
{
    int i = 0;

    while (i < n && strcmp(variants[i].name, name) != 0)
        i++;
    return i;
}

/* ---- measure ---- */

static size_t send_bytes(const interleave *m, const bench *b)
{
    return (size_t)b->size * (m->send_p_blocks ? (size_t)b->p : 1);
}

static bench *open_all(const interleave *m, int size)
{
    bench *b = calloc((size_t)m->n, sizeof *b);

    for (int i = 0; i < m->n; i++) {
        MPI_Comm_size(MPI_COMM_WORLD, &b[i].p);
        MPI_Comm_rank(MPI_COMM_WORLD, &b[i].rank);
        b[i].size = size;
        b[i].send = i ? b[0].send : malloc(send_bytes(m, &b[0]));
        b[i].recv = i ? b[0].recv : malloc((size_t)size * (size_t)b[i].p);
        b[i].requests = calloc(2 * (size_t)b[i].p, sizeof *b[i].requests);
        m->variants[i].init(&b[i]);
    }
    return b;
}

static void close_all(const interleave *m, bench *b)
{
    for (int i = 0; i < m->n; i++) {
        m->variants[i].finish(&b[i]);
        free(b[i].requests);
    }
    free(b[0].send);
    free(b[0].recv);
    free(b);
}

/* Every variant gives what the first one does. */
static void verify(const interleave *m, bench *b)
{
    size_t n = (size_t)b->size * (size_t)b->p;
    char *expected = malloc(n);

    for (size_t i = 0; i < send_bytes(m, b); i++)
        b->send[i] = (char)(i * 37 + i / 251 + (size_t)b->rank * 11);
    for (int i = 0; i < m->n; i++) {
        memset(b->recv, -1, n);
        m->variants[i].run(&b[i]);
        if (i == 0) {
            memcpy(expected, b->recv, n);
        } else if (memcmp(expected, b->recv, n) != 0) {
            fprintf(stderr, "%s, %d bytes, rank %d: wrong data\n", m->variants[i].name, b->size,
                    b->rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    free(expected);
}

/* A new order of the variants, the same on all ranks. */
static void shuffle(int order[], int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = rand() % (i + 1), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
}

/* Seconds per operation on this rank. */
static double time_batch(const interleave *m, bench *b, const variant *v, int batch, int seed)
{
    memset(b->send, seed, send_bytes(m, b));
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < batch; i++) {
        b->send[0] = (char)i;
        v->run(b);
    }
    return (MPI_Wtime() - begin) / batch;
}

static void measure(const interleave *m, int size, double result[])
{
    int batch = size <= 4096 ? 50 : size <= 65536 ? 4 : 1, warmup = 10, n = m->repetitions;
    double *times = calloc((size_t)n * (size_t)m->n, sizeof *times);
    int *order = calloc((size_t)m->n, sizeof *order);
    bench *b = open_all(m, size);

    verify(m, b);
    for (int k = -warmup; k < n; k++) {
        shuffle(order, m->n);
        for (int i = 0; i < m->n; i++) {
            const variant *v = &m->variants[order[i]];
            if (m->only && strcmp(m->only, v->name) != 0)
                continue;
            double t = time_batch(m, &b[order[i]], v, batch, k);
            if (k >= 0)
                times[order[i] * n + k] = t;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, times, n * m->n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < m->n; i++)
        result[i] = 1e6 * median(times + i * n, n);
    close_all(m, b);
    free(order);
    free(times);
}

/* ---- options ---- */

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--min BYTES] [--max BYTES] [--factor N] [--repetitions N] [--seed N]\n"
            "       [--only VARIANT]\n"
            "Run under mpiexec, ranks bound to cores (-bind-to core:1), at 2 ranks on 2 cores.\n",
            program);
    return 2;
}

static bool parse(interleave *m, int argc, char **argv)
{
    static const struct option options[] = {{"min", required_argument, NULL, 'm'},
                                            {"max", required_argument, NULL, 'M'},
                                            {"factor", required_argument, NULL, 'f'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"repetitions", required_argument, NULL, 'r'},
                                            {"only", required_argument, NULL, 'o'},
                                            {0}};
    int option, seed = 1;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'o' && interleave_find(m->variants, m->n, optarg) < m->n) {
            m->only = optarg;
            continue;
        }
        int *value = option == 'm'   ? &m->least
                     : option == 'M' ? &m->most
                     : option == 'f' ? &m->factor
                     : option == 'r' ? &m->repetitions
                     : option == 's' ? &seed
                                     : NULL;
        if (!value || (*value = atoi(optarg)) < 1)
            return false;
    }
    srand((unsigned)seed);
    return m->factor > 1 && optind == argc;
}

int interleave_main(interleave *m, int argc, char **argv)
{
    double *result = calloc((size_t)m->n, sizeof *result);
    int rank, p;

    if (!parse(m, argc, argv))
        return usage(argv[0]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (rank == 0 && !m->only)
        m->head(p, m->repetitions);
    for (long size = m->least; size <= m->most; size *= m->factor) {
        measure(m, (int)size, result);
        if (rank == 0 && m->only)
            printf("%8ld %11.2f  %s\n", size, result[interleave_find(m->variants, m->n, m->only)],
                   m->only);
        else if (rank == 0)
            m->row((int)size, result);
        fflush(stdout);
    }
    MPI_Finalize();
    free(result);
    return 0;
}
