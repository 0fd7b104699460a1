/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - see options.h. */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 1024, MOST_REPETITIONS = 1 << 20 };

const char options_usage[] =
    "usage: npysort [options] [FILE.npy...]\n"
    "  FILE.npy           numbers <i8, <u8 or <f8 of any shape; several are sorted as one\n"
    "  -o, --output FILE  write them sorted, as numpy.sort does\n"
    "  --splitters WHICH  sampled (default), or exact: all ranks get as many keys\n"
    "  --samples N        for sampled: of each rank, for each bucket (default 4)\n"
    "  -k, --pieces K     of the exchange, each merged while the next one travels (default 4);\n"
    "                     blocking calls take 1\n"
    "  --method NAME      blocking, nonblocking, tutti, tutti-nonblocking, persistent or all\n"
    "                     (default)\n"
    "  --repetitions N    of each, in turn, for the times (default 5)\n"
    "  -n, --keys N       without FILE: so many <i8 numbers (default 1000000)\n"
    "  --pattern NAME     uniform (default), few, equal, skewed, sorted or reversed\n"
    "  --seed N           of uniform, few and skewed (default 1)\n";

static bool whole(const char *text, long least, long most, long *value)
{
    char *end;

    *value = strtol(text, &end, 10);
    return end != text && !*end && *value >= least && *value <= most;
}

static bool small(const char *text, int most, int *value)
{
    long number;
    bool right = whole(text, 1, most, &number);

    *value = (int)number;
    return right;
}

static bool exact(const char *text, options *o)
{
    o->exact = strcmp(text, "exact") == 0;
    return o->exact || strcmp(text, "sampled") == 0;
}

static bool set_pattern(const char *text, options *o)
{
    o->pattern_name = text;
    o->pattern = pattern_find(text);
    return o->pattern != NULL;
}

static bool set(int option, options *o)
{
    switch (option) {
    case 'o':
        o->output = optarg;
        return true;
    case 'w':
        return exact(optarg, o);
    case 's':
        return small(optarg, MOST_PIECES, &o->samples);
    case 'k':
        return small(optarg, MOST_PIECES, &o->pieces);
    case 'm':
        o->method = optarg;
        return true;
    case 'r':
        return small(optarg, MOST_REPETITIONS, &o->repetitions);
    case 'n':
        return whole(optarg, 0, LONG_MAX / 16, &o->keys);
    case 'p':
        return set_pattern(optarg, o);
    case 'e':
        return whole(optarg, 0, INT_MAX, &o->seed);
    default:
        return false;
    }
}

bool options_parse(int argc, char **argv, options *o)
{
    static const struct option names[] = {
        {"output", required_argument, NULL, 'o'},  {"splitters", required_argument, NULL, 'w'},
        {"samples", required_argument, NULL, 's'}, {"pieces", required_argument, NULL, 'k'},
        {"method", required_argument, NULL, 'm'},  {"repetitions", required_argument, NULL, 'r'},
        {"keys", required_argument, NULL, 'n'},    {"pattern", required_argument, NULL, 'p'},
        {"seed", required_argument, NULL, 'e'},    {0}};
    bool right = true, made_up = false;
    int option;

    *o = (options){.method = "all",
                   .samples = 4,
                   .pieces = 4,
                   .repetitions = 5,
                   .keys = 1000000,
                   .pattern = pattern_find("uniform"),
                   .pattern_name = "uniform",
                   .seed = 1};
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:k:n:", names, NULL)) != -1) {
        right &= set(option, o);
        made_up |= option == 'n' || option == 'p' || option == 'e';
    }
    o->files = argv + optind;
    o->n_files = argc - optind;
    return right && !(made_up && o->n_files);
}
