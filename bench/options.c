/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - see options.h. */
#include "options.h"

#include "buffers.h"
#include "tune/number.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 8192 }; /* OSU: above it fewer iterations */

enum {
    OPTION_FACTOR = 256,
    OPTION_ROOT,
    OPTION_VARY,
    OPTION_BATCH,
    OPTION_SEED,
    OPTION_SYNC,
    OPTION_TIME,
    OPTION_OVERLAP,
    OPTION_VERIFY,
    OPTION_THREADS,
    OPTION_FOLD,
    OPTION_SHARED,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_LABEL,
    OPTION_CALL,
    OPTION_COLLECTIVES,
    OPTION_RULES,
    OPTION_TOLERANCE
};

static const struct option known[] = {{"message-size", required_argument, NULL, 'm'},
                                      {"iterations", required_argument, NULL, 'i'},
                                      {"warmup", required_argument, NULL, 'x'},
                                      {"mem-limit", required_argument, NULL, 'M'},
                                      {"num_test_calls", required_argument, NULL, 't'},
                                      {"full", no_argument, NULL, 'f'},
                                      {"quiet", no_argument, NULL, 'q'},
                                      {"help", no_argument, NULL, 'h'},
                                      {"version", no_argument, NULL, 'v'},
                                      {"algorithms", required_argument, NULL, 'a'},
                                      {"factor", required_argument, NULL, OPTION_FACTOR},
                                      {"root", required_argument, NULL, OPTION_ROOT},
                                      {"vary", required_argument, NULL, OPTION_VARY},
                                      {"batch", required_argument, NULL, OPTION_BATCH},
                                      {"seed", required_argument, NULL, OPTION_SEED},
                                      {"sync", required_argument, NULL, OPTION_SYNC},
                                      {"time-ms", required_argument, NULL, OPTION_TIME},
                                      {"overlap", optional_argument, NULL, OPTION_OVERLAP},
                                      {"verify", no_argument, NULL, OPTION_VERIFY},
                                      {"validation", no_argument, NULL, 'c'},
                                      {"threads", no_argument, NULL, OPTION_THREADS},
                                      {"fold", required_argument, NULL, OPTION_FOLD},
                                      {"shared-buffers", no_argument, NULL, OPTION_SHARED},
                                      {"csv", required_argument, NULL, OPTION_CSV},
                                      {"json", required_argument, NULL, OPTION_JSON},
                                      {"html", required_argument, NULL, OPTION_HTML},
                                      {"label", required_argument, NULL, OPTION_LABEL},
                                      {"call", required_argument, NULL, OPTION_CALL},
                                      {"collectives", required_argument, NULL, OPTION_COLLECTIVES},
                                      {"rules", required_argument, NULL, OPTION_RULES},
                                      {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
                                      {0}};

void options_usage(const char *command)
{
    printf(
        "usage: mpiexec -n RANKS tutti-bench %s [OPTION...]\n"
        "What is measured:\n"
        "  -a, --algorithms=NAME,...  columns (auto); may be repeated. all: every algorithm of "
        "Tutti;\n"
        "                             ring, lane:ring+block: one of them, in the subcommand's "
        "form;\n"
        "                             with _b, _i, _init, _thread: blocking, non-blocking,\n"
        "                             persistent, non-blocking with the progress thread; native,\n"
        "                             native_i, native_init: the MPI's own; mpi...: what MPI_ is\n"
        "                             linked to (wrappers of libtutti_mpi.so); hand, hand_init: "
        "the\n"
        "                             messages that a programmer would write\n"
        "  -m, --message-size=[MIN:]MAX  bytes of a block (1:1M), each --factor times the one\n"
        "                             before; reductions add up doubles: MIN is rounded up to 8; "
        "a\n"
        "                             barrier has no sizes\n"
        "      --factor=N             (2)\n"
        "      --root=RANK            of collectives that have one (0)\n"
        "      --vary=WHAT            from call to call: buffers, lengths, counts, roots, ops, "
        "types;\n"
        "                             derived, own: a derived type, an operation of the program; "
        "8\n"
        "                             calls in turn, not of persistent requests or by hand\n"
        "      --call=NAME            multi_collective: the alltoall in the lanes (native)\n"
        "      --shared-buffers       buffers are those of tutti_alloc\n"
        "  -M, --mem-limit=BYTES      leave out sizes that need more for buffers in a process "
        "(512M)\n"
        "      --fold=BYTES           SimGrid: larger buffers share memory between ranks, "
        "unverified\n\n"
        "How:\n"
        "  -i, --iterations=N         repetitions (1000, above 8 KiB 100)\n"
        "  -x, --warmup=N             repetitions before, not counted (200, above 8 KiB 10)\n"
        "      --time-ms=N            stop the repetitions of a size after so long\n"
        "      --batch=N              operations between two looks at the clock (1)\n"
        "      --seed=N               of the order in which algorithms take turns (1)\n"
        "      --sync=barrier|dissem|roundtime\n"
        "                             how repetitions begin at one time (barrier)\n"
        "      --overlap[=osu|imb]    overlap with a computation as long as the operation, in per "
        "cent\n"
        "  -t, --num_test_calls=N     progress calls during the computation (0)\n"
        "      --threads              at MPI_THREAD_MULTIPLE (_thread implies it)\n\n"
        "What is printed:\n"
        "  -f, --full                 more columns: extremes, phases; with several algorithms\n"
        "                             intervals\n"
        "  -c, --verify, --validation  column #wrong: bytes that are wrong, of all ranks and\n"
        "                             algorithms; of a barrier: ranks that left before the last "
        "had\n"
        "                             come\n"
        "      --csv=FILE             results; -: on standard output, without the table\n"
        "      --json=FILE            everything measured; -: on standard output, without the "
        "table\n"
        "      --html=FILE            a page with plots, tables, and what they were measured on\n"
        "      --label=TEXT           column of the CSV, key of the JSON\n"
        "  -q, --quiet                do not say on standard error how much time is left\n"
        "  -h, --help                 print this\n"
        "  -v, --version              print the version\n\n"
        "Numbers may end in K, M, G for 1024, 1024^2, 1024^3: 4096, 4k, 4KiB.\n",
        command);
}

/* A whole number of at least `least`, or a size. */
static bool number(const char *text, int64_t least, int64_t most, int64_t *result)
{
    int64_t n;

    if (!number_size(text, &n) || n < least || n > most)
        return false;
    *result = n;
    return true;
}

static bool small_number(const char *text, int least, int *result)
{
    int64_t n;

    if (!number(text, least, INT_MAX, &n))
        return false;
    *result = (int)n;
    return true;
}

/* A copy that may be taken apart; NULL: too long. */
static char *keep(options *o, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = o->kept + o->kept_bytes;

    if (size > KEPT_TEXT - o->kept_bytes)
        return NULL;
    o->kept_bytes += size;
    return memcpy(copy, text, size);
}

static bool parse_sizes(options *o, const char *argument)
{
    char *text = keep(o, argument), *colon = text ? strchr(text, ':') : NULL;

    if (!text || coll_shapes[o->what].recv == COLL_NONE)
        return false;
    if (!colon)
        return number(text, 1, INT_MAX, &o->max);
    *colon = '\0';
    return number(text, 1, INT_MAX, &o->min) && number(colon + 1, o->min, INT_MAX, &o->max);
}

static bool is_guidelines(const options *o)
{
    return strcmp(o->command, "guidelines") == 0;
}

/* "all" stands for every algorithm; '+' between words, because ',' is between names. */
static bool parse_names(options *o, const char *argument)
{
    char *text = keep(o, argument);

    for (char *name = text ? strtok(text, ",") : NULL; name; name = strtok(NULL, ",")) {
        bool all = strcmp(name, "all") == 0 && !is_guidelines(o);
        for (int i = 0; all && calls_algorithm(o->what, i) && o->nnames < MAX_VARIANTS; i++)
            if (strcmp(calls_algorithm(o->what, i), "auto") != 0)
                o->names[o->nnames++] = calls_algorithm(o->what, i);
        for (char *c = name; *c; c++)
            if (*c == '+')
                *c = ',';
        if (o->nnames == MAX_VARIANTS)
            return false;
        if (!all)
            o->names[o->nnames++] = name;
    }
    return text && o->nnames > 0;
}

static bool parse_sync(options *o, const char *text)
{
    for (int i = 0; i < SYNC_KINDS; i++)
        if (strcmp(text, sync_names[i]) == 0) {
            o->sync = (sync_kind)i;
            return true;
        }
    return false;
}

static bool parse_vary(options *o, const char *text)
{
    for (int k = 0; k < VARIES; k++)
        if (strcmp(text, vary_names[k]) == 0 && vary_fits((vary_kind)k, o->what)) {
            o->vary = (vary_kind)k;
            return true;
        }
    return false;
}

static bool parse_overlap(options *o, const char *text)
{
    o->overlap = text && strcmp(text, "imb") == 0 ? OVERLAP_IMB : OVERLAP_OSU;
    return !text || strcmp(text, "imb") == 0 || strcmp(text, "osu") == 0;
}

static bool parse_tolerance(options *o, const char *text)
{
    char *end;
    double percent = strtod(text, &end);

    o->tolerance = percent / 100;
    return end > text && !*end && percent >= 0 && percent <= 1e6;
}

/* Those of one subcommand. */
static bool parse_guidelines(options *o, int option, char *argument)
{
    if (!is_guidelines(o))
        return false;
    if (option == OPTION_COLLECTIVES)
        return (o->collectives = keep(o, argument));
    if (option == OPTION_RULES)
        return (o->rules = keep(o, argument));
    return option != OPTION_TOLERANCE || parse_tolerance(o, argument);
}

static bool parse_one(options *o, int option, char *argument)
{
    int64_t n = 0;

    switch (option) {
    case 'm':
        return parse_sizes(o, argument);
    case 'i':
        return small_number(argument, 1, &o->iterations);
    case 'x':
        return small_number(argument, 0, &o->warmup);
    case 'M':
        return number(argument, 1, INT64_MAX, &o->memory);
    case 't':
        return small_number(argument, 0, &o->calls);
    case 'a':
        return parse_names(o, argument);
    case OPTION_FACTOR:
        return number(argument, 2, INT_MAX, &o->factor);
    case OPTION_ROOT:
        return coll_has(o->what, COLL_ROOTED) && small_number(argument, 0, &o->root);
    case OPTION_VARY:
        return parse_vary(o, argument);
    case OPTION_BATCH:
        return small_number(argument, 1, &o->batch);
    case OPTION_SEED:
        return small_number(argument, 0, &o->seed);
    case OPTION_SYNC:
        return parse_sync(o, argument);
    case OPTION_TIME:
        o->seconds = number(argument, 1, INT_MAX, &n) ? 1e-3 * (double)n : 0;
        return n > 0;
    case OPTION_OVERLAP:
        return parse_overlap(o, argument);
    case OPTION_FOLD:
        return number(argument, 0, INT64_MAX, &o->fold);
    case OPTION_COLLECTIVES:
    case OPTION_RULES:
    case OPTION_TOLERANCE:
        return parse_guidelines(o, option, argument);
    default:
        return false;
    }
}

/* Options that only store or switch. */
static bool parse_plain(options *o, int option, char *argument)
{
    switch (option) {
    case 'f':
        return o->full = true;
    case 'q':
        return o->quiet = true;
    case 'h':
        return o->help = true;
    case 'v':
        return o->version = true;
    case 'c':
    case OPTION_VERIFY:
        return o->verify = true;
    case OPTION_SHARED:
        return o->shared = true;
    case OPTION_THREADS:
        return o->threads = true;
    case OPTION_CSV:
        o->csv = argument;
        return true;
    case OPTION_JSON:
        o->json = argument;
        return true;
    case OPTION_HTML:
        o->html = argument;
        return true;
    case OPTION_LABEL:
        o->label = argument;
        return true;
    case OPTION_CALL:
        o->call = argument;
        return true;
    default:
        return false;
    }
}

void options_fit(options *o)
{
    int64_t unit = buffers_unit(o->what);

    if (coll_shapes[o->what].recv == COLL_NONE)
        o->min = o->max = 0;
    if (o->max < o->min)
        o->min = o->max;
    o->min = (o->min + unit - 1) / unit * unit;
    if (o->max < o->min)
        o->max = o->min;
}

static void wrong_value(command *c, int option, const char *value)
{
    const struct option *o = known;
    char what[100];
    word_guess g = {.wrong = value ? value : ""};

    while (o->val != option)
        o++;
    snprintf(what, sizeof what, "not a valid value of --%s here", o->name);
    for (int i = 0; option == OPTION_SYNC && i < SYNC_KINDS; i++)
        word_try(&g, sync_names[i]);
    for (int i = 0; option == OPTION_VARY && i < VARIES; i++)
        word_try(&g, vary_names[i]);
    command_wrong(c, value ? value : o->name, what, &g);
}

static bool same_file(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool options_parse(options *o, int argc, char **argv, command *c)
{
    int option;

    optind = 0; /* SimGrid: ranks share it */
    opterr = 0;
    while (!*c->error && !o->help && !o->version &&
           (option = getopt_long(argc, argv, ":m:i:x:M:t:a:fqchv", known, NULL)) != -1) {
        if (option == '?' || option == ':')
            command_wrong_option(c, option, argv, known);
        else if (!parse_plain(o, option, optarg) && !parse_one(o, option, optarg))
            wrong_value(c, option, optarg);
    }
    if (!o->help && !o->version && optind < argc)
        command_wrong(c, argv[optind], "not an option", NULL);
    if (!*c->error && (same_file(o->csv, o->json) || same_file(o->csv, o->html)))
        command_wrong(c, o->csv, "two reports in one file", NULL);
    if (!*c->error && same_file(o->json, o->html))
        command_wrong(c, o->json, "two reports in one file", NULL);
    options_fit(o);
    return !*c->error;
}

int64_t options_next(const options *o, int64_t size)
{
    return size ? size * o->factor : o->max + 1;
}

int options_iterations(const options *o, int64_t size)
{
    return o->iterations >= 0 ? o->iterations : size <= LARGE ? 1000 : 100;
}

int options_warmup(const options *o, int64_t size)
{
    return o->warmup >= 0 ? o->warmup : size <= LARGE ? 200 : 10;
}
