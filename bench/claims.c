/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.c - see claims.h. */
#include "claims.h"

#include "tune/mpi_version.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rule_row rule_table[RULES] = {
#define RULE(name, meaning, source) [RULE_##name] = {#name, meaning, source},
#define COMPOSITION(...)
#include "guidelines.def"
#undef COMPOSITION
#undef RULE
};

/* In SimGrid every repetition takes the same time. */
#ifdef TUTTI_SIMULATED
static const double coverage_needed = 0;
#else
static const double coverage_needed = 0.95;
#endif

/* ---- what is claimed ---- */

/* A variant of calls.h. Returns its index; -1: there is none. */
static int add_way(claims *k, const options *o, const char *name, const char *shown)
{
    variant *v = &k->v[k->nv];

    if (!variant_parse(v, o, name))
        return -1;
    v->how.own_comm = true; /* see mocks.h */
    variant_open(v, o);
    snprintf(v->name, sizeof v->name, "%s %.70s", coll_kind_name(k->what), shown);
    return k->nv++;
}

static int add_mock(claims *k, const char *shown)
{
    variant *v = &k->v[k->nv];

    snprintf(v->name, sizeof v->name, "%s %s: %s", coll_kind_name(k->what), k->calls, shown);
    return k->nv++;
}

static void add(claims *k, rule which, int left, int right, const char *text, const char *source)
{
    claim *c = &k->c[k->n++];

    *c = (claim){.rule = which, .left = left, .right = right, .source = source};
    snprintf(c->text[0], CLAIM_TEXT, "%s", coll_kind_name(k->what));
    snprintf(c->text[1], CLAIM_TEXT, "%s", text);
}

static bool is_native(const char *calls)
{
    return strcmp(calls, "native") == 0 || strcmp(calls, "mpi") == 0;
}

static void add_compositions(claims *k, const options *o)
{
    const char *calls = is_native(k->calls) ? k->calls : "auto";
    const composition *row;

    for (int i = 0; (row = mocks_row(k->what, i)); i++)
        if (mock_composition(&k->v[k->nv], o, row, calls))
            add(k, RULE_composition, 0, add_mock(k, row->text), row->text, row->source);
}

static void add_other_sizes(claims *k, const options *o, const bool wanted[RULES])
{
    const char *name = coll_kind_name(k->what);
    char text[CLAIM_TEXT];

    if (wanted[RULE_monotony] && mock_larger(&k->v[k->nv], o, k->calls)) {
        snprintf(text, sizeof text, "%s(%d n)", name, (int)o->factor);
        add(k, RULE_monotony, 0, add_mock(k, text), text, rule_table[RULE_monotony].source);
    }
    if (wanted[RULE_split] && mock_pieces(&k->v[k->nv], o, k->calls)) {
        snprintf(text, sizeof text, "%d %s(n / %d)", (int)o->factor, name, (int)o->factor);
        add(k, RULE_split, 0, add_mock(k, text), text, rule_table[RULE_split].source);
    }
}

static void add_specialized(claims *k, const options *o)
{
    static const char *const names[] = {"lane", "hierarchical"};
    char shown[CLAIM_TEXT];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(shown, sizeof shown, "Tutti's %s", names[i]);
        int right = strcmp(names[i], k->calls) == 0 ? -1 : add_way(k, o, names[i], shown);
        if (right >= 0)
            add(k, RULE_specialization, 0, right, shown, rule_table[RULE_specialization].source);
    }
}

/* Ranks leave SimGrid's MPI_Ibarrier before all have come. */
static bool is_broken(const claims *k)
{
#ifdef TUTTI_SIMULATED
    return k->what == COLL_barrier && is_native(k->calls);
#else
    (void)k;
    return false;
#endif
}

/* MPICH's persistent ones give wrong data, or an error, from the second start on: mpich#6423,
 * #7078, #7550; not in 5.0.2. */
static bool is_broken_persistent(const claims *k)
{
#ifdef TUTTI_SIMULATED
    (void)k;
    return false;
#else
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    mpi_version mpi;

    MPI_Get_library_version(text, &length);
    mpi = mpi_version_read(text);
    return is_native(k->calls) && mpi.family == MPI_FAMILY_MPICH &&
           mpi.number < MPI_VERSION_NUMBER(5, 0, 2);
#endif
}

/* The form belongs to the name, not to the words after it. */
static void form_name(char *to, size_t n, const char *calls, form f)
{
    snprintf(to, n, "%.*s%s%s", (int)strcspn(calls, ":"), calls, form_suffix(f),
             calls + strcspn(calls, ":"));
}

static void add_forms(claims *k, const options *o)
{
    const char *source = rule_table[RULE_forms].source;
    char name[NAME_SIZE], text[CLAIM_TEXT];
    int nonblocking, persistent;

    form_name(name, sizeof name, k->calls, NONBLOCKING);
    if (is_broken(k) || (nonblocking = add_way(k, o, name, name)) < 0)
        return;
    snprintf(text, sizeof text, "i%s + wait", coll_kind_name(k->what));
    add(k, RULE_forms, 0, nonblocking, text, source);
    form_name(name, sizeof name, k->calls, PERSISTENT);
    if (is_broken_persistent(k) || (persistent = add_way(k, o, name, name)) < 0)
        return;
    add(k, RULE_forms, persistent, nonblocking, text, source);
    snprintf(k->c[k->n - 1].text[0], CLAIM_TEXT, "%s_init: start + wait", coll_kind_name(k->what));
}

bool claims_open(claims *k, const options *o, const char *calls, const bool wanted[RULES])
{
    *k = (claims){.what = o->what, .calls = calls};
    if (add_way(k, o, calls, calls) < 0)
        return false;
    if (wanted[RULE_composition])
        add_compositions(k, o);
    add_other_sizes(k, o, wanted);
    if (wanted[RULE_specialization])
        add_specialized(k, o);
    if (wanted[RULE_forms])
        add_forms(k, o);
    return true;
}

void claims_close(claims *k)
{
    for (int i = 0; i < k->nv; i++) {
        mock_free(&k->v[i]);
        variant_close(&k->v[i]);
    }
}

/* ---- what has become of it ---- */

/* The clock may not have moved. */
static double some(double seconds)
{
    return seconds > 1e-9 ? seconds : 1e-9;
}

verdict claims_judge(const claims *k, int i, const result *r, double tolerance)
{
    const claim *c = &k->c[i];
    const result *left = &r[c->left], *right = &r[c->right];
    verdict v = {.of = k, .claim = c, .size = left->size, .wrong = left->wrong + right->wrong};
    double *ratios;

    v.stated = right->applicable || (c->rule != RULE_monotony && c->rule != RULE_split);
    if (!left->applicable || !right->applicable)
        return v;
    v.left = left->total.median;
    v.right = right->total.median;
    ratios = malloc((size_t)left->n * sizeof *ratios);
    for (int n = 0; n < left->n; n++)
        ratios[n] = some(left->times[PURE][n]) / some(right->times[PURE][n]);
    v.ratio = summarize(ratios, left->n);
    free(ratios);
    v.measured = v.wrong == 0;
    v.violated = v.measured && v.ratio.low > 1 + tolerance && v.ratio.coverage >= coverage_needed;
    return v;
}
