/* SPDX-License-Identifier: BSD-3-Clause */
/* fold_check.c - see fold_check.h. */
#include "tune/fold_check.h"

/* The next message from step i on, or NULL. */
static const step *message_from(const sched *s, int *i)
{
    while (*i < s->nsteps && !step_is_message(&s->steps[*i]))
        ++*i;
    return *i < s->nsteps ? &s->steps[(*i)++] : NULL;
}

/* Bytes that it copies and reduces. */
static int64_t local_bytes(const sched *s)
{
    int64_t sum = 0;

    for (int i = 0; i < s->nsteps; i++)
        for (int k = 0; !step_is_message(&s->steps[i]) && k < s->steps[i].n; k++)
            sum += (int64_t)s->list[s->steps[i].first + k].length;
    return sum;
}

/* Does a rank of another node do the same as the one that stands for it? One of them may have to
 * copy, or reduce, in more pieces. */
static bool is_alike(const modeled_call *q, const choice *c, const machine_model *m,
                     sched *const *of, int rank)
{
    const fold *f = &m->fold;
    int rep = f->who[f->of[rank]], i = 0, k = 0;
    sched *a = modeled_call_compile(q, c, m, rank), *b = of[f->of[rank]];
    bool same = a && a->nmessages == b->nmessages && local_bytes(a) == local_bytes(b);

    while (same) {
        const step *x = message_from(a, &i), *y = message_from(b, &k);
        if (!x)
            break;
        same = x->kind == y->kind && f->of[x->peer] == f->of[y->peer] &&
               fold_is_far(f, rank, x->peer) == fold_is_far(f, rep, y->peer);
    }
    sched_free(a);
    return same;
}

/* Some of them are asked. In a tree, which of what is asked about only reductions have, the first
 * one is not like those between. */
bool fold_holds(const modeled_call *q, const choice *c, const machine_model *m, sched *const *of)
{
    return (!coll_has(q->kind, COLL_REDUCES) || is_alike(q, c, m, of, 0)) &&
           is_alike(q, c, m, of, m->p / 5) && is_alike(q, c, m, of, m->p / 3) &&
           is_alike(q, c, m, of, m->p / 2);
}
