/* SPDX-License-Identifier: BSD-3-Clause */
/* variant.h - a column: a way to call a collective, with what it works on. */
#ifndef BENCH_VARIANT_H
#define BENCH_VARIANT_H

#include "buffers.h"
#include "options.h"

enum { NAME_SIZE = 96 };

typedef struct variant {
    char name[NAME_SIZE];  /* as given */
    char words[NAME_SIZE]; /* without the form */
    form form;
    way how;
    run r;
    vary vary;
    /* instead of those of buffers.h */
    void (*fill)(const run *r, int seed);
    int64_t (*wrong)(const run *r, int seed);
} variant;

/* From a name of -a, after MPI_Init. False: none such for this collective and MPI. */
bool variant_parse(variant *v, const options *o, const char *name);

/* Before and after all sizes. Collective, on MPI_COMM_WORLD. */
void variant_open(variant *v, const options *o);
void variant_close(variant *v);

/* Take the buffers, for blocks of this size. */
void variant_use(variant *v, const buffers *b, int size);

#endif
