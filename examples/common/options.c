/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - see options.h. */
#include "common/options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

static bool whole(const char *text, long least, long most, int *value)
{
    char *end;
    long n = strtol(text, &end, 10);

    *value = (int)n;
    return end != text && !*end && n >= least && n <= most;
}

static bool positive(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && *value > 0;
}

static bool take_number(int option, options *o)
{
    switch (option) {
    case 'i':
        return whole(optarg, 1, 1 << 24, &o->iterations);
    case 't':
        return positive(optarg, &o->tolerance);
    case 'g':
        return whole(optarg, 1, 400, &o->grid);
    case 's':
        return whole(optarg, 7, 27, &o->stencil) && (o->stencil == 7 || o->stencil == 27);
    case 'r':
        return whole(optarg, 0, 1 << 24, &o->replace);
    default:
        return false;
    }
}

static bool take(int option, options *o)
{
    if (option == 'a')
        o->algorithm = optarg;
    else if (option == 'm')
        o->method = optarg;
    else if (option == 'd')
        o->parts = optarg;
    else if (option == 'n')
        o->regions = optarg;
    else if (option == 'p')
        o->pipelined = true;
    else if (option == 'y')
        o->types = true;
    else
        return take_number(option, o);
    return true;
}

bool options_parse(int argc, char **argv, const command *c, options *o)
{
    bool right = true;
    int option;

    *o = (options){.command = c,
                   .grid = 30,
                   .stencil = 7,
                   .iterations = 1000,
                   .tolerance = 1e-8,
                   .replace = 50,
                   .method = "all",
                   .parts = "rows",
                   .algorithm = "auto"};
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", c->options, NULL)) != -1)
        right &= take(option, o);
    o->file = argv[optind];
    return right && argc - optind <= 1;
}
