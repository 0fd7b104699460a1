/* select.c - the rule of `auto`.
 *
 *   allgather(v)
 *   ranks            bytes in all       choice
 *   1, 2             any                linear: one message is the whole collective
 *   on several nodes, some of them with several ranks:
 *   any              <= 512 KiB         locality_bruck
 *   any              larger             reorder_ring
 *   all on one node, or one on each:
 *   power of two     <= 512 KiB         recursive_doubling
 *   other            <= 80 KiB          bruck
 *   other            <= 512 KiB         sparbit
 *   even             larger             neighbor_exchange
 *   odd              larger             ring
 *
 *   alltoall
 *   ranks            bytes of a block   choice
 *   1, 2             any                linear
 *   8 and more       <= 256             bruck_zerocopy
 *   any              <= 32 KiB          linear, 32 exchanges at a time
 *   any              larger             pairwise
 *
 *   alltoallv: linear, because sizes are not known to all ranks
 *
 * The limits are those at which MPICH and Open MPI leave their algorithms (Thakur et al., IJHPCA
 * 19(1), 2005); Sparbit takes the middle because it keeps large data on short distances and never
 * shifts it. Between nodes locality_bruck has fewest messages and least data at once, and a ring in
 * the order of the machine crosses each node's border once. Not measured on this machine, which
 * cannot tell.
 */
#include "tune/select.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_TOTAL = 80 * 1024,
    MEDIUM_TOTAL = 512 * 1024,
    BLOCK_FORM = 32 * 1024, /* bytes of one block from which it travels alone */
    BRUCK_RANKS = 8,        /* alltoall: ranks, and bytes of one block */
    SMALL_BLOCK = 256,
    MEDIUM_BLOCK = 32 * 1024,
};

coll_form select_form(const algo *a, int p, int64_t bytes)
{
    return a->has_forms && bytes / p >= BLOCK_FORM ? FORM_BLOCK : FORM_STEP;
}

/* Are there messages between nodes and others inside? */
static bool has_nodes(const topo *t)
{
    int level = topo_regions(t);

    return t && level < t->nlevels && t->level[level].kind == TOPO_NODE;
}

static const char *allgather_rule(int p, int64_t bytes, const topo *t, const char **why)
{
    if (p <= 2) {
        *why = "at most two ranks: one message is all there is";
        return "linear";
    }
    if (has_nodes(t)) {
        *why = bytes <= MEDIUM_TOTAL
                   ? "several nodes, up to 512 KiB in all: fewest messages and bytes between them"
                   : "several nodes, over 512 KiB in all: neighbours only, in the machine's order";
        return bytes <= MEDIUM_TOTAL ? "locality_bruck" : "reorder_ring";
    }
    if (bytes <= MEDIUM_TOTAL && (p & (p - 1)) == 0) {
        *why = "up to 512 KiB in all, a power of two of ranks: fewest steps";
        return "recursive_doubling";
    }
    if (bytes <= SMALL_TOTAL) {
        *why = "up to 80 KiB in all: fewest steps";
        return "bruck";
    }
    if (bytes <= MEDIUM_TOTAL) {
        *why = "80 to 512 KiB in all: few steps, most data over short distances";
        return "sparbit";
    }
    *why = p % 2 ? "over 512 KiB in all, odd number of ranks: neighbours only"
                 : "over 512 KiB in all, even number of ranks: neighbours only, half the steps";
    return p % 2 ? "ring" : "neighbor_exchange";
}

static const char *alltoall_rule(int p, int64_t bytes, const char **why)
{
    if (p <= 2) {
        *why = "at most two ranks: one message is all there is";
        return "linear";
    }
    if (p >= BRUCK_RANKS && bytes / p <= SMALL_BLOCK) {
        *why = "8 ranks or more, blocks of up to 256 B: fewest messages, no copies";
        return "bruck_zerocopy";
    }
    if (bytes / p <= MEDIUM_BLOCK) {
        *why = "blocks of up to 32 KiB: direct messages, many at a time";
        return "linear";
    }
    *why = "blocks over 32 KiB: direct messages, one partner at a time";
    return "pairwise";
}

static const char *rule(coll_kind kind, int p, int64_t bytes, const topo *t, const char **why)
{
    switch (kind) {
    case COLL_ALLTOALL:
        return alltoall_rule(p, bytes, why);
    case COLL_ALLTOALLV:
        *why = "sizes are not known to all ranks: direct messages, many at a time";
        return "linear";
    default:
        return allgather_rule(p, bytes, t, why);
    }
}

choice select_auto(coll_kind kind, int p, int64_t bytes, const topo *t, const char **why)
{
    choice c;

    select_named(algo_find(kind, rule(kind, p, bytes, t, why)), 0, p, bytes, &c);
    c.by_rule = true;
    return c;
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

/* One word behind the colon. */
static bool parse_word(const algo *a, const char *word, int p, said *before, choice *c)
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

bool select_parse(coll_kind kind, const char *text, int p, int64_t bytes, choice *result)
{
    char copy[128], *words;
    said before = {0};
    choice c;
    int algo;

    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    words = strchr(copy, ':');
    if (words)
        *words++ = '\0';
    algo = algo_find(kind, copy);
    if (algo == ALGO_NONE || !select_named(algo, 0, p, bytes, &c))
        return false;
    for (char *next; words; words = next) {
        next = strchr(words, ',');
        if (next)
            *next++ = '\0';
        if (!parse_word(algo_table[algo], words, p, &before, &c))
            return false;
    }
    *result = c;
    return true;
}

/* Append a word behind what is there. */
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
        append(text, size, &before, a->variants[c->variant]);
    if (a->has_forms)
        append(text, size, &before, c->form == FORM_BLOCK ? "block" : "step");
    if (a->orders)
        append(text, size, &before, coll_order_name(c->order));
    snprintf(number, sizeof number, "%d", c->parameter);
    if (a->parameter.name)
        append(text, size, &before, number);
}
