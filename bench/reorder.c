/* SPDX-License-Identifier: BSD-3-Clause */
/* reorder.c - tutti-bench reorder: orders of ranks: how much shorter the way of the data gets, and
 * how long it takes to find them; by our heuristics, and by the general mapping library Scotch if
 * it was there at build time.
 *
 *   tutti-bench reorder [RANKS...]       default 1024 4096
 *
 * 16 nodes on a switch, 2 packages of 4 ranks in a node, and the four mappings of the rank
 * reordering paper. Cost: sum of blocks * distance over all messages; the time of Scotch includes
 * the graph of the messages, which the heuristics do without, as in the paper. No MPI.
 */
#include "command.h"
#include "stats.h"
#include "subcommands.h"
#include "topo/reorder.h"
#include "topo/shape.h"
#include "tune/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef HAVE_SCOTCH
#include <scotch.h>
#endif

enum { REPEATS = 5 };

static const char *const pattern_names[REORDER_PATTERNS] = {
    "ring", "recursive_doubling", "broadcast", "gather", "bruck", "sparbit"};

static const char *const mappings[][2] = {
    {"block-bunch", "switch:16 node:8 package:2"},
    {"block-scatter", "switch:16 node:8 package:2@cyclic"},
    {"cyclic-bunch", "switch:16 node:8@cyclic package:2"},
    {"cyclic-scatter", "switch:16 node:8@cyclic package:2@cyclic"},
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef HAVE_SCOTCH

typedef struct pair {
    SCOTCH_Num from, to, blocks;
} pair;

static int compare(const void *left, const void *right)
{
    const pair *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* The messages in both directions, those of the same two ranks added up. */
static SCOTCH_Num list_pairs(reorder_pattern pattern, int p, pair **result)
{
    int64_t k = 0, blocks;
    SCOTCH_Num n = 0, kept = 0, cap = 0;
    pair *list = NULL;
    int from, to;

    while (reorder_message(pattern, p, &k, &from, &to, &blocks)) {
        if (from == to)
            continue;
        if (n + 2 > cap) {
            cap = cap ? 2 * cap : 4096;
            list = realloc(list, (size_t)cap * sizeof *list);
            if (!list)
                abort();
        }
        list[n++] = (pair){from, to, (SCOTCH_Num)blocks};
        list[n++] = (pair){to, from, (SCOTCH_Num)blocks};
    }
    qsort(list, (size_t)n, sizeof *list, compare);
    for (SCOTCH_Num i = 0; i < n; i++)
        if (kept && list[kept - 1].from == list[i].from && list[kept - 1].to == list[i].to)
            list[kept - 1].blocks += list[i].blocks;
        else
            list[kept++] = list[i];
    *result = list;
    return kept;
}

static void map(reorder_pattern pattern, int p, SCOTCH_Num *leaf)
{
    SCOTCH_Num sizes[] = {p / 128, 16, 2, 4}, links[] = {20, 10, 5, 4};
    pair *list;
    SCOTCH_Num n = list_pairs(pattern, p, &list);
    SCOTCH_Num *first = calloc((size_t)p + 1 + 2 * (size_t)n, sizeof *first);
    SCOTCH_Num *to = first + p + 1, *load = to + n;
    SCOTCH_Graph graph;
    SCOTCH_Arch machine;
    SCOTCH_Strat strategy;

    if (!first)
        abort();
    for (SCOTCH_Num i = 0; i < n; i++) {
        first[list[i].from + 1]++;
        to[i] = list[i].to;
        load[i] = list[i].blocks;
    }
    for (int i = 0; i < p; i++)
        first[i + 1] += first[i];
    SCOTCH_graphInit(&graph);
    SCOTCH_archInit(&machine);
    SCOTCH_stratInit(&strategy);
    if (SCOTCH_graphBuild(&graph, 0, p, first, NULL, NULL, NULL, n, to, load) ||
        SCOTCH_archTleaf(&machine, 4, sizes, links) ||
        SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATBALANCE, p, 0) ||
        SCOTCH_graphMap(&graph, &machine, &strategy, leaf))
        abort();
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&machine);
    SCOTCH_graphExit(&graph);
    free(first);
    free(list);
}

/* Leaves of the machine are its ranks in the machine's order. Where Scotch has put two on one, the
 * second goes to a free leaf. Returns how many those are. */
static int order_from_leaves(const topo *t, int p, SCOTCH_Num *leaf, int *order)
{
    int *ranks = malloc((size_t)p * sizeof *ranks), again = 0, next = 0;
    bool *taken = calloc((size_t)p, sizeof *taken);

    if (!ranks || !taken || !reorder_always(REORDER_RING, t, NULL, p, ranks))
        abort();
    for (int i = 0; i < p; i++) {
        if (taken[leaf[i]])
            leaf[i] = -1;
        else
            taken[leaf[i]] = true;
    }
    for (int i = 0; i < p; i++) {
        if (leaf[i] < 0) {
            while (taken[next])
                next++;
            taken[next] = true;
            leaf[i] = next;
            again++;
        }
        order[i] = ranks[leaf[i]];
    }
    free(taken);
    free(ranks);
    return again;
}

static void run_scotch(reorder_pattern pattern, const topo *t, int p, int *order)
{
    SCOTCH_Num *leaf = malloc((size_t)p * sizeof *leaf);
    double begin = now(), seconds;
    int again;

    if (!leaf)
        abort();
    map(pattern, p, leaf);
    seconds = now() - begin;
    again = order_from_leaves(t, p, leaf, order);
    printf(" %12" PRId64 " %10.1f", reorder_cost(pattern, t, order, p), seconds * 1e3);
    if (again)
        printf("  (%d of its places were taken)", again);
    free(leaf);
}

static const char title[] = "     Scotch      ms";

#else

static void run_scotch(reorder_pattern pattern, const topo *t, int p, int *order)
{
    (void)pattern, (void)t, (void)p, (void)order;
}

static const char title[] = "";

#endif

/* A topology keeps what was found: each time a new one. Median seconds; the last one is in *t. */
static double time_of(reorder_pattern pattern, const location *at, int p, int *order, topo **t)
{
    double times[REPEATS];

    for (int i = 0; i < REPEATS; i++) {
        if (i > 0)
            topo_free(*t);
        *t = topo_make(at, p);
        double begin = now();
        if (!*t || !reorder_ranks(pattern, *t, NULL, p, order))
            abort();
        times[i] = now() - begin;
    }
    return median(times, REPEATS);
}

static void run(reorder_pattern pattern, int mapping, int p)
{
    location *at = malloc((size_t)p * sizeof *at);
    int *order = malloc((size_t)p * sizeof *order);
    double time;
    char why[100];
    topo *t;

    if (!at || !order || !shape_locations(mappings[mapping][1], p, at, why, sizeof why))
        abort();
    time = time_of(pattern, at, p, order, &t);
    int64_t after = reorder_cost(pattern, t, order, p);
    for (int i = 0; i < p; i++)
        order[i] = i;
    printf("%-20s %-15s %12" PRId64 " %12" PRId64 " %8.2f", pattern_names[pattern],
           mappings[mapping][0], reorder_cost(pattern, t, order, p), after, 1e3 * time);
    run_scotch(pattern, t, p, order);
    printf("\n");
    fflush(stdout);
    topo_free(t);
    free(order);
    free(at);
}

static void run_all(int p)
{
    printf("%d ranks: sum of blocks * distance, and time to find the order\n", p);
    printf("%-20s %-15s %12s %12s %8s%s\n", "pattern", "mapping", "before", "ours", "ms", title);
    for (int pattern = 0; pattern < REORDER_PATTERNS; pattern++)
        for (int mapping = 0; mapping < 4; mapping++)
            run((reorder_pattern)pattern, mapping, p);
}

int bench_reorder(int argc, char **argv)
{
    int sizes[] = {1024, 4096};
    int64_t p;
    command c = {.name = "tutti-bench reorder"};

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("usage: tutti-bench reorder [RANKS...]\n"
               "Orders of so many ranks (1024 4096), multiples of 128, and how long they take to "
               "find.\n");
        return 0;
    }
    for (int i = 1; i < argc; i++)
        if (!number_size(argv[i], &p) || p < 128 || p % 128 || p > 1 << 20) {
            command_wrong(&c, argv[i], "not a multiple of 128 ranks up to 1048576", NULL);
            return command_refuse(&c);
        }
    for (int i = 1; i < argc && number_size(argv[i], &p); i++)
        run_all((int)p);
    for (int i = 0; argc < 2 && i < 2; i++)
        run_all(sizes[i]);
    return 0;
}
