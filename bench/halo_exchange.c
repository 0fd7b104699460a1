/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_exchange.c - see halo_exchange.h. */
#include "halo_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TUTTI_SIMULATED
enum { WARM_UP = 0 }; /* all starts take the same time */
#else
enum { WARM_UP = 1 }; /* starts that do not count */
#ifdef TUTTI_HAVE_MPI4_PERSISTENT
#define NATIVE_INIT PMPI_Neighbor_alltoallv_init
#elif defined TUTTI_HAVE_MPIX_PERSISTENT
#include <mpi-ext.h>
#define NATIVE_INIT PMPIX_Neighbor_alltoallv_init
#endif
#endif
enum { TAG = 5, ATTEMPTS = 20 };

static void check(int error, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "tutti-bench halo: %s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(int n, size_t size)
{
    void *memory = malloc((size_t)n * size + 1);

    check(memory ? MPI_SUCCESS : MPI_ERR_NO_MEM, "a level");
    return memory;
}

/* ---- the graph of a level ---- */

static void side_make(exchange_side *s, const int *values, int p)
{
    *s = (exchange_side){.rank = allocate(p, sizeof(int)),
                         .count = allocate(p, sizeof(int)),
                         .displ = allocate(p, sizeof(int))};
    for (int r = 0; r < p; r++)
        if (values[r]) {
            s->rank[s->n] = r;
            s->count[s->n] = values[r];
            s->displ[s->n++] = s->total;
            s->total += values[r];
        }
    s->values = allocate(s->total, sizeof *s->values);
}

static void side_free(exchange_side *s)
{
    free(s->rank);
    free(s->count);
    free(s->displ);
    free(s->values);
}

static void transpose(int *square, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            int t = square[i * n + k];
            square[i * n + k] = square[k * n + i];
            square[k * n + i] = t;
        }
}

void exchange_open(exchange *s, int *square)
{
    int *mine = allocate(s->p, sizeof *mine);

    for (int i = 0; i < 2; i++) {
        MPI_Scatter(square, s->p, MPI_INT, mine, s->p, MPI_INT, 0, MPI_COMM_WORLD);
        side_make(i ? &s->in : &s->out, mine, s->p);
        if (square)
            transpose(square, s->p);
    }
    free(mine);
    s->posted = allocate(s->in.n + s->out.n, sizeof(MPI_Request));
    /* weights, because Open MPI's MPI_UNWEIGHTED looks to compilers like too short a list: any */
    check(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, s->in.n, s->in.rank, s->in.rank, s->out.n,
                                         s->out.rank, s->out.rank, MPI_INFO_NULL, 0, &s->graph),
          "MPI_Dist_graph_create_adjacent");
    MPI_Comm_set_errhandler(s->graph, MPI_ERRORS_RETURN);
}

void exchange_close(exchange *s)
{
    MPI_Comm_free(&s->graph);
    free(s->posted);
    side_free(&s->in);
    side_free(&s->out);
}

/* ---- the ways ---- */

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

static bool is_tutti(const char *way)
{
    return !is(way, "hand") && !is(way, "native") && !is(way, "native_init");
}

bool exchange_has_native_init(void)
{
#ifdef NATIVE_INIT
    return true;
#else
    return false;
#endif
}

static void open_native(exchange *s)
{
#ifdef NATIVE_INIT
    check(NATIVE_INIT(s->out.values, s->out.count, s->out.displ, MPI_DOUBLE, s->in.values,
                      s->in.count, s->in.displ, MPI_DOUBLE, s->graph, MPI_INFO_NULL, &s->native),
          "native_init");
#else
    (void)s;
#endif
}

static void way_open(exchange *s, const char *way)
{
    MPI_Info info;

    if (is(way, "native_init"))
        open_native(s);
    if (!is_tutti(way))
        return;
    MPI_Info_create(&info);
    if (!is(way, "auto"))
        MPI_Info_set(info, "tutti_algorithm", way);
    check(MPIX_Neighbor_alltoallv_auto_init(s->out.values, s->out.count, s->out.displ, MPI_DOUBLE,
                                            s->in.values, s->in.count, s->in.displ, MPI_DOUBLE,
                                            s->graph, info, &s->request),
          way);
    MPI_Info_free(&info);
}

static void run_hand(exchange *s)
{
    int n = 0;

    for (int i = 0; i < s->in.n; i++)
        MPI_Irecv(s->in.values + s->in.displ[i], s->in.count[i], MPI_DOUBLE, s->in.rank[i], TAG,
                  s->graph, &s->posted[n++]);
    for (int i = 0; i < s->out.n; i++)
        MPI_Isend(s->out.values + s->out.displ[i], s->out.count[i], MPI_DOUBLE, s->out.rank[i], TAG,
                  s->graph, &s->posted[n++]);
#ifdef TUTTI_SIMULATED /* its MPI_Waitall takes time that grows with the square of n */
    for (int i = 0; i < n; i++)
        MPI_Wait(&s->posted[i], MPI_STATUS_IGNORE);
#else
    MPI_Waitall(n, s->posted, MPI_STATUSES_IGNORE);
#endif
}

static void way_run(exchange *s, const char *way)
{
    if (is(way, "hand")) {
        run_hand(s);
    } else if (is(way, "native")) {
        check(PMPI_Neighbor_alltoallv(s->out.values, s->out.count, s->out.displ, MPI_DOUBLE,
                                      s->in.values, s->in.count, s->in.displ, MPI_DOUBLE, s->graph),
              way);
    } else if (is(way, "native_init")) {
        check(PMPI_Start(&s->native), way);
        check(PMPI_Wait(&s->native, MPI_STATUS_IGNORE), way);
    } else {
        check(MPIX_Start(&s->request), way);
        check(MPIX_Wait(&s->request, MPI_STATUS_IGNORE), way);
    }
}

static void way_close(exchange *s, const char *way, char took[EXCHANGE_NAME])
{
    tutti_stats stats;

    took[0] = 0;
    if (is(way, "native_init"))
        MPI_Request_free(&s->native);
    if (!is_tutti(way))
        return;
    if (tutti_get_stats(s->request, &stats) == MPI_SUCCESS)
        snprintf(took, EXCHANGE_NAME, "%s", stats.algorithm);
    MPIX_Request_free(&s->request);
}

/* ---- one way on one level ---- */

/* Value i of what a sends to b at a start. */
static double value_of(int a, int b, int i, int start)
{
    return (double)a * 1e9 + (double)b * 1e4 + i + (start % 8) / 8.0;
}

static void fill(exchange *s, int start)
{
    for (int i = 0; i < s->out.n; i++)
        for (int k = 0; k < s->out.count[i]; k++)
            s->out.values[s->out.displ[i] + k] = value_of(s->me, s->out.rank[i], k, start);
    memset(s->in.values, 0xff, (size_t)s->in.total * sizeof *s->in.values);
}

static int64_t count_wrong(const exchange *s, int start)
{
    int64_t wrong = 0;

    for (int i = 0; i < s->in.n; i++)
        for (int k = 0; k < s->in.count[i]; k++)
            wrong += s->in.values[s->in.displ[i] + k] != value_of(s->in.rank[i], s->me, k, start);
    return wrong;
}

static double slowest(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* Seconds of a start; one that a rank began late is done again, some times. */
static double timed_start(exchange *s, const char *way, int start, int64_t *wrong)
{
    double begin, end;
    int attempts = 0;

    do {
        fill(s, start);
        begin = sync_begin(s->sync);
        way_run(s, way);
        end = MPI_Wtime();
        *wrong += count_wrong(s, start);
    } while (!sync_held(s->sync) && ++attempts < ATTEMPTS);
    return end > begin ? end - begin : 0; /* SimGrid: without neighbors, a rounding error */
}

void exchange_measure(exchange *s, const char *way, exchange_result *r)
{
    double times[EXCHANGE_STARTS], begin;

    *r = (exchange_result){0};
    begin = sync_begin(s->sync);
    way_open(s, way);
    r->init = is(way, "hand") || is(way, "native") ? 0 : slowest(MPI_Wtime() - begin);
    sync_prepare(s->sync);
    for (int i = -WARM_UP; i < s->starts; i++) {
        double t = timed_start(s, way, i + WARM_UP, &r->wrong);
        if (i >= 0)
            times[i] = t;
    }
    MPI_Allreduce(MPI_IN_PLACE, times, s->starts, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &r->wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    r->time = summarize(times, s->starts);
    way_close(s, way, r->took);
}
