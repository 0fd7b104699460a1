/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of nbody. */
#ifndef NBODY_OPTIONS_H
#define NBODY_OPTIONS_H

#include <stdbool.h>

typedef struct options {
    const char *file;      /* NULL: a Plummer sphere */
    const char *regions;   /* NULL: as the machine is */
    const char *algorithm; /* NULL: all of the table */
    int bodies, steps, rounds;
    unsigned long long seed;
    double dt, softening;
} options;

extern const char options_usage[];

/* False: wrong; print options_usage. */
bool options_parse(int argc, char **argv, options *o);

#endif
