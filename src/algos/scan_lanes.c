/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_lanes.c - see scan_lanes.h. */
#include "algos/scan_lanes.h"

#include "algos/circulant_reduce.h"

/* The last node's sum is not asked for. */
static void sum_node(const lanes *l, const blockmap *items, const blockrow *sum, sched_builder *s)
{
    sched_phase(s, "reduce-scatter");
    if (l->local.size > 1 && l->nodes.mine < l->nodes.n - 1)
        circulant_reduce_scatter(&l->local, items, sum, sum, s);
}

bool scan_lanes_before(scan_lanes *x, const algo_options *o, const group *g, const blockmap *b,
                       sched_builder *s)
{
    lanes *l = &x->l;
    blockmap items, part;
    blockrow sum = b->out;

    if (!lanes_make(l, g, 0, s) || !l->consecutive)
        return false;
    items = lanes_cut(l, b, s);
    if (l->local.size > 1)
        sum = scratch_row(s, b);
    x->before = scratch_row(s, b);
    sum_node(l, &items, &sum, s);
    sched_phase(s, "lane");
    if (on_lane(l)) {
        part = lanes_part(l, b, s);
        part.out = sum;
        part.in = x->before;
        phase_compile(o, &l->lane, 0, &part, s);
    }
    items.in = x->before;
    if (l->nodes.mine > 0)
        lanes_share(l, &items, s);
    return true;
}
