/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_options.c - see plan.h. */
#include "plan.h"
#include "topo/shape.h"
#include "tune/number.h"
#include "words.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

static const char help_begin[] =
    "usage: tutti-plan COLLECTIVE ALGORITHM[:WORD[,WORD]] -p RANKS [OPTION...]\n"
    "       tutti-plan COLLECTIVE --why --bytes N -p RANKS [OPTION...]\n"
    "       tutti-plan --machine M\n"
    "       tutti-plan --list [COLLECTIVE]\n"
    "Compile a collective and print the schedule of one rank, or what all ranks do, how long it "
    "takes\n"
    "and why. Needs no MPI.\n\n";

static const char help_words[] =
    "ALGORITHM is a name from `tutti-info --algorithms`; WORD is step or block, its parameter, "
    "its\n"
    "variant, or place, initcomm, endshuffle. Blocks are of equal length; neighbors are those of "
    "a\n"
    "periodic grid of two dimensions, as MPI_Dims_create makes it.\n\n";

static const char help_options[] =
    "The collective:\n"
    "  -p, --ranks=RANKS    of so many ranks (1 to 1048576)\n"
    "      --regions=SHAPE  where they are, as TUTTI_REGIONS: node:8, \"node:8@cyclic "
    "package:2\",\n"
    "                       a file; else all are on one node\n"
    "      --root=R         of collectives that have one (0)\n"
    "  -i, --in-place       with MPI_IN_PLACE\n"
    "      --bytes=N        of a block, or of a vector that is cut into parts\n\n"
    "What is printed (the schedule of rank 0, unless told otherwise):\n"
    "  -r, --rank=R         the schedule of rank R\n"
    "  -a, --all            totals over all ranks; with --bytes also the lines of 64 bytes that a\n"
    "                       rank writes and reads in the shared memory of its node\n"
    "      --critical-path  how long all of it takes, in transfers of a block, or of a part of a\n"
    "                       vector\n"
    "      --time           how long all of it takes by the estimate that auto goes by, for "
    "blocks,\n"
    "                       or a vector, of --bytes (of doubles, where they are reduced)\n"
    "      --model          beside it what Hockney's model says, and equations (1) to (4) of the\n"
    "                       paper on the locality-aware Bruck allgather\n"
    "      --why            the time of all algorithms in their usual forms: first what was "
    "executed,\n"
    "                       then what was not, or was given up (~, >=); which of them auto "
    "takes\n"
    "                       where wisdom knows nothing; what the MPI's own may take at best\n"
    "      --svg=FILE       draw who does what when, by the same estimate: ranks, messages "
    "between\n"
    "                       them, phases; -: to standard output\n"
    "      --dot            which steps of rank R wait for which, for Graphviz: | dot -Tsvg\n"
    "      --machine=M      the machine of these: ethernet, fast, or a file of constants, in "
    "place\n"
    "                       of what TUTTI_CONSTANTS or the files of user and site say; without a\n"
    "                       collective: print its constants\n"
    "      --list           all collectives; or the algorithms of one, with their words\n"
    "  -h, --help           print this\n"
    "      --version        print the version\n\n"
    "N is a number of bytes, with K, M or G for 1024, 1024^2, 1024^3: 4096, 4k, 4KiB.\n";

static void print_help(void)
{
    enum { WIDTH = 90 };
    int column = printf("%sCOLLECTIVE is one of", help_begin) - (int)strlen(help_begin);

    for (int i = 0; i < COLL_KINDS; i++) {
        const char *name = coll_kind_name((coll_kind)i);
        if (column + (int)strlen(name) > WIDTH)
            column = printf("\n") - 1;
        column += printf("%s%s%s", column ? " " : "", name, i < COLL_KINDS - 1 ? "," : "");
    }
    printf(".\n%s%s", help_words, help_options);
}

int plan_fail(const char *what, const char *value)
{
    fprintf(stderr, "tutti-plan: %s: %s\n", value, what);
    return 2;
}

static int wrong(request *r, const char *word, const char *what)
{
    command_wrong(&r->command, word, what, NULL);
    return 2;
}

/* `value` as a whole number from least to MOST_RANKS, `what` it should be else. */
static int take_number(request *r, const char *value, int64_t least, int *result, const char *what)
{
    int64_t n;

    if (!number_size(value, &n) || n < least || n > MOST_RANKS)
        return wrong(r, value, what);
    *result = (int)n;
    return 0;
}

static int take_bytes(request *r, const char *value)
{
    if (number_size(value, &r->bytes) && r->bytes <= MOST_BYTES)
        return 0;
    return wrong(r, value, "not a number of bytes up to 1 GiB, such as 4096, 4k, 4KiB");
}

static bool *flag_of(request *r, int option)
{
    switch (option) {
    case 'c':
        return &r->critical_path;
    case 't':
        return &r->time;
    case 'l':
        return &r->model;
    case 'w':
        return &r->why;
    case 'a':
        return &r->all;
    case 'i':
        return &r->in_place;
    case 'd':
        return &r->dot;
    case 'L':
        return &r->list;
    default:
        return NULL;
    }
}

static int take_option(request *r, int option, char *value)
{
    switch (option) {
    case 'p':
        return take_number(r, value, 1, &r->p, "not a number of ranks from 1 to 1048576");
    case 'r':
        return take_number(r, value, 0, &r->rank, "not a rank");
    case 'o':
        r->root_given = true;
        return take_number(r, value, 0, &r->root, "not a rank");
    case 'g':
        r->regions = value;
        return 0;
    case 's':
        r->svg = value;
        return 0;
    case 'm':
        r->machine = value;
        return 0;
    case 'b':
        return take_bytes(r, value);
    default:
        *flag_of(r, option) = true;
        return 0;
    }
}

static int take_options(request *r, int argc, char **argv)
{
    static const struct option known[] = {
        {"ranks", required_argument, NULL, 'p'},   {"rank", required_argument, NULL, 'r'},
        {"regions", required_argument, NULL, 'g'}, {"critical-path", no_argument, NULL, 'c'},
        {"root", required_argument, NULL, 'o'},    {"all", no_argument, NULL, 'a'},
        {"bytes", required_argument, NULL, 'b'},   {"in-place", no_argument, NULL, 'i'},
        {"time", no_argument, NULL, 't'},          {"why", no_argument, NULL, 'w'},
        {"model", no_argument, NULL, 'l'},         {"machine", required_argument, NULL, 'm'},
        {"svg", required_argument, NULL, 's'},     {"dot", no_argument, NULL, 'd'},
        {"list", no_argument, NULL, 'L'},          {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},       {0}};
    int option, failed = 0;

    opterr = 0;
    while (!failed && !r->said &&
           (option = getopt_long(argc, argv, ":p:r:aih", known, NULL)) != -1) {
        r->said = option == 'h' || option == 'v';
        if (option == 'h' && command_speaks())
            print_help();
        else if (option == 'v')
            command_version("tutti-plan");
        else if (option == '?' || option == ':')
            command_wrong_option(&r->command, option, argv, known);
        else if (!r->said)
            failed = take_option(r, option, optarg);
        failed |= *r->command.error ? 2 : 0;
    }
    return failed;
}

static int take_collective(request *r, const char *name)
{
    word_guess g;

    r->kind = coll_kind_find(name);
    if (r->kind != COLL_KINDS)
        return 0;
    g = words_guess_collective(name);
    command_wrong(&r->command, name, "no such collective", &g);
    return 2;
}

static int take_algorithm(request *r, const char *name)
{
    const char *why;
    coll c = {.kind = r->kind, .p = r->p};
    char part[64], what[100];
    word_guess g;
    bool is_name;

    if (select_parse(r->kind, name, r->p, 0, &r->choice)) {
        why = algo_refuses(algo_table[r->choice.algo], &c);
        return why ? wrong(r, name, why) : 0;
    }
    g = words_guess_algorithm(r->kind, name, part, &is_name);
    if (!is_name && *g.nearest && g.distance == 0)
        return wrong(r, name, "says twice what it may say once");
    if (is_name)
        snprintf(what, sizeof what, "no such algorithm of %s", coll_kind_name(r->kind));
    else
        snprintf(what, sizeof what, "no word, form or parameter of %.60s", name);
    command_wrong(&r->command, *part ? part : name, what, &g);
    return 2;
}

static int not_in_job(request *r, int rank)
{
    char word[16];

    snprintf(word, sizeof word, "%d", rank);
    return wrong(r, word, "not a rank of the job");
}

/* Do the options go together? */
static int check(request *r)
{
    if ((r->time || r->why || r->model || r->svg) && r->bytes < 0)
        return wrong(r, "--bytes N", "must be given");
    if (r->rank >= r->p)
        return not_in_job(r, r->rank);
    if (r->root >= r->p)
        return not_in_job(r, r->root);
    if (r->machine && !(r->time || r->why || r->model || r->svg))
        return wrong(r, "--machine", "goes with --time, --why, --model or --svg");
    if (r->in_place && coll_has(r->kind, COLL_NEIGHBORS))
        return wrong(r, "--in-place", "not for this collective");
    if (r->root_given && !coll_has(r->kind, COLL_ROOTED))
        return wrong(r, "--root", "this collective has none");
    return 0;
}

/* One block of each rank, or neighbor. */
static int make_counts(request *r)
{
    int n = r->p > PLAN_NEIGHBORS ? r->p : PLAN_NEIGHBORS;

    r->counts = malloc((size_t)n * 2 * sizeof *r->counts);
    if (!r->counts)
        return wrong(r, "counts", "out of memory");
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
    size_t length;

    if (r->regions && at && shape_locations(r->regions, r->p, at, why, sizeof why))
        r->topo = topo_make(at, r->p);
    free(at);
    if (!r->regions || r->topo)
        return 0;
    length = strlen(r->regions);
    if (strncmp(why, r->regions, length) == 0 && strncmp(why + length, ": ", 2) == 0)
        memmove(why, why + length + 2, strlen(why + length + 2) + 1); /* it is said once */
    return wrong(r, r->regions, why);
}

static int take_words(request *r, int n, char **words)
{
    int wanted = r->why ? 1 : 2, failed;

    if (n == 0)
        return wrong(r, r->why ? "COLLECTIVE" : "COLLECTIVE ALGORITHM", "must be given");
    failed = take_collective(r, words[0]);
    if (!failed && n < wanted)
        failed = wrong(r, "ALGORITHM", "must be given");
    if (!failed && n > wanted)
        failed = wrong(r, words[wanted], "one word too many");
    if (!failed && r->p < 1)
        failed = wrong(r, "-p RANKS", "must be given");
    return failed || r->why ? failed : take_algorithm(r, words[1]);
}

int plan_parse(request *r, int argc, char **argv)
{
    int failed = take_options(r, argc, argv), n = argc - optind;

    if (failed || r->said)
        return failed;
    r->kind = COLL_KINDS;
    if (r->list && n > 1)
        return wrong(r, argv[optind + 1], "one word too many");
    if (r->list)
        return n ? take_collective(r, argv[optind]) : 0;
    if (n == 0 && r->machine && !r->p)
        return 0;
    failed = take_words(r, n, argv + optind);
    failed = failed ? failed : check(r);
    failed = failed ? failed : make_counts(r);
    return failed ? failed : make_topo(r);
}
