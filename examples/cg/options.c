/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - see options.h. */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

const char options_usage[] =
    "usage: cg [options] [FILE.mtx]\n"
    "  --algorithm NAME[:FORM]  for the persistent allgatherv (default auto)\n"
    "  --method NAME            blocking, nonblocking, gather, persistent or all (default)\n"
    "  --pipelined              nonblocking and persistent also with one sum in an iteration, "
    "under\n"
    "                           the product with the matrix\n"
    "  --replace N              there: compute the residual anew every N iterations (default 50,\n"
    "                           0: never)\n"
    "  --iterations N           at most (default 1000)\n"
    "  --tolerance X            relative residual (default 1e-8)\n"
    "  --grid K                 without FILE: Poisson problem on K^3 points (default 30)\n";

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

bool options_parse(int argc, char **argv, options *o)
{
    static const struct option names[] = {
        {"algorithm", required_argument, NULL, 'a'},  {"method", required_argument, NULL, 'm'},
        {"iterations", required_argument, NULL, 'i'}, {"tolerance", required_argument, NULL, 't'},
        {"grid", required_argument, NULL, 'g'},       {"pipelined", no_argument, NULL, 'p'},
        {"replace", required_argument, NULL, 'r'},    {0}};
    bool right = true;
    int option;

    *o = (options){.grid = 30,
                   .iterations = 1000,
                   .tolerance = 1e-8,
                   .replace = 50,
                   .method = "all",
                   .algorithm = "auto"};
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (option == 'a')
            o->algorithm = optarg;
        else if (option == 'm')
            o->method = optarg;
        else if (option == 'i')
            right &= whole(optarg, 1, 1 << 24, &o->iterations);
        else if (option == 't')
            right &= positive(optarg, &o->tolerance);
        else if (option == 'g')
            right &= whole(optarg, 1, 400, &o->grid);
        else if (option == 'r')
            right &= whole(optarg, 0, 1 << 24, &o->replace);
        else if (option == 'p')
            o->pipelined = true;
        else
            right = false;
    o->file = argv[optind];
    return right && argc - optind <= 1;
}
