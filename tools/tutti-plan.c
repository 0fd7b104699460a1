/* tutti-plan.c - compile a collective for one rank and print its schedule, or totals of all ranks.
 *
 *   tutti-plan allgather sparbit -p 21 --rank 3
 *   tutti-plan allgather bruck:block -p 21 --all
 *   tutti-plan alltoall bruck_radix:4 -p 21 --all
 *   tutti-plan allgather lane:ring,block -p 64 --regions node:8 --critical-path
 *
 *   tutti-plan allgather lane:ring,block -p 16 --regions node:4 --bytes 65536 --svg picture.svg
 *   tutti-plan allreduce ring -p 4 --rank 1 --dot | dot -Tsvg >graph.svg
 *
 *   tutti-plan bcast binomial -p 21 --root 5 --rank 3
 *
 * Needs no MPI: a schedule is a function of the call alone.
 */
#include "plan.h"
#include "topo/shape.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 2, MOST_BYTES = 1 << 30 };

static const char usage_begin[] =
    "usage: tutti-plan COLLECTIVE ALGORITHM[:WORD[,WORD]] -p RANKS [--regions SHAPE] [--in-place]\n"
    "                  [--root R] [--rank R | --all [--bytes N] | --critical-path |\n"
    "                  --time --bytes N [--machine M] |\n"
    "                  --svg FILE --bytes N [--machine M] | --dot [--rank R] |\n"
    "                  --model --bytes N [--machine M]]\n"
    "       tutti-plan COLLECTIVE --why --bytes N -p RANKS [--regions SHAPE] [--machine M]\n"
    "  COLLECTIVE   one of";
static const char usage_end[] =
    ";\n"
    "               blocks are of equal length; neighbors are those of a periodic grid of two\n"
    "               dimensions, as MPI_Dims_create makes it\n"
    "  ALGORITHM    a name from `tutti-info --algorithms`; WORD is step or block, its parameter, "
    "its\n"
    "               variant, or place, initcomm, endshuffle\n"
    "  --regions S  where the ranks are, as TUTTI_REGIONS: node:8, \"node:8@cyclic package:2\", a "
    "file\n"
    "  --root R     of collectives that have one (default 0)\n"
    "  --rank R     print the schedule of rank R (default 0)\n"
    "  --all        print totals over all ranks instead\n"
    "  --bytes N    of a block, or of a vector that is cut into parts: count lines of 64 bytes "
    "that "
    "a\n"
    "               rank writes and reads in the shared memory of its node\n"
    "  --critical-path  print how long all of it takes, in transfers of a block, or of a part of "
    "a\n"
    "               vector\n"
    "  --time       print how long all of it takes by the estimate of src/tune/estimate.h, for\n"
    "               blocks, or a vector, of --bytes N (of doubles, where they are reduced); ranks\n"
    "               are on one node without --regions\n"
    "  --svg FILE   draw who does what when, by the same estimate: ranks, messages between them,\n"
    "               phases; -: to standard output\n"
    "  --dot        print which steps of rank R wait for which, for Graphviz: | dot -Tsvg\n"
    "  --model      print beside it what Hockney's model says, and equations (1) to (4) of the "
    "paper\n"
    "               on the locality-aware Bruck allgather\n"
    "  --why        the same of all algorithms in their usual forms, the fastest first, and which "
    "of\n"
    "               them auto takes where wisdom knows nothing; what the MPI's own may take at "
    "best\n"
    "  --machine M  ethernet, fast, or a file of constants, in place of what TUTTI_CONSTANTS or "
    "the\n"
    "               files of user and site say; --machine M alone, without a collective, prints "
    "them\n";

static void usage(FILE *out)
{
    enum { WIDTH = 90 };
    int column = (int)strlen("  COLLECTIVE   one of");

    fputs(usage_begin, out);
    for (int i = 0; i < COLL_KINDS; i++) {
        const char *name = coll_kind_name((coll_kind)i);
        if (column + (int)strlen(name) > WIDTH)
            column = fprintf(out, "\n%14s", "") - 1;
        column += fprintf(out, " %s%s", name, i < COLL_KINDS - 1 ? "," : "");
    }
    fputs(usage_end, out);
}

int plan_fail(const char *what, const char *value)
{
    fprintf(stderr, "tutti-plan: %s: %s\n", value, what);
    usage(stderr);
    return 2;
}

static coll_side side_of(const request *r, coll_extent extent)
{
    if (extent >= COLL_SIZED)
        return (coll_side){.counts = r->counts, .displs = r->displs};
    return (coll_side){.count = 1};
}

/* A rank of a periodic grid of two dimensions, as MPI_Dims_create makes it. What goes up comes from
 * below, where the same rank is on both sides. */
typedef struct torus {
    int sources[2 * DIMENSIONS], order[2 * DIMENSIONS];
    coll_neighbors lists;
} torus;

static void torus_make(torus *t, int p, int rank)
{
    int columns = 1, rows, row, column;

    for (int n = 2; n <= p / n; n++)
        columns = p % n == 0 ? n : columns;
    rows = p / columns;
    row = rank / columns;
    column = rank % columns;
    *t = (torus){.sources = {(row + rows - 1) % rows * columns + column,
                             (row + 1) % rows * columns + column,
                             row * columns + (column + columns - 1) % columns,
                             row * columns + (column + 1) % columns},
                 .order = {1, 0, 3, 2}};
    t->lists = (coll_neighbors){.nsources = 2 * DIMENSIONS,
                                .ndestinations = 2 * DIMENSIONS,
                                .sources = t->sources,
                                .destinations = t->sources,
                                .order = t->order};
}

sched *plan_compile(const request *r, int rank)
{
    torus around;
    coll c = {.kind = r->kind,
              .p = r->p,
              .rank = rank,
              .root = r->root,
              .in_place = r->in_place || coll_shapes[r->kind].send == COLL_NONE,
              .parameter = r->choice.parameter,
              .variant = r->choice.variant,
              .order = r->choice.order,
              .neighbors = &around.lists,
              .send = side_of(r, coll_shapes[r->kind].send),
              .recv = side_of(r, coll_shapes[r->kind].recv)};
    sched *s = NULL;

    torus_make(&around, r->p, rank);
    if (algo_compile(algo_table[r->choice.algo], r->choice.form, &c, r->topo, &s) != SCHED_OK)
        s = NULL;
    return s;
}

sched **plan_compile_all(const request *r)
{
    sched **all = calloc((size_t)r->p, sizeof *all);
    bool done = all != NULL;

    for (int k = 0; done && k < r->p; k++)
        done = (all[k] = plan_compile(r, k)) != NULL;
    if (done)
        return all;
    plan_free_all(r, all);
    return NULL;
}

void plan_free_all(const request *r, sched **all)
{
    for (int k = 0; all && k < r->p; k++)
        sched_free(all[k]);
    free(all);
}

/* A whole number from least to MOST_RANKS, or -1. */
static int number(const char *text, int least)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n >= least && n <= MOST_RANKS ? (int)n : -1;
}

/* `value` as one of the request's numbers, `what` else. */
static int take_number(const char *value, int least, int *result, const char *what)
{
    *result = number(value, least);
    return *result < 0 ? plan_fail(what, value) : 0;
}

static int take_bytes(const char *value, int64_t *bytes)
{
    char *end;
    long long n = strtoll(value, &end, 10);

    *bytes = n;
    return *value && !*end && n >= 0 && n <= MOST_BYTES ? 0
                                                        : plan_fail("not a number of bytes", value);
}

/* The word stands where an option was expected. */
static int take_option(request *r, int option, char *value, const char *word)
{
    switch (option) {
    case 'p':
        return take_number(value, 1, &r->p, "not a number of ranks from 1 to 1048576");
    case 'r':
        return take_number(value, 0, &r->rank, "not a rank");
    case 'o':
        r->root_given = true;
        return take_number(value, 0, &r->root, "not a rank");
    case 'g':
        r->regions = value;
        return 0;
    case 'c':
        r->critical_path = true;
        return 0;
    case 't':
        r->time = true;
        return 0;
    case 'l':
        r->model = true;
        return 0;
    case 'w':
        r->why = true;
        return 0;
    case 's':
        r->svg = value;
        return 0;
    case 'd':
        r->dot = true;
        return 0;
    case 'm':
        r->machine = value;
        return 0;
    case 'b':
        return take_bytes(value, &r->bytes);
    case 'a':
        r->all = true;
        return 0;
    case 'i':
        r->in_place = true;
        return 0;
    case 'h':
        usage(stdout);
        exit(0);
    default:
        return plan_fail("unknown option or missing value", word);
    }
}

static int parse_options(int argc, char **argv, request *r)
{
    static const struct option options[] = {
        {"ranks", required_argument, NULL, 'p'},   {"rank", required_argument, NULL, 'r'},
        {"regions", required_argument, NULL, 'g'}, {"critical-path", no_argument, NULL, 'c'},
        {"root", required_argument, NULL, 'o'},    {"all", no_argument, NULL, 'a'},
        {"bytes", required_argument, NULL, 'b'},   {"in-place", no_argument, NULL, 'i'},
        {"time", no_argument, NULL, 't'},          {"why", no_argument, NULL, 'w'},
        {"model", no_argument, NULL, 'l'},         {"machine", required_argument, NULL, 'm'},
        {"svg", required_argument, NULL, 's'},     {"dot", no_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},          {0}};
    int option, failed = 0;

    while (!failed && (option = getopt_long(argc, argv, "p:r:aih", options, NULL)) != -1)
        failed = take_option(r, option, optarg, argv[optind - 1]);
    return failed;
}

/* One block of each rank, or neighbor. */
static int make_counts(request *r)
{
    int n = r->p > 2 * DIMENSIONS ? r->p : 2 * DIMENSIONS;

    r->counts = malloc((size_t)n * 2 * sizeof *r->counts);
    if (!r->counts)
        return plan_fail("out of memory", "counts");
    r->displs = r->counts + n;
    for (int i = 0; i < n; i++) {
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
    return r->regions && !r->topo ? plan_fail(why, r->regions) : 0;
}

static int parse(int argc, char **argv, request *r)
{
    int failed = parse_options(argc, argv, r);
    const algo *a;

    if (failed)
        return failed;
    if (argc == optind && r->machine)
        return 0;
    if (argc - optind < (r->why ? 1 : 2))
        return plan_fail("needed", r->why ? "COLLECTIVE" : "COLLECTIVE ALGORITHM");
    if (argc - optind > (r->why ? 1 : 2))
        return plan_fail("one word too many", argv[optind + (r->why ? 1 : 2)]);
    if (r->p < 1)
        return plan_fail("needed", "-p RANKS");
    r->kind = coll_kind_find(argv[optind]);
    if (r->kind == COLL_KINDS)
        return plan_fail("no such collective", argv[optind]);
    if (!r->why && !select_parse(r->kind, argv[optind + 1], r->p, 0, &r->choice))
        return plan_fail("no such algorithm, form or parameter", argv[optind + 1]);
    if ((r->time || r->why || r->model || r->svg) && r->bytes < 0)
        return plan_fail("needed", "--bytes N");
    if (r->rank >= r->p)
        return plan_fail("not a rank of the job", "--rank");
    if (r->root >= r->p)
        return plan_fail("not a rank of the job", "--root");
    if (r->in_place && coll_has(r->kind, COLL_NEIGHBORS))
        return plan_fail("not for this collective", "--in-place");
    if (r->root_given && !coll_has(r->kind, COLL_ROOTED))
        return plan_fail("this collective has none", "--root");
    a = algo_table[r->choice.algo];
    coll c = {.kind = r->kind, .p = r->p};
    if (!r->why && algo_refuses(a, &c))
        return plan_fail(algo_refuses(a, &c), argv[optind + 1]);
    failed = make_counts(r);
    return failed ? failed : make_topo(r);
}

int main(int argc, char **argv)
{
    request r = {.bytes = -1};
    int failed = parse(argc, argv, &r);

    if (failed)
        goto end;
    failed = r.p && !r.why ? plan_too_many_carried(&r) : 0;
    if (failed)
        goto end;
    failed = !r.p              ? plan_print_machine(&r)
             : r.why           ? plan_print_why(&r)
             : r.svg           ? plan_draw_svg(&r)
             : r.dot           ? plan_print_dot(&r)
             : r.model         ? plan_print_model(&r)
             : r.time          ? plan_print_time(&r)
             : r.critical_path ? plan_print_critical_path(&r)
             : r.all           ? plan_print_all(&r)
                               : plan_print_rank(&r);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tutti-plan: standard output could not be written\n");
        failed = 2;
    }
end:
    topo_free(r.topo);
    free(r.counts);
    return failed;
}
