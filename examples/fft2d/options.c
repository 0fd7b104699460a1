/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - see options.h. */
#include "options.h"

#include "pgm.h"

#include <getopt.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

const char options_usage[] =
    "usage: fft2d [options] [PICTURE.pgm]\n"
    "  -k, --chunks K        chunks of each transpose (default 4); 1: no overlap\n"
    "  --size ROWSxCOLUMNS   without PICTURE: a generated field (default 384x500)\n"
    "  --pencil NZxNYxNX     a generated 3-D field on a grid of ranks\n"
    "  --grid PZxPY          that grid (default: as square as possible)\n"
    "  --lowpass F           keep frequencies up to F (0 to 1) of the highest one\n"
    "  -o, --output FILE     write the picture (2-D)\n"
    "  --algorithm NAME      of the alltoallv (default auto)\n"
    "  --repetitions N       for the times (default 20; 0: no times)\n";

/* n numbers from 1 on with an x between them, and nothing after. */
static bool numbers(const char *text, int n, int *values)
{
    for (int i = 0; i < n; i++) {
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || value < 1 || value > PGM_MOST || *end != (i < n - 1 ? 'x' : '\0'))
            return false;
        values[i] = (int)value;
        text = end + 1;
    }
    return true;
}

static bool number_or_zero(const char *text, int *value)
{
    *value = 0;
    return strcmp(text, "0") == 0 || numbers(text, 1, value);
}

static bool fraction(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && *value >= 0 && *value <= 2;
}

bool options_parse(int argc, char **argv, options *o)
{
    static const struct option names[] = {{"chunks", required_argument, NULL, 'k'},
                                          {"size", required_argument, NULL, 's'},
                                          {"pencil", required_argument, NULL, 'p'},
                                          {"grid", required_argument, NULL, 'g'},
                                          {"lowpass", required_argument, NULL, 'l'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"algorithm", required_argument, NULL, 'a'},
                                          {"repetitions", required_argument, NULL, 'r'},
                                          {0}};
    bool right = true;
    int option;

    *o = (options){
        .algorithm = "auto", .n = {1, 384, 500}, .chunks = 4, .repetitions = 20, .lowpass = -1};
    opterr = 0;
    while ((option = getopt_long(argc, argv, "k:o:", names, NULL)) != -1)
        if (option == 'k')
            right &= numbers(optarg, 1, &o->chunks);
        else if (option == 's')
            right &= numbers(optarg, 2, o->n + 1);
        else if (option == 'p')
            right &= o->pencil = numbers(optarg, 3, o->n);
        else if (option == 'g')
            right &= numbers(optarg, 2, o->grid);
        else if (option == 'l')
            right &= fraction(optarg, &o->lowpass);
        else if (option == 'o')
            o->output = optarg;
        else if (option == 'a')
            o->algorithm = optarg;
        else if (option == 'r')
            right &= number_or_zero(optarg, &o->repetitions);
        else
            right = false;
    o->file = argv[optind];
    right &= argc - optind <= 1 && !(o->pencil && (o->file || o->output || o->lowpass >= 0));
    return right && !(o->grid[0] && !o->pencil) && !(o->lowpass >= 0 && !o->output);
}

const char *options_fit(options *o, int ranks)
{
    if ((double)o->n[0] * o->n[1] * o->n[2] > PGM_MOST)
        return "the field is too large";
    if (o->chunks > PGM_MOST / 16)
        return "too many chunks";
    if (!o->pencil) {
        o->grid[0] = 1;
        o->grid[1] = ranks;
    } else if (!o->grid[0]) {
        MPI_Dims_create(ranks, 2, o->grid);
    } else if ((long)o->grid[0] * o->grid[1] != ranks) {
        return "the grid has another number of ranks than the job";
    }
    if (o->pencil && o->n[0] == 1)
        return "a 3-D field needs 2 planes or more";
    return NULL;
}
