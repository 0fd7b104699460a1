/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c - tutti-bench halo: the halo exchanges of a pattern, level by level, by several ways. */
#include "command.h"
#include "halo_exchange.h"
#include "halo_file.h"
#include "subcommands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { MAX_WAYS = 16 };

static const char help[] =
    "usage: mpiexec -n RANKS tutti-bench halo [OPTION...] FILE\n"
    "Measure halo exchanges: MPIX_Neighbor_alltoallv_init on the graph of each level of FILE, a\n"
    "pattern as bench/sim/patterns.py describes it, for RANKS ranks.\n\n"
    "Options:\n"
    "  -a WAYS         forms with commas (default linear,partner,node,auto,hand); also native,\n"
    "                  and native_init where the MPI has persistent collectives\n"
    "  -i N            starts (default 20)\n"
    "  --csv FILE      results, also as CSV\n"
    "  --sync KIND     barrier, dissem, roundtime (default): how a start begins\n"
    "  -h, --help      print this\n\n"
    "For example:\n"
    "  xz -dc bench/halo/patterns/laplace27-64.xz >pattern &&\n"
    "  mpiexec -n 64 tutti-bench halo pattern -a linear,node,node:2\n";

typedef struct session {
    exchange x;
    const char *way[MAX_WAYS];
    int ways;
    const char *file;
    FILE *csv;
} session;

static bool is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static void report(session *s, int level, const char *way, const exchange_result *r)
{
    if (s->x.me)
        return;
    printf("%5d  %-16s %11.2f %11.2f  %s%s\n", level, way, 1e6 * r->time.median, 1e6 * r->init,
           is(r->took, way) ? "" : r->took, r->wrong ? "  WRONG VALUES" : "");
    fflush(stdout);
    if (!s->csv)
        return;
    fprintf(s->csv, "halo,,%d,%d,%s,%d,%.9g,%.9g,%.9g,%.9g,%lld,%s\n", s->x.p, level, way,
            s->x.starts, 1e6 * r->time.median, 1e6 * r->time.low, 1e6 * r->time.high, 1e6 * r->init,
            (long long)r->wrong, r->took);
}

/* ---- all levels ---- */

/* Rank 0's answer for all: 1: a level is read; 0: no more; -1: an error, which is said. */
static int next_level(session *s, halo_file *f, int *square)
{
    long rows;
    int got = 0;

    if (s->x.me == 0) {
        got = halo_file_next(f, &rows, square);
        if (got < 0)
            fprintf(stderr, "tutti-bench halo: %s\n", f->error);
    }
    MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return got;
}

static int run_levels(session *s, halo_file *f)
{
    size_t n = (size_t)s->x.p;
    int *square = s->x.me == 0 ? malloc(n * n * sizeof *square) : NULL, got;
    int64_t wrong = 0;

    if (s->x.me == 0 && !square) {
        fprintf(stderr, "tutti-bench halo: no memory for the numbers of values of a level\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (s->x.me == 0)
        printf("# median of %d starts, and the init, us\n#%4s  %-16s %11s %11s  %s\n", s->x.starts,
               "level", "way", "start", "init", "took");
    for (int level = 0; (got = next_level(s, f, square)) > 0; level++) {
        exchange_open(&s->x, square);
        for (int i = 0; i < s->ways; i++) {
            exchange_result r;
            exchange_measure(&s->x, s->way[i], &r);
            report(s, level, s->way[i], &r);
            wrong += r.wrong;
        }
        exchange_close(&s->x);
    }
    free(square);
    return got < 0 ? 2 : wrong > 0;
}

/* On rank 0. False: it is said what is wrong. */
static bool open_files(session *s, halo_file *f, const char *csv)
{
    bool fits = halo_file_open(f, s->file);

    if (fits && f->ranks != s->x.p) {
        snprintf(f->error, sizeof f->error, "%.100s: a pattern for %d ranks, not %d", s->file,
                 f->ranks, s->x.p);
        fits = false;
    }
    if (!fits) {
        fprintf(stderr, "tutti-bench halo: %s\n", f->error);
        return false;
    }
    if (csv && !(s->csv = fopen(csv, "w"))) {
        fprintf(stderr, "tutti-bench halo: %s: cannot be written\n", csv);
        return false;
    }
    if (csv)
        fputs("command,label,ranks,level,algorithm,repetitions,median_us,low_us,high_us,init_us,"
              "wrong,took\n",
              s->csv);
    return true;
}

static int run(session *s, const char *csv)
{
    halo_file f = {0};
    int failed = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &s->x.me);
    MPI_Comm_size(MPI_COMM_WORLD, &s->x.p);
    if (s->x.me == 0)
        failed = open_files(s, &f, csv) ? 0 : 2;
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!failed) {
        tutti_init();
        failed = run_levels(s, &f);
    }
    halo_file_close(&f);
    if (s->csv && fclose(s->csv) != 0) {
        fprintf(stderr, "tutti-bench halo: %s: cannot be written\n", csv);
        failed = 2;
    }
    return failed;
}

/* ---- options ---- */

static void take_ways(session *s, command *c, char *list)
{
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
        if (s->ways == MAX_WAYS)
            command_wrong(c, word, "too many ways", NULL);
        else
            s->way[s->ways++] = word;
        if (is(word, "native_init") && !exchange_has_native_init())
            command_wrong(c, word, "this MPI has no persistent MPI_Neighbor_alltoallv", NULL);
#ifdef TUTTI_SIMULATED
        if (is(word, "native"))
            command_wrong(c, word, "SimGrid has no MPI_Neighbor_alltoallv", NULL);
#endif
    }
}

static void take_starts(session *s, command *c, const char *word)
{
    char *end;
    long n = strtol(word, &end, 10);

    if (*end || n < 1 || n > EXCHANGE_STARTS)
        command_wrong(c, word, "must be a number from 1 to 1000", NULL);
    s->x.starts = (int)n;
}

static void take_sync(session *s, command *c, const char *word)
{
    for (int i = 0; i < SYNC_KINDS; i++)
        if (is(word, sync_names[i])) {
            s->x.sync = (sync_kind)i;
            return;
        }
    command_wrong(c, word, "must be barrier, dissem or roundtime", NULL);
}

int bench_halo(int argc, char **argv)
{
    static const struct option options[] = {{"csv", required_argument, NULL, 'c'},
                                            {"sync", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    static char usual[] = "linear,partner,node,auto,hand";
    command c = {.name = "tutti-bench halo"};
    session s = {.x = {.starts = 20, .sync = SYNC_ROUNDTIME}};
    const char *csv = NULL;
    int option, failed;

    optind = 0; /* SimGrid: ranks share it */
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":a:i:h", options, NULL)) != -1)
        switch (option) {
        case 'a':
            take_ways(&s, &c, optarg);
            break;
        case 'i':
            take_starts(&s, &c, optarg);
            break;
        case 'c':
            csv = optarg;
            break;
        case 's':
            take_sync(&s, &c, optarg);
            break;
        case 'h':
            if (command_speaks())
                fputs(help, stdout);
            return 0;
        default:
            command_wrong_option(&c, option, argv, options);
        }
    if (optind != argc - 1)
        command_wrong(&c, "FILE", "must be given, one", NULL);
    if (*c.error)
        return command_refuse_all(&c, &argc, &argv);
    s.file = argv[optind];
    if (!s.ways)
        take_ways(&s, &c, usual);
    MPI_Init(&argc, &argv);
    failed = run(&s, csv);
    MPI_Finalize();
    return failed;
}
