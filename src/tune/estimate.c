/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c - see estimate.h: estimate_model.c makes the machine, estimate_run.c runs it. */
#include "tune/estimate.h"

#include "tune/costs.h"
#include "tune/estimate_model.h"

/* Tuning: on nodes of more cores than that all ranks are as slow as if all were at work. */
enum { CORES_MOST = 32 };

static int64_t most_work(const model *m, model_links which)
{
    const tune_link *l = &m->link[model_link(m, 0, which)];
    int64_t most = 0;

    for (int i = 0; i < m->nodes; i++)
        most = model_later(most, costs_work(l[i].bytes, l[i].shared));
    return most;
}

/* The work of its ranks, for each core; of the node that has most. */
static int64_t work_of_cores(const model *m)
{
    int64_t most = 0;

    for (int node = 0; m->cores && node < m->nodes; node++) {
        int64_t sum = 0;
        for (int r = 0; r < m->g->p; r++)
            sum += m->home[r] == node ? m->processor[r].work : 0;
        most = model_later(most, sum / m->cores);
    }
    return most;
}

static estimate result_of(const model *m)
{
    int64_t processor = 0;

    for (int r = 0; r < m->g->p; r++)
        processor = model_later(processor, m->processor[r].work);
    return (estimate){.time = m->end,
                      .steps = m->ended,
                      .longer = m->end > m->most,
                      .processor = processor,
                      .cores = work_of_cores(m),
                      .memory = most_work(m, LINK_MEMORY),
                      .out = most_work(m, LINK_OUT),
                      .in = most_work(m, LINK_IN)};
}

bool estimate_gives_cores(const constants *k, int p)
{
    return k->load > 1 && k->cores <= CORES_MOST && p <= ESTIMATE_FEW;
}

/* All but q->shares is given. */
static bool find_estimate(model_question *q, estimate *result)
{
    model m;
    bool done;

    q->shares = estimate_gives_cores(q->k, q->g->p) && !q->g->fold;
    done = model_make(&m, q);
    if (done) {
        model_run(&m);
        *result = result_of(&m);
        done = !m.events.no_memory && (m.ended == q->g->n || result->longer);
    }
    model_free(&m);
    return done;
}

bool estimate_find(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                   const constants *k, int64_t most, estimate *result)
{
    model_question q = {.g = g, .count = count, .size = size, .t = t, .k = k, .most = most};

    return find_estimate(&q, result);
}

bool estimate_watch(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                    const constants *k, step_time *times, estimate *result)
{
    model_question q = {.g = g, .count = count, .size = size, .t = t, .k = k, .times = times};

    q.most = ESTIMATE_ALL;
    return find_estimate(&q, result);
}
