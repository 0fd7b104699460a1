/* tutti-plan.c - compile a collective for one rank and print its schedule, or totals of all ranks.
 *
 *   tutti-plan allgather sparbit -p 21 --rank 3
 *   tutti-plan allgather bruck:block -p 21 --all
 *   tutti-plan alltoall bruck_radix:4 -p 21 --all
 *   tutti-plan allgather lane:ring,block -p 64 --regions node:8 --critical-path
 *
 * Needs no MPI: a schedule is a function of the call alone. Data is named in blocks.
 */
#include "algos/algo.h"
#include "critical_path.h"
#include "topo/shape.h"
#include "tune/select.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    coll_kind kind;
    choice choice;
    int p, rank;
    bool all, in_place, critical_path;
    const char *regions; /* or NULL */
    topo *topo;          /* of it */
    int64_t *counts, *displs;
} request;

static const char usage_text[] =
    "usage: tutti-plan COLLECTIVE ALGORITHM[:WORD[,WORD]] -p RANKS [--regions SHAPE] [--in-place]\n"
    "                  [--rank R | --all | --critical-path]\n"
    "  COLLECTIVE   allgather, allgatherv, alltoall or alltoallv (blocks of equal length)\n"
    "  ALGORITHM    a name from `tutti-info --algorithms`; WORD is step or block, its parameter, "
    "its\n"
    "               variant, or place, initcomm, endshuffle\n"
    "  --regions S  where the ranks are, as TUTTI_REGIONS: node:8, \"node:8@cyclic package:2\", a "
    "file\n"
    "  --rank R     print the schedule of rank R (default 0)\n"
    "  --all        print totals over all ranks instead\n"
    "  --critical-path  print how long all of it takes, in block transfers\n";

static int fail(const char *what, const char *value)
{
    fprintf(stderr, "tutti-plan: %s: %s\n%s", value, what, usage_text);
    return 2;
}

static sched *compile(const request *r, int rank)
{
    coll c = {.kind = r->kind,
              .p = r->p,
              .rank = rank,
              .in_place = r->in_place,
              .parameter = r->choice.parameter,
              .variant = r->choice.variant,
              .order = r->choice.order,
              .send.count = 1,
              .send.counts = r->counts,
              .send.displs = r->displs,
              .recv.count = 1,
              .recv.counts = r->counts,
              .recv.displs = r->displs};
    sched *s = NULL;

    if (algo_compile(algo_table[r->choice.algo], r->choice.form, &c, r->topo, &s) != SCHED_OK)
        s = NULL;
    return s;
}

/* ---- what would take too long ---- */

/* Beyond these it takes ten seconds and more. */
enum { MOST_RANKS = 1 << 20, MOST_WORK = 50000000, MOST_STEPS = 4000000 };

/* Algorithms that compile in ranks times nodes. */
static const struct quadratic {
    coll_kind kind;
    const char *name;
    int64_t most;
} quadratic[] = {{COLL_alltoall, "hierarchical", 100000000},
                 {COLL_alltoall, "lane", 100000000},
                 {COLL_allgather, "reorder_hierarchical", 2000000000}};

static int too_many_nodes(const request *r)
{
    const algo *a = algo_table[r->choice.algo];
    int64_t size = r->topo ? (int64_t)r->p * r->topo->nodes : 0;

    for (size_t i = 0; i < sizeof quadratic / sizeof *quadratic; i++)
        if (a->kind == quadratic[i].kind && strcmp(a->name, quadratic[i].name) == 0 &&
            size > quadratic[i].most) {
            fprintf(stderr,
                    "tutti-plan: %s compiles in ranks times nodes, which are %" PRId64
                    ", more than %" PRId64 "; ask for fewer ranks (-p) or larger nodes\n",
                    a->name, size, quadratic[i].most);
            return 2;
        }
    return 0;
}

/* Steps and intervals of all ranks, and what looking at the machine takes, as four ranks have them.
 * False: out of memory. */
static bool estimate(const request *r, int64_t *steps, int64_t *work)
{
    enum { SAMPLES = 4 };
    int64_t looks = r->topo && algo_table[r->choice.algo]->regional ? r->p : 0;

    *steps = *work = 0;
    for (int i = 0; i < SAMPLES && *work <= MOST_WORK; i++) {
        sched *s = compile(r, (int)((int64_t)(r->p - 1) * i / (SAMPLES - 1)));
        if (!s)
            return false;
        *steps += (int64_t)s->nsteps * r->p / SAMPLES;
        *work += ((int64_t)s->nsteps + s->nintervals + looks) * r->p / SAMPLES;
        sched_free(s);
    }
    return true;
}

/* All ranks: is it too much to do? */
static int too_much(const request *r, const char *option)
{
    int64_t steps, work;

    if (!estimate(r, &steps, &work))
        return fail("out of memory", "schedule");
    if (work <= MOST_WORK && (!r->critical_path || steps <= MOST_STEPS))
        return 0;
    fprintf(
        stderr,
        "tutti-plan: %s looks at all steps of all ranks, more than %d million here; ask for one "
        "rank (--rank R), or for fewer (-p)\n",
        option, (work > MOST_WORK ? MOST_WORK : MOST_STEPS) / 1000000);
    return 2;
}

/* ---- print ---- */

static void print_title(const request *r)
{
    char name[128];

    select_print(&r->choice, name, sizeof name);
    printf("%s %s", coll_kind_name(r->kind), name);
    printf(", %d ranks", r->p);
    if (r->regions)
        printf(" on %s", r->regions);
}

/* The check compares every step, and every interval, with every other. */
static bool is_checked(const sched *s)
{
    return s->nsteps <= 4096 && s->nintervals <= 16384;
}

static int print_rank(const request *r)
{
    sched *s = compile(r, r->rank);
    const char *wrong = !s ? "out of memory" : is_checked(s) ? sched_check(s) : NULL;

    print_title(r);
    printf(", rank %d: ", r->rank);
    if (!wrong && !sched_print(stdout, s, "block"))
        wrong = "out of memory";
    if (wrong)
        printf("broken: %s\n", wrong);
    sched_free(s);
    return wrong != NULL;
}

typedef struct total {
    int64_t sum, least, most;
} total;

static void add(total *t, int64_t value)
{
    if (t->sum == 0 || value < t->least)
        t->least = value;
    if (value > t->most)
        t->most = value;
    t->sum += value;
}

static void print_total(const char *name, const total *t)
{
    printf("  %-24s %12" PRId64 " %10" PRId64 " %10" PRId64 "\n", name, t->sum, t->least, t->most);
}

/* Region of each rank, or NULL: all are in one. */
static const int *regions_of(const request *r)
{
    int level = topo_regions(r->topo);

    return r->topo && level < r->topo->nlevels ? r->topo->level[level].region : NULL;
}

/* Messages that cross regions, and their blocks. */
static void count_far(const sched *s, const int *region, int rank, int64_t *messages,
                      int64_t *blocks)
{
    for (int i = 0; region && i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (st->kind != STEP_SEND || region[st->peer] == region[rank])
            continue;
        ++*messages;
        for (int k = 0; k < st->n; k++)
            *blocks += (int64_t)s->list[st->first + k].length;
    }
}

/* Blocks that the steps of this kind send, or copy. */
static int64_t blocks_of(const sched *s, step_kind kind)
{
    int64_t blocks = 0;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        int n = kind == STEP_COPY ? 1 : st->n; /* the second interval is where they go */
        for (int k = 0; st->kind == kind && k < n; k++)
            blocks += (int64_t)s->list[st->first + k].length;
    }
    return blocks;
}

static int print_all(const request *r)
{
    total steps = {0}, messages = {0}, blocks = {0}, copies = {0}, edges = {0}, bytes = {0};
    total far_messages = {0}, far_blocks = {0};
    const algo *a = algo_table[r->choice.algo];
    int failed = too_much(r, "--all");

    if (failed)
        return failed;
    for (int k = 0; k < r->p; k++) {
        sched *s = compile(r, k);
        int64_t sends = 0, crossing = 0, crossing_blocks = 0;
        if (!s)
            return fail("out of memory", "schedule");
        for (int i = 0; i < s->nsteps; i++)
            sends += s->steps[i].kind == STEP_SEND;
        add(&steps, s->nsteps);
        add(&messages, sends);
        add(&blocks, blocks_of(s, STEP_SEND));
        count_far(s, regions_of(r), k, &crossing, &crossing_blocks);
        add(&far_messages, crossing);
        add(&far_blocks, crossing_blocks);
        add(&copies, blocks_of(s, STEP_COPY));
        add(&edges, s->nedges);
        add(&bytes, (int64_t)sched_memory(s));
        sched_free(s);
    }
    print_title(r);
    printf("\n  %-24s %12s %10s %10s\n", "", "all ranks", "least", "most");
    print_total("steps", &steps);
    print_total("messages sent", &messages);
    print_total("blocks sent", &blocks);
    if (regions_of(r)) {
        print_total("messages between regions", &far_messages);
        print_total("blocks between regions", &far_blocks);
    }
    print_total("blocks copied", &copies);
    print_total("dependencies", &edges);
    print_total("bytes of schedule", &bytes);
    if (a->cost) {
        algo_cost cost = a->cost(r->p, r->choice.parameter);
        printf("  T = %g alpha + %g n beta on the critical path (Hockney model, n bytes a block)\n",
               cost.messages, cost.blocks);
    }
    return 0;
}

static void print_path(const request *r, const critical_path *path)
{
    int64_t sum = 0;

    print_title(r);
    printf("\n  critical path, in block transfers\n");
    printf("    %8" PRId64 "  longest chain of messages that need each other (%d messages)\n",
           path->chain, path->messages);
    printf("    %8" PRId64 "  with one message at a time on each port of a rank: in, out, %s\n",
           path->on_ports, regions_of(r) ? "local and between regions" : "one region");
    for (int i = 0; i < path->nphases; i++)
        sum += path->phase_on_ports[i];
    if (path->nphases == 0)
        return;
    printf("    %8" PRId64 "  the same, if each phase waited for the end of the one before:", sum);
    for (int i = 0; i < path->nphases; i++)
        printf("%s %s %" PRId64, i ? "," : "", path->phase[i], path->phase_on_ports[i]);
    printf("\n");
}

static int print_critical_path(const request *r)
{
    int failed = too_much(r, "--critical-path");
    sched **all = failed ? NULL : calloc((size_t)r->p, sizeof *all);
    critical_path path;
    bool done = all != NULL;

    if (failed)
        return failed;
    for (int k = 0; done && k < r->p; k++)
        done = (all[k] = compile(r, k)) != NULL;
    done = done && critical_path_find(all, r->p, r->topo, &path);
    for (int k = 0; all && k < r->p; k++)
        sched_free(all[k]);
    free(all);
    if (!done)
        return fail("out of memory", "schedules");
    print_path(r, &path);
    return 0;
}

/* A whole number from least to MOST_RANKS, or -1. */
static int number(const char *text, int least)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n >= least && n <= MOST_RANKS ? (int)n : -1;
}

static int parse_options(int argc, char **argv, request *r)
{
    static const struct option options[] = {
        {"ranks", required_argument, NULL, 'p'},   {"rank", required_argument, NULL, 'r'},
        {"regions", required_argument, NULL, 'g'}, {"critical-path", no_argument, NULL, 'c'},
        {"all", no_argument, NULL, 'a'},           {"in-place", no_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},          {0}};
    int option;

    while ((option = getopt_long(argc, argv, "p:r:aih", options, NULL)) != -1)
        switch (option) {
        case 'p':
            if ((r->p = number(optarg, 1)) < 0)
                return fail("not a number of ranks from 1 to 1048576", optarg);
            break;
        case 'r':
            if ((r->rank = number(optarg, 0)) < 0)
                return fail("not a rank", optarg);
            break;
        case 'g':
            r->regions = optarg;
            break;
        case 'c':
            r->critical_path = true;
            break;
        case 'a':
            r->all = true;
            break;
        case 'i':
            r->in_place = true;
            break;
        case 'h':
            fputs(usage_text, stdout);
            exit(0);
        default:
            return fail("unknown option or missing value", argv[optind - 1]);
        }
    return 0;
}

/* One block of each rank. */
static int make_counts(request *r)
{
    r->counts = malloc((size_t)r->p * 2 * sizeof *r->counts);
    if (!r->counts)
        return fail("out of memory", "counts");
    r->displs = r->counts + r->p;
    for (int i = 0; i < r->p; i++) {
        r->counts[i] = 1;
        r->displs[i] = i;
    }
    return 0;
}

static int make_topo(request *r)
{
    location *at = calloc((size_t)r->p, sizeof *at);
    char why[200] = "out of memory";

    if (r->regions && at && shape_places(r->regions, r->p, at, why, sizeof why))
        r->topo = topo_make(at, r->p);
    free(at);
    return r->regions && !r->topo ? fail(why, r->regions) : 0;
}

static int parse(int argc, char **argv, request *r)
{
    int failed = parse_options(argc, argv, r);
    const algo *a;

    if (failed)
        return failed;
    if (argc - optind < 2)
        return fail("needed", "COLLECTIVE ALGORITHM");
    if (argc - optind > 2)
        return fail("one word too many", argv[optind + 2]);
    if (r->p < 1)
        return fail("needed", "-p RANKS");
    r->kind = coll_kind_find(argv[optind]);
    if (r->kind == COLL_KINDS)
        return fail("no such collective", argv[optind]);
    if (!select_parse(r->kind, argv[optind + 1], r->p, 0, &r->choice))
        return fail("no such algorithm, form or parameter", argv[optind + 1]);
    if (r->rank >= r->p)
        return fail("not a rank of the job", "--rank");
    a = algo_table[r->choice.algo];
    coll c = {.kind = r->kind, .p = r->p};
    if (algo_refuses(a, &c))
        return fail(algo_refuses(a, &c), argv[optind + 1]);
    failed = make_counts(r);
    return failed ? failed : make_topo(r);
}

int main(int argc, char **argv)
{
    request r = {0};
    int failed = parse(argc, argv, &r);

    if (failed)
        goto end;
    failed = too_many_nodes(&r);
    if (failed)
        goto end;
    failed = r.critical_path ? print_critical_path(&r) : r.all ? print_all(&r) : print_rank(&r);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tutti-plan: standard output could not be written\n");
        failed = 2;
    }
end:
    topo_free(r.topo);
    free(r.counts);
    return failed;
}
