/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c - the two benchmarks of the multi-lane paper: do several processes of a node get more out
 * of the network than one? A column is k, the number of virtual lanes: the first k ranks of each
 * node.
 *
 * lane_pattern: each node sends and receives c bytes (-m), divided over its first k ranks, of which
 * the first takes the remainder: MPI_Sendrecv to the rank a node further and from the one a node
 * before. --batch 100 makes the paper's 100 repetitions without a barrier between them.
 *
 * multi_collective: the first k lanes, each of one rank on every node, run an alltoall at the same
 * time. -m: bytes of one block; the paper's c elements are c / nodes in a block. --call NAME: which
 * alltoall (native; or one of Tutti's, with _init or _i).
 *
 * Nodes must have the same number of ranks; ranks may be placed in any order.
 * Traeff, Hunold, arXiv:1910.13373, section II.
 */
#include "lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 78 };

/* Where this rank is; the same for all columns. */
static struct lanes {
    bool known;
    int ranks;        /* of a node; 0: nodes differ */
    int mine;         /* index of this rank in its node */
    int next, before; /* the ranks of the same index on the next and on the last node */
    MPI_Comm lane;
    way inner; /* multi_collective: in one lane */
} here;

bool lanes_command(const char *name)
{
    return strcmp(name, "lane_pattern") == 0 || strcmp(name, "multi_collective") == 0;
}

/* The rank with this index on a node; -1: none. */
static int rank_at(const int *node, int p, int which, int index)
{
    for (int r = 0; r < p; r++)
        if (node[r] == which && index-- == 0)
            return r;
    return -1;
}

static void find_location(int rank, int p)
{
    int *node = malloc((size_t)p * sizeof *node), nodes = 1, *sizes;

    tutti_comm_regions(MPI_COMM_WORLD, "node", node, &nodes);
    sizes = calloc((size_t)nodes, sizeof *sizes);
    here.known = true;
    for (int r = 0; r < p; r++) {
        if (node[r] == node[rank] && r < rank)
            here.mine++;
        sizes[node[r]]++;
    }
    here.ranks = sizes[0];
    for (int i = 0; i < nodes; i++)
        if (sizes[i] != sizes[0])
            here.ranks = 0;
    here.next = rank_at(node, p, (node[rank] + 1) % nodes, here.mine);
    here.before = rank_at(node, p, (node[rank] + nodes - 1) % nodes, here.mine);
    MPI_Comm_split(MPI_COMM_WORLD, here.mine, node[rank], &here.lane);
    free(sizes);
    free(node);
}

/* ---- lane_pattern ---- */

static int share(const run *r)
{
    if (here.mine >= r->lanes)
        return 0;
    return r->size / r->lanes + (here.mine == 0 ? r->size % r->lanes : 0);
}

static int exchange(run *r)
{
    int n = share(r);

    if (here.mine >= r->lanes)
        return MPI_SUCCESS;
    return MPI_Sendrecv(r->send, n, MPI_BYTE, here.next, TAG, r->recv, n, MPI_BYTE, here.before,
                        TAG, r->comm, MPI_STATUS_IGNORE);
}

static void fill_share(const run *r, int seed)
{
    memset(r->send, seed + r->rank, (size_t)share(r));
    memset(r->recv, ~(seed + here.before), (size_t)share(r));
}

static int64_t wrong_share(const run *r, int seed)
{
    int64_t wrong = 0;

    for (int i = 0; i < share(r); i++)
        wrong += r->recv[i] != (char)(seed + here.before);
    return wrong;
}

/* ---- multi_collective: the inner way, in the first k lanes only ---- */

#define IN_LANE(step)                                                                              \
    static int step##_in_lane(run *r)                                                              \
    {                                                                                              \
        return here.mine < r->lanes && here.inner.step ? here.inner.step(r) : MPI_SUCCESS;         \
    }

IN_LANE(open)
IN_LANE(start)
IN_LANE(progress)
IN_LANE(wait)

static void close_in_lane(run *r)
{
    if (here.mine < r->lanes && here.inner.close)
        here.inner.close(r);
}

static void fill_lane(const run *r, int seed)
{
    if (here.mine < r->lanes)
        buffers_fill(r, seed);
}

static int64_t wrong_lane(const run *r, int seed)
{
    return here.mine < r->lanes ? buffers_wrong(r, seed) : 0;
}

static void know_location(void)
{
    int rank, p;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (!here.known)
        find_location(rank, p);
}

int lanes_blocks(const char *command)
{
    int nodes;

    if (strcmp(command, "lane_pattern") == 0)
        return 1;
    know_location();
    MPI_Comm_size(here.lane, &nodes);
    return nodes;
}

bool lanes_variant(variant *v, const options *o, const char *name)
{
    char *end;
    long k = strtol(name, &end, 10);
    bool pattern = strcmp(o->command, "lane_pattern") == 0;
    variant inner;

    know_location();
    if (*end || k < 1 || k > here.ranks || !variant_parse(&inner, o, o->call))
        return false;
    *v = inner;
    here.inner = inner.how;
    v->how.own_comm = false; /* the lane is its own */
    variant_open(v, o);
    snprintf(v->name, sizeof v->name, "%s", name);
    v->r.lanes = (int)k;
    v->how = pattern ? (way){.start = exchange}
                     : (way){.open = open_in_lane,
                             .start = start_in_lane,
                             .progress = progress_in_lane,
                             .wait = wait_in_lane,
                             .close = close_in_lane};
    v->fill = pattern ? fill_share : fill_lane;
    v->wrong = pattern ? wrong_share : wrong_lane;
    if (!pattern) {
        v->r.comm = here.lane;
        MPI_Comm_rank(here.lane, &v->r.rank);
        MPI_Comm_size(here.lane, &v->r.p);
        v->r.blocks = v->r.p;
    }
    return true;
}

void lanes_close(void)
{
    if (here.known)
        MPI_Comm_free(&here.lane);
    here.known = false;
}
