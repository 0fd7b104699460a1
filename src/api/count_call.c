/* SPDX-License-Identifier: BSD-3-Clause */
/* count_call.c - see count_call.h. */
#include "api/count_call.h"

#include "algos/algo.h"
#include "nbc/plan/plan.h"

/* The class of what is the same on all ranks: a vector, a block, or all blocks that a rank has; of
 * allgatherv all blocks. */
static int size_class(coll_kind kind, int64_t all, int p)
{
    const coll_shape *shape = &coll_shapes[kind];
    bool one_block =
        (shape->send == COLL_EACH) != (shape->recv == COLL_EACH) && !(shape->traits & COLL_REDUCES);

    if (!coll_has_common_size(kind))
        return -1;
    return stats_size_class(one_block ? all / p : all);
}

void count_call(coll_kind kind, coll_bytes bytes, const comm *c, exec *e, stats_form form,
                bool repeats)
{
    stats_call call = {.form = form,
                       .key = {.comm = c->stats_index,
                               .kind = (int32_t)kind,
                               .algo = ALGO_NONE,
                               .size_class = size_class(kind, bytes.all, c->p)},
                       .bytes = bytes.given,
                       .repeats = repeats};

    if (!e) {
        stats_left(&call);
        return;
    }
    e->stats.count = call;
    if (e->plan)
        plan_fill_stats(e->plan, &e->stats.count);
}
