/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - see options.h. */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char options_usage[] =
    "usage: nbody [options] [BODIES.txt]\n"
    "  BODIES.txt            a line for each body: mass x y z vx vy vz; default: a Plummer sphere\n"
    "  -n, --bodies N        of the sphere (default 1000)\n"
    "  --seed N              of the sphere (default 1)\n"
    "  -s, --steps N         time steps of a run (default 10)\n"
    "  --dt T                length of a step (default 0.001)\n"
    "  --softening E         distance below which gravity weakens (default 0.05)\n"
    "  --rounds N            runs of each way to exchange, in turn, for the times (default 3)\n"
    "  --algorithm NAME      this one only, beside MPI's own\n"
    "  --regions SHAPE       where the ranks are made up to be, as TUTTI_REGIONS: node:4\n";

static bool whole(const char *text, long least, int *value)
{
    char *end;
    long n = strtol(text, &end, 10);

    *value = (int)n;
    return end != text && !*end && n >= least && n <= 1 << 24;
}

static bool positive(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && *value > 0;
}

static bool seed(const char *text, unsigned long long *value)
{
    char *end;

    *value = strtoull(text, &end, 10);
    return end != text && !*end && text[0] != '-';
}

bool options_parse(int argc, char **argv, options *o)
{
    static const struct option names[] = {{"bodies", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 'x'},
                                          {"steps", required_argument, NULL, 's'},
                                          {"dt", required_argument, NULL, 't'},
                                          {"softening", required_argument, NULL, 'e'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"algorithm", required_argument, NULL, 'a'},
                                          {"regions", required_argument, NULL, 'g'},
                                          {0}};
    bool right = true, sphere = false;
    int option;

    *o = (options){
        .bodies = 1000, .steps = 10, .rounds = 3, .seed = 1, .dt = 0.001, .softening = 0.05};
    opterr = 0;
    optind = 0; /* in simulation other ranks have been here, in the same process */
    while ((option = getopt_long(argc, argv, "n:s:", names, NULL)) != -1)
        if (option == 'n')
            right &= sphere = whole(optarg, 1, &o->bodies);
        else if (option == 'x')
            right &= sphere = seed(optarg, &o->seed);
        else if (option == 's')
            right &= whole(optarg, 0, &o->steps);
        else if (option == 't')
            right &= positive(optarg, &o->dt);
        else if (option == 'e')
            right &= positive(optarg, &o->softening);
        else if (option == 'r')
            right &= whole(optarg, 1, &o->rounds);
        else if (option == 'a')
            o->algorithm = optarg;
        else if (option == 'g')
            o->regions = optarg;
        else
            right = false;
    o->file = argv[optind];
    return right && argc - optind <= 1 && !(o->file && sphere);
}
