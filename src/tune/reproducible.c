/* SPDX-License-Identifier: BSD-3-Clause */
/* reproducible.c - see reproducible.h. */
#include "tune/reproducible.h"

#include <string.h>

enum { KIB = 1024, MIB = 1024 * KIB };

#define ALL INT64_MAX

/* The first row that fits counts. Limits are round numbers, by estimates for several machines and
 * by measurement where ranks share cores; they must not follow from any machine's constants. Where
 * nodes have consecutive ranks a subtree of two_tree is on few of them, and so it takes at most
 * about twice as long as what knows nodes. */
static const struct row {
    coll_kind family;
    int most_ranks;     /* 0: any number */
    int64_t most_bytes; /* of the vector, or of all blocks */
    int algo, pieces;   /* pieces: 0: it has none */
} rows[] = {
    {COLL_allreduce, 4, 256 * KIB, ALGO_allreduce_recursive_doubling, 0},
    {COLL_allreduce, 2, ALL, ALGO_allreduce_circulant, 0},
    {COLL_allreduce, 32, 16 * KIB, ALGO_allreduce_recursive_doubling, 0},
    {COLL_allreduce, 0, 4 * KIB, ALGO_allreduce_recursive_doubling, 0},
    {COLL_allreduce, 16, 4 * MIB, ALGO_allreduce_two_tree, 8},
    {COLL_allreduce, 0, 4 * MIB, ALGO_allreduce_two_tree, 16},
    {COLL_allreduce, 0, ALL, ALGO_allreduce_two_tree, 32},
    {COLL_allreduce, 0, ALL, ALGO_allreduce_recursive_doubling, 0},
    {COLL_reduce, 2, ALL, ALGO_reduce_binomial, 0},
    {COLL_reduce, 0, 16 * KIB, ALGO_reduce_binomial, 0},
    {COLL_reduce, 16, 4 * MIB, ALGO_reduce_two_tree, 8},
    {COLL_reduce, 0, 4 * MIB, ALGO_reduce_two_tree, 16},
    {COLL_reduce, 0, ALL, ALGO_reduce_two_tree, 32},
    {COLL_reduce, 0, ALL, ALGO_reduce_binomial, 0},
    {COLL_reduce_scatter, 8, ALL, ALGO_reduce_scatter_circulant, 0},
    {COLL_reduce_scatter, 0, ALL, ALGO_reduce_scatter_bine, 0},
    {COLL_reduce_scatter, 0, ALL, ALGO_reduce_scatter_circulant, 0},
    {COLL_reduce_scatter, 0, 512, ALGO_reduce_scatter_recursive_doubling, 0},
    {COLL_reduce_scatter, 0, ALL, ALGO_reduce_scatter_pairwise, 0},
    {COLL_scan, 0, 64 * KIB, ALGO_scan_recursive_doubling, 0},
    {COLL_scan, 32, ALL, ALGO_scan_chain, 32},
    {COLL_scan, 0, ALL, ALGO_scan_recursive_doubling, 0},
    {COLL_exscan, 0, 64 * KIB, ALGO_exscan_recursive_doubling, 0},
    {COLL_exscan, 32, ALL, ALGO_exscan_chain, 32},
    {COLL_exscan, 0, ALL, ALGO_exscan_recursive_doubling, 0},
};

bool reproducible_in_order(const coll *c)
{
    return c->noncommutative || !c->symmetric;
}

static bool row_fits(const struct row *r, const coll *c, int64_t bytes)
{
    coll in_order = *c;

    in_order.noncommutative = reproducible_in_order(c);
    return r->family == coll_shapes[c->kind].family && (!r->most_ranks || c->p <= r->most_ranks) &&
           bytes <= r->most_bytes && !algo_refuses(algo_table[r->algo], &in_order);
}

choice reproducible_choice(const coll *c, int64_t bytes)
{
    const struct row *r = rows;
    choice result;

    while (!row_fits(r, c, bytes)) /* the last row of each family always does */
        r++;
    select_named(r->algo, r->pieces, c->p, bytes, &result);
    result.in_order = reproducible_in_order(c);
    return result;
}

/* Forms, and how blocks come to lie in their order, swap no operands. */
const char *reproducible_refuses(const choice *asked, const coll *c, int64_t bytes)
{
    choice same = reproducible_choice(c, bytes);

    if (asked->algo == same.algo && asked->parameter == same.parameter &&
        asked->variant == same.variant)
        return NULL;
    if (algo_table[asked->algo]->regional)
        return "the order in which it combines operands depends on where the ranks are, which "
               "tutti_reproducible=topology forbids";
    return "it combines operands in another order than the algorithm that "
           "tutti_reproducible=topology takes for this number of ranks and bytes";
}

bool reproducible_read(const char *text, bool *topology)
{
    *topology = strcmp(text, "topology") == 0;
    return *topology || strcmp(text, "off") == 0;
}
