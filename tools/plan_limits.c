/* plan_limits.c - see plan.h. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

/* Beyond these it takes ten seconds and more. */
enum { MOST_WORK = 50000000, MOST_STEPS = 4000000 };

/* Algorithms that compile in ranks times nodes. */
static const struct quadratic {
    int algo;
    int64_t most;
} quadratic[] = {{ALGO_alltoall_hierarchical, 100000000},
                 {ALGO_alltoall_lane, 100000000},
                 {ALGO_allgather_reorder_hierarchical, 2000000000}};

int plan_too_many_nodes(const request *r)
{
    int64_t size = r->topo ? (int64_t)r->p * r->topo->nodes : 0;

    for (size_t i = 0; i < sizeof quadratic / sizeof *quadratic; i++)
        if (r->choice.algo == quadratic[i].algo && size > quadratic[i].most) {
            fprintf(stderr,
                    "tutti-plan: %s compiles in ranks times nodes, which are %" PRId64
                    ", more than %" PRId64 "; ask for fewer ranks (-p) or larger nodes\n",
                    algo_table[r->choice.algo]->name, size, quadratic[i].most);
            return 2;
        }
    return 0;
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
    if (work <= MOST_WORK && (!(r->critical_path || r->time || r->why) || steps <= MOST_STEPS))
        return 0;
    fprintf(
        stderr,
        "tutti-plan: %s looks at all steps of all ranks, more than %d million here; ask for one "
        "rank (--rank R), or for fewer (-p)\n",
        option, (work > MOST_WORK ? MOST_WORK : MOST_STEPS) / 1000000);
    return 2;
}
