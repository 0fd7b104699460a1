/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of cg. */
#ifndef CG_OPTIONS_H
#define CG_OPTIONS_H

#include <stdbool.h>

typedef struct options {
    const char *file;      /* NULL: the Poisson problem on grid^3 points */
    const char *method;    /* of those of solver.h, or "all" */
    const char *algorithm; /* of the persistent allgatherv */
    bool pipelined;        /* those methods as well */
    int grid, iterations;
    int replace; /* iterations between residuals computed anew, in the pipelined ones; 0: never */
    double tolerance;
} options;

extern const char options_usage[];

/* False: wrong; print options_usage. The method may be any word: see solver.h. */
bool options_parse(int argc, char **argv, options *o);

#endif
