/* SPDX-License-Identifier: BSD-3-Clause */
/* mocks.h - mock-ups: what could stand in place of a collective, as a variant of measure.h.
 *
 * One call of a mock-up does all that its collective does, in the same buffers, with its copies;
 * what it needs beside them is allocated before. So it is verified as the collective is.
 *
 * Each variant of guidelines has a communicator of its own: a library that remembers the last call
 * on a communicator, as Tutti does, would make those slower that take turns with others of the same
 * collective. */
#ifndef BENCH_MOCKS_H
#define BENCH_MOCKS_H

#include "variant.h"

typedef enum rule {
#define RULE(name, meaning, source) RULE_##name,
#define COMPOSITION(...)
#include "guidelines.def"
#undef COMPOSITION
#undef RULE
    RULES
} rule;

typedef enum scratch { NONE, VECTOR, BLOCKS } scratch;

/* A row of guidelines.def. */
typedef struct composition {
    coll_kind left;
    const char *text; /* the right side */
    void (*set)(run *r);
    scratch scratch;
    coll_kind right[2]; /* COLL_KINDS: none */
    const char *source;
} composition;

/* The i-th row with this left side; NULL at the end. */
const composition *mocks_row(coll_kind left, int i);

/* Bytes that all mock-ups of a collective need together. */
int64_t mocks_need(coll_kind left, int p, int64_t size);

/* A variant, opened; calls: the name with which its collectives are called, blocking. Collective.
 * False: there is no such call. mock_free before variant_close. */
bool mock_composition(variant *v, const options *o, const composition *row, const char *calls);
bool mock_larger(variant *v, const options *o, const char *calls); /* X(k n), not above o->max */
bool mock_pieces(variant *v, const options *o,
                 const char *calls); /* k X(n / k), not below o->min */
void mock_free(variant *v);

#endif
