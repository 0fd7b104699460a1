/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of fft2d. */
#ifndef FFT2D_OPTIONS_H
#define FFT2D_OPTIONS_H

#include <stdbool.h>

typedef struct options {
    const char *file, *output, *algorithm;
    int n[3], grid[2], chunks, repetitions;
    bool pencil;
    double lowpass; /* of the highest frequency; negative: none */
} options;

extern const char options_usage[];

/* False: something is unknown, missing, or does not go together. */
bool options_parse(int argc, char **argv, options *o);

/* What is wrong with the sizes among so many ranks, or NULL. Completes the grid. */
const char *options_fit(options *o, int ranks);

#endif
