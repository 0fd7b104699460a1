/* select.c - the rules of `auto`.
 *
 * One table for all collectives: the first row that fits decides, if its algorithm can serve the
 * call. The limits are those at which MPICH and Open MPI leave their algorithms (Thakur et al.,
 * IJHPCA 19(1), 2005); Sparbit takes the middle because it keeps large data on short distances and
 * never shifts it. Between nodes locality_bruck has fewest messages and least data at once, and a
 * ring in the order of the machine crosses each node's border once. The limits of vectors on nodes,
 * and of blocks that are reduced, gathered and scattered there, are where simulated clusters of 8
 * ranks a node cross (docs/results/nodes.md); those elsewhere are from flat simulated ones
 * (docs/results/bcast.md, allreduce.md); those for two ranks were measured, the others were not.
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

/* Which numbers of ranks a rule is for, and which machines. */
typedef enum ranks { ANY, FEW, POWER, ODD, MANY } ranks;   /* FEW: 1, 2; MANY: from 8 on */
typedef enum where { ANYWHERE, ON_NODES, ON_LANES } where; /* LANES: of about equal nodes */

/* Bytes up to which it counts, of all blocks (or the vector), or of one (its part of a rank). */
typedef enum limit { IN_ALL, A_BLOCK } limit;

typedef struct rule {
    coll_kind kind; /* or its family */
    ranks ranks;
    where where;
    limit limit;
    int64_t most; /* bytes */
    int algo;
    const char *words; /* as in select_parse; NULL: what is usual, in the form by size */
    const char *why;
} rule;

#define ALL INT64_MAX

static const rule rules[] = {
    {COLL_allgather, FEW, ANYWHERE, IN_ALL, ALL, ALGO_allgather_linear, NULL,
     "at most two ranks: one message is all there is"},
    {COLL_allgather, ANY, ON_NODES, IN_ALL, 512 * KIB, ALGO_allgather_locality_bruck, NULL,
     "several nodes, up to 512 KiB in all: fewest messages and bytes between them"},
    {COLL_allgather, ANY, ON_NODES, IN_ALL, ALL, ALGO_allgather_reorder_ring, NULL,
     "several nodes, over 512 KiB in all: neighbours only, in the machine's order"},
    {COLL_allgather, POWER, ANYWHERE, IN_ALL, 512 * KIB, ALGO_allgather_recursive_doubling, NULL,
     "up to 512 KiB in all, a power of two of ranks: fewest steps"},
    {COLL_allgather, ANY, ANYWHERE, IN_ALL, 80 * KIB, ALGO_allgather_bruck, NULL,
     "up to 80 KiB in all: fewest steps"},
    {COLL_allgather, ANY, ANYWHERE, IN_ALL, 512 * KIB, ALGO_allgather_sparbit, NULL,
     "80 to 512 KiB in all: few steps, most data over short distances"},
    {COLL_allgather, ODD, ANYWHERE, IN_ALL, ALL, ALGO_allgather_ring, NULL,
     "over 512 KiB in all, odd number of ranks: neighbours only"},
    {COLL_allgather, ANY, ANYWHERE, IN_ALL, ALL, ALGO_allgather_neighbor_exchange, NULL,
     "over 512 KiB in all, even number of ranks: neighbours only, half the steps"},

    {COLL_alltoallw, ANY, ANYWHERE, IN_ALL, ALL, ALGO_alltoall_linear, NULL,
     "sizes are not known to all ranks: direct messages, many at a time"},
    {COLL_alltoallv, ANY, ANYWHERE, IN_ALL, ALL, ALGO_alltoall_linear, NULL,
     "sizes are not known to all ranks: direct messages, many at a time"},
    {COLL_alltoall, FEW, ANYWHERE, IN_ALL, ALL, ALGO_alltoall_linear, NULL,
     "at most two ranks: one message is all there is"},
    {COLL_alltoall, MANY, ANYWHERE, A_BLOCK, 256, ALGO_alltoall_bruck_zerocopy, NULL,
     "8 ranks or more, blocks of up to 256 B: fewest messages, no copies"},
    {COLL_alltoall, ANY, ANYWHERE, A_BLOCK, 32 * KIB, ALGO_alltoall_linear, NULL,
     "blocks of up to 32 KiB: direct messages, many at a time"},
    {COLL_alltoall, ANY, ANYWHERE, IN_ALL, ALL, ALGO_alltoall_pairwise, NULL,
     "blocks over 32 KiB: direct messages, one partner at a time"},

    {COLL_barrier, ANY, ANYWHERE, IN_ALL, ALL, ALGO_barrier_dissemination, NULL,
     "fewest rounds for any number of ranks"},

    {COLL_bcast, MANY, ON_NODES, IN_ALL, 12 * KIB, ALGO_bcast_hierarchical, "binomial,step",
     "several nodes, up to 12 KiB: fewest steps, one message into each node"},
    {COLL_bcast, MANY, ON_NODES, IN_ALL, 128 * KIB, ALGO_bcast_hierarchical, "circulant,block",
     "several nodes, 12 to 128 KiB: pieces to leaders, and on inside nodes"},
    {COLL_bcast, MANY, ON_LANES, IN_ALL, 1024 * KIB, ALGO_bcast_lane, "circulant,block",
     "several nodes, 128 KiB to 1 MiB: pieces over all lanes, and on inside nodes"},
    {COLL_bcast, MANY, ON_NODES, IN_ALL, ALL, ALGO_bcast_hierarchical, "circulant,block",
     "several nodes, over 1 MiB: pieces to leaders, and on inside nodes"},
    {COLL_bcast, MANY, ANYWHERE, IN_ALL, 12 * KIB, ALGO_bcast_binomial, NULL,
     "8 ranks or more, up to 12 KiB: fewest steps"},
    {COLL_bcast, MANY, ANYWHERE, IN_ALL, ALL, ALGO_bcast_circulant, NULL,
     "8 ranks or more, over 12 KiB: pieces in fewest rounds"},
    {COLL_bcast, ANY, ANYWHERE, IN_ALL, ALL, ALGO_bcast_binomial, NULL,
     "fewer than 8 ranks: fewest steps"},

    {COLL_allreduce, FEW, ANYWHERE, IN_ALL, 256 * KIB, ALGO_allreduce_recursive_doubling, NULL,
     "at most two ranks, up to 256 KiB: one exchange"},
    {COLL_allreduce, ANY, ANYWHERE, IN_ALL, 2 * KIB, ALGO_allreduce_recursive_doubling, NULL,
     "up to 2 KiB: fewest steps"},
    {COLL_allreduce, ANY, ON_LANES, IN_ALL, 8 * KIB, ALGO_allreduce_lane, "recursive_doubling,step",
     "several nodes, 2 to 8 KiB: a part on every lane, in few steps"},
    {COLL_allreduce, ANY, ON_LANES, IN_ALL, 128 * KIB, ALGO_allreduce_lane, "circulant,step",
     "several nodes, 8 to 128 KiB: a part on every lane, cut further between nodes"},
    {COLL_allreduce, ANY, ON_LANES, A_BLOCK, 3 * KIB / 2, ALGO_allreduce_lane, "circulant,step",
     "several nodes, up to 1.5 KiB for each rank: blocks would be too small to go on alone"},
    {COLL_allreduce, ANY, ON_LANES, IN_ALL, ALL, ALGO_allreduce_lane, "ring,block",
     "several nodes, over 128 KiB: every lane a ring, blocks go on inside nodes at once"},
    {COLL_allreduce, ANY, ANYWHERE, IN_ALL, ALL, ALGO_allreduce_circulant, NULL,
     "over 2 KiB: every rank reduces a part, in few steps for any number of ranks"},
    {COLL_allreduce, ANY, ON_NODES, IN_ALL, ALL, ALGO_allreduce_hierarchical,
     "recursive_doubling,step",
     "several nodes, an operation that does not commute, or of the program: leaders swap vectors"},
    {COLL_allreduce, ANY, ANYWHERE, IN_ALL, ALL, ALGO_allreduce_recursive_doubling, NULL,
     "an operation that does not commute, or of the program: vectors are not cut"},

    {COLL_gatherv, ANY, ANYWHERE, IN_ALL, ALL, ALGO_gather_linear, NULL,
     "only the root knows all counts: direct messages"},
    {COLL_gather, MANY, ON_NODES, A_BLOCK, 4 * KIB, ALGO_gather_hierarchical, "linear,step",
     "several nodes, blocks of up to 4 KiB: one message out of each node"},
    {COLL_gather, MANY, ANYWHERE, A_BLOCK, 2 * KIB, ALGO_gather_binomial, NULL,
     "8 ranks or more, blocks of up to 2 KiB: fewest messages"},
    {COLL_gather, ANY, ANYWHERE, IN_ALL, ALL, ALGO_gather_linear, NULL,
     "few ranks or blocks over 2 KiB: direct messages"},
    {COLL_scatterv, ANY, ANYWHERE, IN_ALL, ALL, ALGO_scatter_linear, NULL,
     "only the root knows all counts: direct messages"},
    {COLL_scatter, MANY, ON_NODES, A_BLOCK, 1 * KIB, ALGO_scatter_hierarchical, "linear,step",
     "several nodes, blocks of up to 1 KiB: one message into each node"},
    {COLL_scatter, MANY, ANYWHERE, A_BLOCK, 2 * KIB, ALGO_scatter_binomial, NULL,
     "8 ranks or more, blocks of up to 2 KiB: fewest messages"},
    {COLL_scatter, ANY, ANYWHERE, IN_ALL, ALL, ALGO_scatter_linear, NULL,
     "few ranks or blocks over 2 KiB: direct messages"},

    {COLL_reduce, FEW, ANYWHERE, IN_ALL, ALL, ALGO_reduce_binomial, NULL,
     "at most two ranks: one message is all there is"},
    {COLL_reduce, ANY, ON_NODES, IN_ALL, 2 * KIB, ALGO_reduce_hierarchical, "binomial,step",
     "several nodes, up to 2 KiB: fewest steps, one message out of each node"},
    {COLL_reduce, ANY, ON_LANES, IN_ALL, 64 * KIB, ALGO_reduce_lane, "binomial,step",
     "several nodes, 2 to 64 KiB: a part on every lane"},
    {COLL_reduce, ANY, ON_LANES, A_BLOCK, 3 * KIB / 2, ALGO_reduce_lane, "circulant,step",
     "several nodes, up to 1.5 KiB for each rank: a part on every lane, cut further between nodes"},
    {COLL_reduce, ANY, ON_LANES, IN_ALL, ALL, ALGO_reduce_lane, "chain,block,8",
     "several nodes, larger parts: pieces over all lanes"},
    {COLL_reduce, ANY, ANYWHERE, IN_ALL, 16 * KIB, ALGO_reduce_binomial, NULL,
     "up to 16 KiB: fewest steps"},
    {COLL_reduce, ANY, ANYWHERE, IN_ALL, ALL, ALGO_reduce_circulant, NULL,
     "over 16 KiB: every rank reduces a part, in few steps for any number of ranks"},
    {COLL_reduce, ANY, ON_NODES, IN_ALL, ALL, ALGO_reduce_hierarchical, "binomial,step",
     "several nodes, an operation that does not commute, or of the program: leaders pass vectors"},
    {COLL_reduce, ANY, ANYWHERE, IN_ALL, ALL, ALGO_reduce_binomial, NULL,
     "an operation that does not commute, or of the program: vectors are not cut"},
    {COLL_reduce_scatter, ANY, ON_LANES, IN_ALL, ALL, ALGO_reduce_scatter_lane, "circulant,step",
     "several nodes: least data between them, by all ranks of a node"},
    {COLL_reduce_scatter, ANY, ANYWHERE, IN_ALL, ALL, ALGO_reduce_scatter_circulant, NULL,
     "fewest steps and least data for any number of ranks"},
    {COLL_reduce_scatter, ANY, ANYWHERE, IN_ALL, 512, ALGO_reduce_scatter_recursive_doubling, NULL,
     "up to 512 B in all, an operation that does not commute: fewest steps"},
    {COLL_reduce_scatter, ANY, ANYWHERE, IN_ALL, ALL, ALGO_reduce_scatter_pairwise, NULL,
     "over 512 B in all, an operation that does not commute: least data"},
    {COLL_scan, ANY, ON_NODES, IN_ALL, 1 * KIB, ALGO_scan_recursive_doubling, NULL,
     "several nodes, up to 1 KiB: fewest steps"},
    {COLL_scan, ANY, ON_LANES, IN_ALL, 128 * KIB, ALGO_scan_lane, "recursive_doubling,step",
     "several nodes, 1 to 128 KiB: the sum of the nodes before, a part on every lane"},
    {COLL_scan, ANY, ON_LANES, IN_ALL, ALL, ALGO_scan_lane, "recursive_doubling,block,4",
     "several nodes, over 128 KiB: pieces of a part on every lane, which go on inside nodes"},
    {COLL_scan, ANY, ANYWHERE, IN_ALL, ALL, ALGO_scan_recursive_doubling, NULL, "fewest steps"},
    {COLL_exscan, ANY, ON_NODES, IN_ALL, 1 * KIB, ALGO_exscan_recursive_doubling, NULL,
     "several nodes, up to 1 KiB: fewest steps"},
    {COLL_exscan, ANY, ON_LANES, IN_ALL, ALL, ALGO_exscan_lane, "recursive_doubling,step",
     "several nodes, over 1 KiB: the sum of the nodes before, a part on every lane"},
    {COLL_exscan, ANY, ANYWHERE, IN_ALL, ALL, ALGO_exscan_recursive_doubling, NULL, "fewest steps"},

    {COLL_neighbor_alltoall, ANY, ANYWHERE, IN_ALL, ALL, ALGO_neighbor_alltoall_linear, NULL,
     "direct messages"},
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

static bool ranks_fit(ranks which, int p)
{
    switch (which) {
    case FEW:
        return p <= 2;
    case POWER:
        return (p & (p - 1)) == 0;
    case ODD:
        return p % 2 == 1;
    case MANY:
        return p >= 8;
    default:
        return true;
    }
}

/* There are as many lanes as the smallest node has ranks: few, if one node has but some that are
 * left over, and then they carry what all of the others could. */
static bool has_lanes(const topo *t)
{
    const topo_level *l = has_nodes(t) ? &t->level[topo_regions(t)] : NULL;

    return l && 2 * l->least >= l->most;
}

static bool rule_fits(const rule *r, const coll *c, int64_t bytes, where is)
{
    return (r->kind == c->kind || r->kind == coll_shapes[c->kind].family) &&
           algo_serves(algo_table[r->algo], c->kind) && ranks_fit(r->ranks, c->p) &&
           r->where <= is && (r->limit == A_BLOCK ? bytes / c->p : bytes) <= r->most &&
           !algo_refuses(algo_table[r->algo], c);
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

/* Words between commas, or NULL. */
static bool choose(int algo, const char *text, int p, int64_t bytes, choice *result)
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
        if (!parse_word(algo_table[algo], words, p, &before, &c))
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
    return algo != ALGO_NONE && choose(algo, words ? words + 1 : NULL, p, bytes, result);
}

/* The last rule of every family fits everything. */
choice select_auto(const coll *c, int64_t bytes, const topo *t, const char **why)
{
    const rule *r = rules;
    where is = has_lanes(t) ? ON_LANES : has_nodes(t) ? ON_NODES : ANYWHERE;
    choice result;

    while (!rule_fits(r, c, bytes, is))
        r++;
    *why = r->why;
    choose(r->algo, r->words, c->p, bytes, &result);
    result.by_rule = true;
    return result;
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
