/* SPDX-License-Identifier: BSD-3-Clause */
/* compile_ranks.c - tutti-bench compile --ranks N: what grows with the number of ranks.
 *
 * Of each algorithm the schedule of one rank; of some that are looked at the one with most steps.
 * What would take too long is not compiled: how many steps that are is estimated from the same
 * algorithm among about 2048 and 4096 ranks of the same machine, in whole nodes, because a smaller
 * last one makes fewer lanes. Then what a process holds of a communicator of so many ranks
 * (held.c).
 */
#include "command.h"
#include "compile.h"

#include "stats.h"
#include "topo/shape.h"
#include "tune/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_RANKS = 64, /* neighbors are some of so many */
    MOST_RANKS = 1 << 20,
    SIZES = 16,
    PROBES = 4, /* two of whole nodes, and two powers of two, for which all algorithms are */
    PROBE = 2048,
    MOST_WORK = 1500000, /* steps and intervals */
    SMALL = 20000,       /* of these several ranks are looked at */
    REPETITIONS = 11
};

#define ENOUGH 0.2 /* seconds of repetitions */

typedef struct machine {
    int p;
    topo *t;
    int64_t *v;
    location *at;
} machine;

typedef struct wanted {
    int sizes[SIZES], n;
    const char *regions, *algorithms;
    char **kinds; /* names of collectives, NULL at the end */
} wanted;

static const char help[] =
    "usage: tutti-bench compile [OPTION...] [COLLECTIVE...]\n"
    "How long schedules take to compile, for 64, 1000 and 4096 ranks; or:\n\n"
    "      --ranks=N,...    of so many ranks (64 to 1048576) the schedule of one, and what a "
    "process\n"
    "                       holds of a communicator; of these collectives only, if some are named\n"
    "      --regions=SHAPE  where they are, as TUTTI_REGIONS (node:100)\n"
    "  -a NAME,...          algorithms of these names only\n"
    "      --choices        how long auto takes to choose, on 64, 1024 and 4096 ranks\n"
    "  -h, --help           print this\n";

static int refuse(const char *value, const char *what)
{
    command c = {.name = "tutti-bench compile"};

    command_wrong(&c, value, what, NULL);
    return command_refuse(&c);
}

/* ---- machines ---- */

static void machine_end(machine *m)
{
    topo_free(m->t);
    free(m->v);
    free(m->at);
}

/* False: said why not. */
static bool machine_make(machine *m, const char *regions, int p)
{
    char why[200] = "out of memory";
    bool good;

    *m = (machine){.p = p};
    m->at = malloc((size_t)p * sizeof *m->at);
    m->v = malloc((size_t)p * 2 * sizeof *m->v);
    good = m->at && m->v && shape_locations(regions, p, m->at, why, sizeof why) &&
           (m->t = topo_make(m->at, p));
    if (good)
        compile_blocks(p, m->v);
    else
        refuse(regions, why);
    return good;
}

/* ---- one schedule ---- */

static sched *compile(const algo *a, coll_form form, const machine *m, int rank)
{
    coll c = compile_call(a, compile_kind(a, false), m->p, rank, m->v);
    sched *s = NULL;

    return algo_compile(a, form, &c, m->t, &s) == SCHED_OK ? s : NULL;
}

static int64_t work_of(const sched *s)
{
    return (int64_t)s->nsteps + s->nintervals;
}

/* The k-th rank that is looked at, or -1: the first ones, and some in the middle and at the end. */
static int candidate(int p, int k)
{
    const int ranks[] = {0, 1, p / 2, p / 2 + 1, p - 1};

    return k < (int)(sizeof ranks / sizeof *ranks) ? ranks[k] : -1;
}

/* The rank with most to do and its schedule. A long schedule is as good as any. NULL: no memory. */
static sched *busiest(const algo *a, coll_form form, const machine *m, int *rank)
{
    sched *most = NULL;

    for (int k = 0; candidate(m->p, k) >= 0; k++) {
        sched *s = compile(a, form, m, candidate(m->p, k));
        if (s && (!most || work_of(s) > work_of(most))) {
            sched_free(most);
            most = s;
            *rank = candidate(m->p, k);
        } else {
            sched_free(s);
        }
        if (!most || work_of(most) > SMALL)
            break;
    }
    return most;
}

/* What it would be, by its growth from one probe to the next one: they are pairs. */
static double expected(const algo *a, coll_form form, const machine *probe, int p)
{
    coll small = {.kind = a->kind, .p = probe[0].p}, large = {.kind = a->kind, .p = probe[1].p};
    double work[2];
    int rank;

    if (algo_refuses(a, &small) || algo_refuses(a, &large))
        probe += 2;
    for (int i = 0; i < 2; i++) {
        sched *s = busiest(a, form, &probe[i], &rank);
        work[i] = s ? (double)work_of(s) : 1;
        sched_free(s);
    }
    return work[1] * pow((double)p / probe[1].p, log2(work[1] / work[0]));
}

/* Receives that are posted at the start, before anything has come; and at most at once. */
static void count_receives(const sched *s, int *ready, int64_t *most)
{
    int *queued = calloc((size_t)s->nqueues + 1, sizeof *queued);

    *ready = 0;
    *most = 0;
    for (int i = 0; i < s->nready; i++)
        *ready += s->steps[s->ready[i]].kind == STEP_RECV;
    for (int i = 0; queued && i < s->nsteps; i++)
        if (s->steps[i].kind == STEP_RECV && queued[s->steps[i].queue]++ < SCHED_WINDOW)
            ++*most;
    free(queued);
}

/* A few times, unless that takes long. */
static double median_time(const algo *a, coll_form form, const machine *m, int rank)
{
    double times[REPETITIONS], all = 0;
    int n = 0;

    while (n < REPETITIONS && all < ENOUGH) {
        double begin = compile_now();
        sched *s = compile(a, form, m, rank);
        times[n] = compile_now() - begin;
        all += times[n++];
        sched_free(s);
    }
    return median(times, n);
}

static void name_row(const algo *a, coll_form form, int p)
{
    static const char *const forms[] = {"step", "block"};

    printf("%-17s %-26s %-6s %8d ", coll_kind_name(a->kind), a->name,
           a->has_forms ? forms[form] : "-", p);
}

static void print_row(const algo *a, coll_form form, const machine *m)
{
    int rank = 0, ready;
    int64_t most, peak;
    sched *s = busiest(a, form, m, &rank);

    if (!s) {
        printf("out of memory\n");
        return;
    }
    count_receives(s, &ready, &most);
    printf("%8d %9d %9d %9d %9" PRId64 " %11zu ", rank, s->nsteps, s->nmessages, ready, most,
           sched_memory(s));
    sched_free(s);
    held_peak_begin();
    sched_free(compile(a, form, m, rank));
    peak = held_peak();
    if (peak < 0)
        printf("%10s ", "-");
    else
        printf("%10" PRId64 " ", peak / 1024);
    printf("%11.1f\n", 1e6 * median_time(a, form, m, rank));
}

static void measure(const algo *a, coll_form form, const machine *m, const machine *probe)
{
    coll call = {.kind = a->kind, .p = m->p};
    double work = m->p > 2 * PROBE ? expected(a, form, probe, m->p) : 0;

    name_row(a, form, m->p);
    if (algo_refuses(a, &call))
        printf("%s\n", algo_refuses(a, &call));
    else if (work > MOST_WORK)
        printf("about %.1f million steps and intervals, more than %.1f: left out\n", work / 1e6,
               1e-6 * MOST_WORK);
    else
        print_row(a, form, m);
    fflush(stdout);
}

/* ---- all of them ---- */

/* Is it in the list a,b,c? */
static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || !at[n]))
            return true;
    return false;
}

static bool is_wanted(const wanted *w, const algo *a)
{
    bool kind = !*w->kinds;

    for (int i = 0; w->kinds[i]; i++)
        kind |= strcmp(w->kinds[i], coll_kind_name(a->kind)) == 0;
    return kind && (!w->algorithms || listed(w->algorithms, a->name));
}

static void measure_all(const wanted *w, const machine *m, const machine *probe)
{
    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        for (int form = 0; is_wanted(w, a) && form <= (a->has_forms ? FORM_BLOCK : FORM_STEP);
             form++)
            measure(a, (coll_form)form, m, probe);
    }
}

static bool make_probes(machine probe[PROBES], const char *regions)
{
    bool good =
        machine_make(&probe[3], regions, 2 * PROBE) && machine_make(&probe[2], regions, PROBE);
    int level = good ? topo_regions(probe[3].t) : 0, node = 1;

    if (good && level < probe[3].t->nlevels && probe[3].t->level[level].most < PROBE)
        node = probe[3].t->level[level].most;
    return good && machine_make(&probe[0], regions, PROBE / node * node) &&
           machine_make(&probe[1], regions, 2 * (PROBE / node * node));
}

static int run(const wanted *w)
{
    machine probe[PROBES] = {0}, m = {0};
    bool good = make_probes(probe, w->regions);

    if (good)
        printf("# on %s\n%-17s %-26s %-6s %8s %8s %9s %9s %9s %9s %11s %10s %11s\n", w->regions,
               "#", "algorithm", "form", "ranks", "rank", "steps", "messages", "ready", "posted",
               "bytes", "peak KiB", "us");
    for (int i = 0; good && i < w->n; i++) {
        good = machine_make(&m, w->regions, w->sizes[i]);
        if (good)
            measure_all(w, &m, probe);
        machine_end(&m);
    }
    if (good)
        held_title();
    for (int i = 0; good && i < w->n; i++) {
        good = machine_make(&m, w->regions, w->sizes[i]);
        if (good)
            held_print(m.at, m.p);
        machine_end(&m);
    }
    for (int i = 0; i < PROBES; i++)
        machine_end(&probe[i]);
    return good ? 0 : 2;
}

/* ---- options ---- */

static int take_ranks(wanted *w, const char *list)
{
    const char *at = list;

    do {
        const char *end = at + strcspn(at, ",");
        char one[32];
        int64_t p;
        snprintf(one, sizeof one, "%.*s", (int)(end - at), at);
        if (!number_size(one, &p) || p < LEAST_RANKS || p > MOST_RANKS)
            return refuse(list, "not numbers of ranks from 64 to 1048576");
        if (w->n == SIZES)
            return refuse(list, "too many numbers");
        w->sizes[w->n++] = (int)p;
        at = *end ? end + 1 : NULL;
    } while (at);
    return 0;
}

/* The first name in the list that no algorithm has. False: there is none. */
static bool find_unknown(const char *list, char *name, size_t size)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int k = 0;
        snprintf(name, size, "%.*s", (int)strcspn(at, ","), at);
        while (k < algo_count && strcmp(algo_table[k]->name, name) != 0)
            k++;
        if (k == algo_count)
            return true;
    }
    return false;
}

static int check(const wanted *w)
{
    bool any = false;
    char name[64];

    for (int i = 0; w->kinds[i]; i++) {
        bool known = false;
        for (int k = 0; k < algo_count; k++)
            known |= strcmp(w->kinds[i], coll_kind_name(algo_table[k]->kind)) == 0;
        if (!known)
            return refuse(w->kinds[i], "no collective that has algorithms of its own");
    }
    if (find_unknown(w->algorithms, name, sizeof name))
        return refuse(name, "no such algorithm");
    for (int i = 0; i < algo_count; i++)
        any |= is_wanted(w, algo_table[i]);
    if (!any)
        return refuse(w->algorithms, "no such algorithm of these collectives");
    return w->n ? 0 : refuse("--ranks", "must be given");
}

int compile_ranks(int argc, char **argv)
{
    static const struct option options[] = {{"ranks", required_argument, NULL, 'p'},
                                            {"regions", required_argument, NULL, 'g'},
                                            {"choices", no_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    command c = {.name = "tutti-bench compile"};
    wanted w = {.regions = "node:100"};
    int option, failed = 0;

    opterr = 0;
    while (!failed && (option = getopt_long(argc, argv, ":a:h", options, NULL)) != -1)
        switch (option) {
        case 'p':
            failed = take_ranks(&w, optarg);
            break;
        case 'g':
            w.regions = optarg;
            break;
        case 'a':
            w.algorithms = optarg;
            break;
        case 'c':
            return refuse("--choices", "goes with nothing else");
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            command_wrong_option(&c, option, argv, options);
            return command_refuse(&c);
        }
    w.kinds = argv + optind;
    if (!failed)
        failed = check(&w);
    return failed ? failed : run(&w);
}
