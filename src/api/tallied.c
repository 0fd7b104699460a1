/* SPDX-License-Identifier: BSD-3-Clause */
/* tallied.c - see tallied.h. */
#include "api/tallied.h"

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
    return tally_size_class(one_block ? all / p : all);
}

void tallied(coll_kind kind, coll_bytes bytes, const comm *c, exec *e, tally_form form,
             bool repeats)
{
    tally_call call = {.form = form,
                       .key = {.comm = c->tally,
                               .kind = (int32_t)kind,
                               .algo = ALGO_NONE,
                               .size_class = size_class(kind, bytes.all, c->p)},
                       .bytes = bytes.given,
                       .repeats = repeats};

    if (!e) {
        tally_left(&call);
        return;
    }
    e->stats.tally = call;
    if (e->plan)
        plan_tally(e->plan, &e->stats.tally);
}
