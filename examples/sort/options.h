/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of npysort. */
#ifndef SORT_OPTIONS_H
#define SORT_OPTIONS_H

#include "pattern.h"

#include <stdbool.h>

typedef struct options {
    char **files; /* [n_files]; none: made-up numbers */
    int n_files;
    const char *output; /* NULL: none */
    const char *method; /* of those of sorter.h, or "all" */
    bool exact;         /* all buckets of one size */
    int samples;        /* of a rank, for each bucket */
    int pieces;         /* of the exchange */
    int repetitions;
    long keys;
    pattern *pattern;
    const char *pattern_name;
    long seed;
} options;

extern const char options_usage[];

/* False: wrong; print options_usage. The method may be any word: see sorter.h. */
bool options_parse(int argc, char **argv, options *o);

#endif
