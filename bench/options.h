/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line of tutti-bench's measurements. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "calls.h"
#include "command.h"
#include "sync.h"
#include "vary.h"

#include <stdint.h>

typedef enum overlap_kind { OVERLAP_NONE, OVERLAP_OSU, OVERLAP_IMB } overlap_kind;

enum { MAX_VARIANTS = 64, KEPT_TEXT = 8192 };

typedef struct options {
    const char *command; /* "iallgather", "lane_pattern", ... */
    coll_kind what;
    form form;
    const char *names[MAX_VARIANTS]; /* -a */
    int nnames;
    int64_t min, max, factor; /* -m, --factor: bytes of a block; 0: there are no data */
    int root;                 /* --root */
    vary_kind vary;           /* --vary */
    int iterations, warmup;   /* -i, -x; -1: by size, as OSU does */
    int batch;                /* operations between two looks at the clock */
    int seed;
    sync_kind sync;
    double seconds; /* --time-ms: for all repetitions of one size; 0: no limit */
    overlap_kind overlap;
    int calls; /* -t: progress calls during the computation */
    bool full, quiet, verify, threads;
    int64_t memory; /* -M: bytes of buffers of a process; larger sizes are left out */
    bool shared;    /* --shared-buffers: buffers are tutti_alloc's */
    int64_t fold;   /* --fold: in SimGrid, buffers above share memory */
    const char *csv, *json, *html, *label;
    char *collectives, *rules; /* guidelines: lists; and the tolerance as a fraction */
    double tolerance;
    const char *call; /* multi_collective: what is run in the lanes */
    bool help, version;
    char kept[KEPT_TEXT]; /* the lists, taken apart: the arguments stay whole for the reports */
    size_t kept_bytes;
} options;

/* Fills *o. False: *c says what is wrong. argv[0] is the subcommand; the strings are used, and *o
 * must stay where it is: names point into it. */
bool options_parse(options *o, int argc, char **argv, command *c);

/* Whole elements of o->what, and no bytes where there are no data. */
void options_fit(options *o);

/* The block size after this one, above o->max at the end. */
int64_t options_next(const options *o, int64_t size);

/* Repetitions for blocks of this size, and those before them that do not count. */
int options_iterations(const options *o, int64_t size);
int options_warmup(const options *o, int64_t size);

void options_usage(const char *command);

#endif
