/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_limits.c - see plan.h. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

/* Beyond these it takes ten seconds and more. */
enum { MOST_WORK = 50000000, MOST_STEPS = 4000000, MOST_CARRIED = 20000000 };

/* Blocks that travel through one rank of an alltoall that has carriers: those of its node, by as
 * many as the smallest node has ranks, or by its leader. */
static int64_t carried(const request *r)
{
    int level = topo_regions(r->topo);
    bool leader = r->choice.algo == ALGO_alltoall_hierarchical;
    const topo_level *l;

    if (!r->topo || level == r->topo->nlevels || (!leader && r->choice.algo != ALGO_alltoall_lane))
        return 0;
    l = &r->topo->level[level];
    return (int64_t)r->p * (leader ? l->most : (l->most + l->least - 1) / l->least);
}

int plan_too_many_carried(const request *r)
{
    int64_t blocks = carried(r);

    if (blocks <= MOST_CARRIED)
        return 0;
    fprintf(stderr,
            "tutti-plan: %s: %" PRId64
            " blocks travel through one rank, more than %d million; ask for fewer ranks (-p) or "
            "smaller nodes\n",
            algo_table[r->choice.algo]->name, blocks, MOST_CARRIED / 1000000);
    return 2;
}

/* Steps and intervals of all ranks, and what looking at the machine takes, as four ranks have them.
 * False: out of memory. */
static bool sample(const request *r, int64_t *steps, int64_t *work)
{
    enum { SAMPLES = 4 };
    int64_t looks = r->topo && algo_table[r->choice.algo]->regional ? r->p : 0;

    *steps = *work = 0;
    for (int i = 0; i < SAMPLES && *work <= MOST_WORK; i++) {
        sched *s = plan_compile(r, (int)((int64_t)(r->p - 1) * i / (SAMPLES - 1)));
        if (!s)
            return false;
        *steps += (int64_t)s->nsteps * r->p / SAMPLES;
        *work += ((int64_t)s->nsteps + s->nintervals + looks) * r->p / SAMPLES;
        sched_free(s);
    }
    return true;
}

/* All ranks: is it too much to do? */
int plan_too_much(const request *r, const char *option)
{
    int64_t steps, work;

    if (!sample(r, &steps, &work))
        return plan_fail("out of memory", "schedule");
    if (work <= MOST_WORK &&
        (!(r->critical_path || r->time || r->why || r->model || r->svg) || steps <= MOST_STEPS))
        return 0;
    fprintf(
        stderr,
        "tutti-plan: %s looks at all steps of all ranks, more than %d million here; ask for one "
        "rank (--rank R), or for fewer (-p)\n",
        option, (work > MOST_WORK ? MOST_WORK : MOST_STEPS) / 1000000);
    return 2;
}
