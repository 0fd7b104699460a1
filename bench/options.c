/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - take the options of the command line, and say which one is wrong. See options.h. */
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

/* A whole number of at least `least`, or a size. */
static bool parse_number(const char *text, int64_t least, int64_t most, int64_t *result)
{
    int64_t n;

    if (!number_size(text, &n) || n < least || n > most)
        return false;
    *result = n;
    return true;
}

static bool parse_int(const char *text, int least, int *result)
{
    int64_t n;

    if (!parse_number(text, least, INT_MAX, &n))
        return false;
    *result = (int)n;
    return true;
}

/* A copy that may be taken apart; NULL: too long. */
static char *options_keep(options *o, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = o->kept + o->kept_bytes;

    if (size > KEPT_TEXT - o->kept_bytes)
        return NULL;
    o->kept_bytes += size;
    return memcpy(copy, text, size);
}

static bool parse_message_size(options *o, const char *argument)
{
    char *text = options_keep(o, argument), *colon = text ? strchr(text, ':') : NULL;

    if (!text || coll_shapes[o->what].recv == COLL_NONE)
        return false;
    if (!colon)
        return parse_number(text, 1, INT_MAX, &o->max);
    *colon = '\0';
    return parse_number(text, 1, INT_MAX, &o->min) &&
           parse_number(colon + 1, o->min, INT_MAX, &o->max);
}

static bool is_guidelines(const options *o)
{
    return strcmp(o->command, "guidelines") == 0;
}

/* Once, however often it is given. */
static void add_name(options *o, const char *name)
{
    for (int i = 0; i < o->nnames; i++)
        if (strcmp(o->names[i], name) == 0)
            return;
    o->names[o->nnames++] = name;
}

/* "all" stands for every algorithm; '+' between words, because ',' is between names. */
static bool parse_names(options *o, const char *argument)
{
    char *text = options_keep(o, argument);

    for (char *name = text ? strtok(text, ",") : NULL; name; name = strtok(NULL, ",")) {
        bool all = strcmp(name, "all") == 0 && !is_guidelines(o);
        for (int i = 0; all && calls_algorithm(o->what, i) && o->nnames < MAX_VARIANTS; i++)
            if (strcmp(calls_algorithm(o->what, i), "auto") != 0)
                add_name(o, calls_algorithm(o->what, i));
        for (char *c = name; *c; c++)
            if (*c == '+')
                *c = ',';
        if (o->nnames == MAX_VARIANTS)
            return false;
        if (!all)
            add_name(o, name);
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
        return (o->collectives = options_keep(o, argument));
    if (option == OPTION_RULES)
        return (o->rules = options_keep(o, argument));
    return option != OPTION_TOLERANCE || parse_tolerance(o, argument);
}

static bool parse_one(options *o, int option, char *argument)
{
    int64_t n = 0;

    switch (option) {
    case 'm':
        return parse_message_size(o, argument);
    case 'i':
        return parse_int(argument, 1, &o->iterations);
    case 'x':
        return parse_int(argument, 0, &o->warmup);
    case 'M':
        return parse_number(argument, 1, INT64_MAX, &o->memory);
    case 't':
        return parse_int(argument, 0, &o->calls);
    case 'a':
        return parse_names(o, argument);
    case OPTION_FACTOR:
        return parse_number(argument, 2, INT_MAX, &o->factor);
    case OPTION_ROOT:
        return coll_has(o->what, COLL_ROOTED) && parse_int(argument, 0, &o->root);
    case OPTION_VARY:
        return parse_vary(o, argument);
    case OPTION_BATCH:
        return parse_int(argument, 1, &o->batch);
    case OPTION_SEED:
        return parse_int(argument, 0, &o->seed);
    case OPTION_SYNC:
        return parse_sync(o, argument);
    case OPTION_TIME:
        o->seconds = parse_number(argument, 1, INT_MAX, &n) ? 1e-3 * (double)n : 0;
        return n > 0;
    case OPTION_OVERLAP:
        return parse_overlap(o, argument);
    case OPTION_FOLD:
        return parse_number(argument, 0, INT64_MAX, &o->fold);
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

static void options_wrong_value(command *c, int option, const char *value)
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
            options_wrong_value(c, option, optarg);
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
