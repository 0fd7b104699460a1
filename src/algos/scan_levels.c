/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_levels.c - see scan_levels.h. */
#include "algos/scan_levels.h"

bool scan_levels_divide(scan_levels *l, const group *g, const blockmap *b, int level,
                        sched_builder *s)
{
    if (!levels_divide(&l->d, g, LAST_LEADS, level, s) || !l->d.consecutive)
        return false;
    if (leads(&l->d) || l->d.p.mine > 0)
        l->before = scratch_row(s, b);
    return true;
}

void scan_levels_before(const scan_levels *l, const algo_options *o, const blockmap *b,
                        const blockrow *sum, sched_builder *s)
{
    blockmap leaders = *b, local = *b;

    leaders.out = *sum;
    leaders.in = local.in = l->before;
    if (leads(&l->d))
        phase_compile(o, &l->d.leaders, 0, &leaders, s);
    if (l->d.p.mine > 0)
        levels_bcast(&l->d.local, l->d.leader, &local, l->d.next, s);
}
