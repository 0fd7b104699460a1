/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_locality_bruck.c - Bruck between regions, with all ranks of a region sharing the
 * messages.
 *
 *   regions of 4, seen from rank 0         16 regions of 4: K = 4, rounds c = 1 and c = 4
 *   local    all of the region's blocks
 *   c = 1    4-7 <- 4                      region a knows regions a .. a + c - 1 (mod 16) and
 *            rank 1: 8-11 <- 9             gets a + c .. K c - 1, a share by each of its ranks,
 *            rank 2: 12-15 <- 14           from the region where that share begins
 *   local    spread what came in
 *
 * With c regions known, those up to c' = min(K c, regions) are missing. They are divided into at
 * most as many shares of whole regions as the smallest region has ranks, so that a rank has one
 * message in a round. Share u begins at distance d: rank u sends its own region's view of it to
 * region a - d and receives it from region a + d. K = max(2, smallest region). Published is a share
 * of c regions for each rank but the first, q + q^2 + ... + q^k blocks for q^k regions of q; equal
 * shares for all make it q^k, which is m/q. Local spreading is this algorithm one level further
 * down (package, NUMA node), at the end Bruck. Regions may be of any size, their ranks anywhere:
 * the numbers do not depend on the placement.
 *
 * ceil(log_K R) (alpha + local log2) for R regions; q^k regions of q: k non-local messages and m/q
 * non-local bytes a rank, where Bruck has log2 p and up to m. No scratch. For small blocks.
 * Bienz, Gautam, Kharel, EuroMPI/USA 2022, Algorithm 2.
 */
#include "algos/algo.h"
#include "algos/region.h"

static void spread(const algo_options *o, const group *g, const blockmap *b, sched_builder *s,
                   int level);

/* Rounds of the coarsest level are phases. */
static void name_phase(sched_builder *s, const group *g, int level, const char *name)
{
    if (level - 1 == topo_regions(g->topo))
        sched_phase(s, name);
}

static int share_begin(int known, int missing, int shares, int u)
{
    return known + (int)((int64_t)u * missing / shares);
}

/* One round: the regions at distance known .. known + missing - 1 come in. */
static void exchange_regions(const algo_options *o, const regions *p, const group *g,
                             const blockmap *b, sched_builder *s, int level, int known, int missing)
{
    group local = regions_local(p, g);
    int shares = p->least < missing ? p->least : missing, me = p->index;
    itemlist come = items_begin(b, local.size, s), go = items_begin(b, 1, s);

    for (int u = 0; u < local.size; u++) {
        for (int d = share_begin(known, missing, shares, u);
             u < shares && d < share_begin(known, missing, shares, u + 1); d++)
            regions_add(p, p->mine + d, b, &come);
        items_next(&come);
    }
    name_phase(s, g, level, "between regions");
    if (me < shares) {
        int begin = share_begin(known, missing, shares, me);
        int end = share_begin(known, missing, shares, me + 1);
        for (int d = 0; d < end - begin; d++)
            regions_add(p, p->mine + d, b, &go);
        items_next(&go);
        send_blocks(s, &go.map, 0, 1, 1, region_rank(p, wrap(p->mine - begin, p->n), me));
        recv_blocks(s, &come.map, me, 1, 1, region_rank(p, wrap(p->mine + begin, p->n), me));
    }
    name_phase(s, g, level, "spread");
    spread(o, &local, &come.map, s, level);
}

static void spread(const algo_options *o, const group *g, const blockmap *b, sched_builder *s,
                   int level)
{
    regions p;

    if (!g->topo || level >= g->topo->nlevels) {
        algo_allgather_bruck.compile(o, g, b, s);
        return;
    }
    if (!regions_make(&p, g, level, s))
        return;
    if (p.n == 1 || p.n == g->size) {
        spread(o, g, b, s, level + 1);
        return;
    }
    group local = regions_local(&p, g);
    blockmap items = regions_local_items(&p, b, s);
    int fan_out = p.least < 2 ? 2 : p.least;

    spread(o, &local, &items, s, level + 1);
    for (int known = 1; known < p.n;) {
        int next = known > p.n / fan_out ? p.n : known * fan_out;
        exchange_regions(o, &p, g, b, s, level + 1, known, (next < p.n ? next : p.n) - known);
        known = next;
    }
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    sched_phase(s, "in regions");
    spread(o, g, b, s, topo_regions(g->topo));
}

const algo algo_allgather_locality_bruck = {
    .name = "locality_bruck",
    .kind = COLL_allgather,
    .summary = "Bruck between regions, shared by their ranks; any levels",
    .steps = "log_q R between",
    .volume = "m/q between",
    .source = "Bienz et al., EuroMPI/USA 2022",
    .has_forms = true,
    .regional = true,
    .compile = compile,
};
