/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - names of choices, and the rules for what needs no estimate.
 *
 * At most two ranks have one message, or one exchange, whatever the algorithm; the limits for them
 * were measured (docs/results/measurements.md). Where no rank knows the sizes of another, direct
 * messages are right for all.
 */
#include "tune/select.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIB = 1024,
    BLOCK_FORM = 32 * KIB, /* bytes of one block from which it travels alone */
};

typedef struct rule {
    coll_kind kind; /* or its family */
    int64_t most;   /* bytes of all blocks, or of the vector: of the least size of its class */
    int algo;
    const char *why;
} rule;

#define ALL INT64_MAX

static const char one_message[] = "at most two ranks: one message is all there is";

static const rule rules[] = {
    {COLL_allgather, ALL, ALGO_allgather_linear, one_message},
    {COLL_alltoallw, ALL, ALGO_alltoall_linear,
     "sizes are not known to all ranks: direct messages, many at a time"},
    {COLL_alltoallv, ALL, ALGO_alltoall_linear,
     "sizes are not known to all ranks: direct messages, many at a time"},
    {COLL_alltoall, ALL, ALGO_alltoall_linear, one_message},
    {COLL_barrier, ALL, ALGO_barrier_dissemination, one_message},
    {COLL_bcast, ALL, ALGO_bcast_binomial, one_message},
    {COLL_allreduce, 256 * KIB, ALGO_allreduce_recursive_doubling,
     "at most two ranks, less than 320 KiB: one exchange"},
    {COLL_allreduce, ALL, ALGO_allreduce_circulant,
     "at most two ranks, from 320 KiB on: each reduces a half"},
    {COLL_allreduce, ALL, ALGO_allreduce_recursive_doubling,
     "an operation that does not commute, or of the program: vectors are not cut"},
    {COLL_gatherv, ALL, ALGO_gather_linear, "only the root knows all counts: direct messages"},
    {COLL_gather, ALL, ALGO_gather_linear, one_message},
    {COLL_scatterv, ALL, ALGO_scatter_linear, "only the root knows all counts: direct messages"},
    {COLL_scatter, ALL, ALGO_scatter_linear, one_message},
    {COLL_reduce, ALL, ALGO_reduce_binomial, one_message},
    {COLL_reduce_scatter, ALL, ALGO_reduce_scatter_circulant, one_message},
    {COLL_reduce_scatter, 512, ALGO_reduce_scatter_recursive_doubling,
     "less than 640 B in all, an operation that does not commute: fewest steps"},
    {COLL_reduce_scatter, ALL, ALGO_reduce_scatter_pairwise,
     "from 640 B in all on, an operation that does not commute: least data"},
    {COLL_scan, ALL, ALGO_scan_recursive_doubling, one_message},
    {COLL_exscan, ALL, ALGO_exscan_recursive_doubling, one_message},
    {COLL_neighbor_alltoall, ALL, ALGO_neighbor_alltoall_linear,
     "direct messages; a persistent request on several nodes estimates all forms"},
};

coll_form select_form(const algo *a, int p, int64_t bytes)
{
    return a->has_forms && bytes / p >= BLOCK_FORM ? FORM_BLOCK : FORM_STEP;
}

static bool can_serve(int algo, const coll *c, const algo_set *without)
{
    return algo_serves(algo_table[algo], c->kind) && !algo_refuses(algo_table[algo], c) &&
           !algo_set_has(without, algo);
}

static bool rule_fits(const rule *r, const coll *c, int64_t bytes, const algo_set *without)
{
    return (r->kind == c->kind || r->kind == coll_shapes[c->kind].family) && bytes <= r->most &&
           can_serve(r->algo, c, without);
}

bool select_named(int algo, int parameter, int p, int64_t bytes, choice *result)
{
    const algo_parameter *known = &algo_table[algo]->parameter;
    int valid = algo_parameter_for(algo_table[algo], parameter, p);

    if (valid < 0 || (parameter && !known->name))
        return false;
    *result =
        (choice){.algo = algo, .form = select_form(algo_table[algo], p, bytes), .parameter = valid};
    return true;
}

/* A number from 1 on that fits an int; 0 if it is none. */
static int positive(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return end == text || *end || n < 1 || n > INT_MAX ? 0 : (int)n;
}

/* What has been said already. */
typedef struct said {
    bool form, parameter, variant, order;
} said;

static bool once(bool *before)
{
    bool first = !*before;

    *before = true;
    return first;
}

/* One word after the colon. */
static bool parse_choice_word(const algo *a, const char *word, int p, said *before, choice *c)
{
    int variant = algo_variant(a, word), value = positive(word);
    coll_order order = coll_order_find(word);

    if (a->has_forms && (strcmp(word, "step") == 0 || strcmp(word, "block") == 0)) {
        c->form = strcmp(word, "block") == 0 ? FORM_BLOCK : FORM_STEP;
        return once(&before->form);
    }
    if (variant >= 0) {
        c->variant = variant;
        return once(&before->variant);
    }
    if (a->orders && order != ORDERS) {
        c->order = order;
        c->order_named = true;
        return once(&before->order);
    }
    if (!a->parameter.name || !value)
        return false;
    c->parameter = algo_parameter_for(a, value, p);
    return c->parameter >= 0 && once(&before->parameter);
}

/* Words between commas, or NULL. */
static bool choose_algo(int algo, const char *text, int p, int64_t bytes, choice *result)
{
    char copy[128], *words = NULL;
    said before = {0};
    choice c;

    if (!select_named(algo, 0, p, bytes, &c) || (text && strlen(text) >= sizeof copy))
        return false;
    if (text)
        words = strcpy(copy, text);
    for (char *next; words; words = next) {
        next = strchr(words, ',');
        if (next)
            *next++ = '\0';
        if (!parse_choice_word(algo_table[algo], words, p, &before, &c))
            return false;
    }
    *result = c;
    return true;
}

bool select_parse(coll_kind kind, const char *text, int p, int64_t bytes, choice *result)
{
    const char *words = strchr(text, ':');
    char name[64];
    size_t n = words ? (size_t)(words - text) : strlen(text);
    int algo;

    if (n >= sizeof name)
        return false;
    memcpy(name, text, n);
    name[n] = '\0';
    algo = algo_find(kind, name);
    return algo != ALGO_NONE && choose_algo(algo, words ? words + 1 : NULL, p, bytes, result);
}

bool select_any(const coll *c, int64_t bytes, const algo_set *without, choice *result)
{
    int algo = 0;

    while (algo < algo_count && !can_serve(algo, c, without))
        algo++;
    if (algo == algo_count)
        return false;
    choose_algo(algo, NULL, c->p, bytes, result);
    result->by_rule = true;
    return true;
}

/* The last rule of every family fits everything, unless it is forbidden. */
bool select_rule(const coll *c, int64_t bytes, const algo_set *without, choice *result,
                 const char **why)
{
    size_t i = 0;

    while (i < sizeof rules / sizeof *rules && !rule_fits(&rules[i], c, bytes, without))
        i++;
    if (i < sizeof rules / sizeof *rules) {
        *why = rules[i].why;
        choose_algo(rules[i].algo, NULL, c->p, bytes, result);
        result->by_rule = true;
    } else {
        *why = "what would be taken is forbidden";
        select_any(c, bytes, without, result);
    }
    return c->p <= 2 || !coll_has_common_size(c->kind);
}

int select_forbid(coll_kind kind, const char *text, algo_set *without)
{
    char copy[256];
    int unknown = 0;

    if (text[0] != '^' || strlen(text) > sizeof copy)
        return -1;
    strcpy(copy, text + 1);
    for (char *name = copy, *next; name; name = next) {
        int algo;
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        algo = algo_find(kind, name);
        if (algo == ALGO_NONE)
            unknown++;
        else
            algo_set_add(without, algo);
    }
    return unknown;
}

/* Append a word to what is there. */
static void append(char *text, size_t size, const char **before, const char *word)
{
    size_t n = strlen(text);

    snprintf(text + n, size - n, "%s%s", *before, word);
    *before = ",";
}

void select_print(const choice *c, char *text, size_t size)
{
    const algo *a = algo_table[c->algo];
    const char *before = ":";
    char number[16];

    snprintf(text, size, "%s", a->name);
    if (a->variants)
        append(text, size, &before, a->variants[c->variant]->name);
    if (a->has_forms)
        append(text, size, &before, c->form == FORM_BLOCK ? "block" : "step");
    if (a->orders)
        append(text, size, &before, coll_order_name(c->order));
    snprintf(number, sizeof number, "%d", c->parameter);
    if (a->parameter.name)
        append(text, size, &before, number);
}

/* ", name" and what may follow it. */
static size_t print_one_name(char *text, size_t size, const algo *a)
{
    char variants[160] = "", number[32] = "";
    size_t n = 0;

    for (int i = 0; a->variants && a->variants[i] && n < sizeof variants; i++)
        n += (size_t)snprintf(variants + n, sizeof variants - n, "%s:%s", i ? "|" : "[",
                              a->variants[i]->name);
    if (a->parameter.name)
        snprintf(number, sizeof number, "[:%s >= %d]", a->parameter.name, a->parameter.least);
    return (size_t)snprintf(text, size, ", %s%s%s%s%s", a->name, variants, n ? "]" : "",
                            a->has_forms ? "[:step|:block]" : "", number);
}

void select_print_names(coll_kind kind, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "auto");

    for (int i = 0; i < algo_count && n < size; i++)
        if (algo_serves(algo_table[i], kind))
            n += print_one_name(text + n, size - n, algo_table[i]);
}
