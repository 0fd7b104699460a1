/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_locations.c - see tune_locations.h. */
#include "tune_locations.h"

#include "tune_measure.h"

#include <stdlib.h>
#include <tutti.h>

static int *regions_of(const char *level, int p, int *count)
{
    int *regions = tune_allocate((size_t)p * sizeof *regions);

    tutti_comm_regions(MPI_COMM_WORLD, level, regions, count);
    return regions;
}

/* Level by level to the first that divides nodes: that is the one which estimates know. */
locations locations_find(void)
{
    static const char *const levels[] = {"package", "numa", "l3", "core"};
    locations x = {.inner_name = ""};
    int switches, regions;

    MPI_Comm_size(MPI_COMM_WORLD, &x.p);
    x.lowest = regions_of("switch", x.p, &switches);
    x.node = regions_of("node", x.p, &x.nodes);
    for (int i = 0; i < 4 && !x.has_inner; i++) {
        free(x.inner);
        x.inner = regions_of(levels[i], x.p, &regions);
        x.has_inner = regions > x.nodes;
        x.inner_name = x.has_inner ? levels[i] : "";
    }
    x.has_switches = switches > 1;
    return x;
}

void locations_free(locations *x)
{
    free(x->node);
    free(x->inner);
    free(x->lowest);
}

/* The first two of which this is true. */
static two find(const locations *x, bool (*right)(const locations *x, int a, int b))
{
    for (int a = 0; a < x->p; a++)
        for (int b = a + 1; b < x->p; b++)
            if (right(x, a, b))
                return (two){a, b};
    return (two){-1, -1};
}

static bool inside(const locations *x, int a, int b)
{
    return x->has_inner && x->inner[a] == x->inner[b];
}

static bool on_node(const locations *x, int a, int b)
{
    return x->node[a] == x->node[b] && !inside(x, a, b);
}

static bool between_nodes(const locations *x, int a, int b)
{
    return x->node[a] != x->node[b];
}

static bool on_switch(const locations *x, int a, int b)
{
    return between_nodes(x, a, b) && x->lowest[a] == x->lowest[b];
}

static bool between_switches(const locations *x, int a, int b)
{
    return x->has_switches && x->lowest[a] != x->lowest[b];
}

two locations_inner(const locations *x)
{
    return find(x, inside);
}

two locations_node(const locations *x)
{
    return find(x, on_node);
}

two locations_network(const locations *x)
{
    two near = find(x, on_switch);

    return near.a < 0 ? find(x, between_nodes) : near;
}

two locations_switch(const locations *x)
{
    return find(x, between_switches);
}

/* The first `most` ranks of a node, from the rank `first` on. Returns how many. */
static int take(const locations *x, int node, int most, int first, int part[])
{
    int n = 0;

    for (int r = 0; r < x->p && n < most; r++)
        if (x->node[r] == node)
            part[r] = first + n++;
    return n;
}

static int size_of(const locations *x, int node)
{
    int n = 0;

    for (int r = 0; r < x->p; r++)
        n += x->node[r] == node;
    return n;
}

int locations_of_one_node(const locations *x, int part[])
{
    int best = 0;

    for (int i = 0; i < x->nodes; i++)
        best = size_of(x, i) > size_of(x, best) ? i : best;
    for (int r = 0; r < x->p; r++)
        part[r] = -1;
    return take(x, best, x->p, 0, part);
}

int locations_of_two_nodes(const locations *x, two t, int part[])
{
    int one = t.a < 0 ? 0 : size_of(x, x->node[t.a]),
        other = t.a < 0 ? 0 : size_of(x, x->node[t.b]);
    int each = one < other ? one : other;

    for (int r = 0; r < x->p; r++)
        part[r] = -1;
    if (t.a < 0)
        return 0;
    take(x, x->node[t.a], each, 0, part);
    take(x, x->node[t.b], each, each, part);
    return 2 * each;
}
