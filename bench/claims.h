/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.h - the guidelines of one collective, called in one way: variants that are measured side
 * by side, and which of them is not to be slower than which. */
#ifndef BENCH_CLAIMS_H
#define BENCH_CLAIMS_H

#include "measure.h"
#include "mocks.h"

enum { CLAIM_TEXT = 64 };

typedef struct claim {
    rule rule;
    int left, right; /* of the variants */
    char text[2][CLAIM_TEXT];
    const char *source;
} claim;

typedef struct claims {
    coll_kind what;
    const char *calls; /* "native", "auto", ... */
    variant v[MAX_VARIANTS];
    claim c[MAX_VARIANTS];
    int nv, n;
} claims;

/* Name, meaning and source of a rule. */
typedef struct rule_row {
    const char *name, *meaning, *source;
} rule_row;

extern const rule_row rule_table[RULES];

/* Those of the rules that are wanted, for o->what, from o->min to o->max bytes. The left side is
 * called by `calls`, a blocking way of calls.h; the right sides by the same if it is the MPI's own,
 * else by auto. False: there is no such call. Collective. */
bool claims_open(claims *k, const options *o, const char *calls, const bool wanted[RULES]);
void claims_close(claims *k);

/* What has become of a claim. */
typedef struct verdict {
    const claims *of;
    const claim *claim;
    int64_t size;
    bool stated;        /* else there is no such size beside this one */
    bool measured;      /* both sides can do it, and what was looked at was right */
    int64_t wrong;      /* of both sides */
    double left, right; /* medians, seconds */
    summary ratio;      /* left / right, repetition by repetition */
    bool violated;      /* the interval is above 1 + tolerance */
} verdict;

/* r: of k->v. */
verdict claims_judge(const claims *k, int i, const result *r, double tolerance);

#endif
