/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c - see traffic.h. */
#include "traffic.h"
#include "any_failed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one rank, in this order in the table. */
enum { NODE, ROWS, NEIGHBORS, VALUES, MESSAGES_OUT, VALUES_OUT, ONCE, COLUMNS };

/* What goes to a node, of which destination i is the first: each value once. seen[row] is the last
 * such destination that the row went to. */
static long long count_once(const halo *h, const int *node, int i, int *seen)
{
    const blocks *b = &h->out;
    long long n = 0;

    for (int k = i; k < b->n; k++)
        if (node[b->ranks[k]] == node[b->ranks[i]])
            for (int v = b->displs[k]; v < b->displs[k] + b->counts[k]; v++) {
                n += seen[h->rows[v]] != i;
                seen[h->rows[v]] = i;
            }
    return n;
}

/* pairs[a * nodes + b]: something goes from node a to node b. */
static void count(const matrix *m, const int *node, int nodes, int *seen, char *pairs,
                  long long *line)
{
    const blocks *b = &m->halo.out;
    int here = node[m->rank];

    memset(line, 0, COLUMNS * sizeof *line);
    line[NODE] = here;
    line[ROWS] = m->rows;
    line[NEIGHBORS] = b->n;
    for (int i = 0; i < m->rows; i++)
        seen[i] = -1;
    for (int i = 0; i < b->n; i++) {
        int there = node[b->ranks[i]], earlier = 0;
        line[VALUES] += b->counts[i];
        if (there == here)
            continue;
        line[MESSAGES_OUT]++;
        line[VALUES_OUT] += b->counts[i];
        pairs[(size_t)here * (size_t)nodes + (size_t)there] = 1;
        for (int k = 0; k < i; k++)
            earlier |= node[b->ranks[k]] == there;
        line[ONCE] += earlier ? 0 : count_once(&m->halo, node, i, seen);
    }
}

static void print_line(const char *name, const long long *line)
{
    printf("%8s %10lld %10lld %12lld %20lld %12lld %12lld\n", name, line[ROWS], line[NEIGHBORS],
           line[VALUES], line[MESSAGES_OUT], line[VALUES_OUT], line[ONCE]);
}

static void print_table(const long long *lines, int p, long long n_pairs)
{
    long long sum[COLUMNS] = {0};
    char name[40];

    printf("%8s %10s %10s %12s %20s %12s %12s\n", "rank", "rows", "neighbors", "values sent",
           "messages that leave", "values", "each once");
    for (int r = 0; r < p; r++) {
        snprintf(name, sizeof name, "%d@%lld", r, lines[r * COLUMNS + NODE]);
        print_line(name, lines + r * COLUMNS);
        for (int i = 0; i < COLUMNS; i++)
            sum[i] += lines[r * COLUMNS + i];
    }
    print_line("total", sum);
    printf("rank@node; \"leave\": the node; \"each once\": values that leave, once for each node "
           "they go "
           "to\n%lld pairs of nodes with traffic\n",
           n_pairs);
}

static void gather(const matrix *m, const long long *line, long long *lines, char *pairs, int nodes)
{
    size_t size = (size_t)nodes * (size_t)nodes;
    long long n_pairs = 0;

    MPI_Gather(line, COLUMNS, MPI_LONG_LONG, lines, COLUMNS, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    for (int a = 0; a < nodes; a++) /* nodes^2 may be more than an int */
        MPI_Reduce(m->rank == 0 ? MPI_IN_PLACE : pairs + (size_t)a * (size_t)nodes,
                   pairs + (size_t)a * (size_t)nodes, nodes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < size && m->rank == 0; i++)
        n_pairs += pairs[i];
    if (m->rank == 0)
        print_table(lines, m->p, n_pairs);
}

int traffic_print(const matrix *m, const int *node, int nodes)
{
    int *seen = malloc((size_t)m->rows * sizeof *seen + 1);
    long long *lines = malloc((size_t)m->p * COLUMNS * sizeof *lines), line[COLUMNS];
    char *pairs = calloc((size_t)nodes, (size_t)nodes);
    int failed = any_failed(!seen || !lines || !pairs);

    if (!failed) {
        count(m, node, nodes, seen, pairs, line);
        gather(m, line, lines, pairs, nodes);
    }
    free(seen);
    free(lines);
    free(pairs);
    return failed ? -1 : 0;
}
