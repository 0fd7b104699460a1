/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of the solvers; each has some of these options. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <stdbool.h>

struct option; /* of getopt.h */

typedef struct command {
    const char *name, *usage;
    const struct option *options; /* val: see options.c */
} command;

typedef struct options {
    const command *command;
    const char *file;      /* NULL: the stencil's problem on grid^3 points */
    const char *method;    /* of the program's ways, or "all" */
    const char *algorithm; /* of the persistent exchange */
    const char *parts;     /* how rows are given to ranks */
    const char *regions;   /* where the ranks are made up to be, or NULL */
    bool pipelined;        /* those methods as well */
    bool types;            /* the persistent exchange takes values from where they are */
    int grid, stencil, iterations;
    int replace; /* iterations between residuals computed anew, in the pipelined ones; 0: never */
    double tolerance;
} options;

/* False: wrong; print the command's usage. Texts may be any: the program checks them. */
bool options_parse(int argc, char **argv, const command *c, options *o);

#endif
