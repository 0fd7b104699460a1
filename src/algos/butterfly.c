/* SPDX-License-Identifier: BSD-3-Clause */
/* butterfly.c - see butterfly.h. */
#include "algos/butterfly.h"

#include "algos/algo.h"

butterfly butterfly_halving(fold f, int member)
{
    butterfly b = {.rounds = ceil_log2(f.power), .at = fold_number(f, member)};

    for (int k = 0; k < b.rounds; k++)
        b.with[k] = fold_member(f, b.at ^ 1 << (b.rounds - 1 - k));
    return b;
}

accumulator accumulator_make(const blockmap *items, sched_builder *s)
{
    return (accumulator){.items = items, .s = s, .received = same_row(&items->in, &items->out)};
}

static const blockrow *next_spare(accumulator *a)
{
    blockrow *spare = &a->spare[a->used % 2];

    if (a->used++ < 2)
        *spare = scratch_row(a->s, a->items);
    return spare;
}

void accumulate(accumulator *a, int first, int n, int from)
{
    const blockmap *b = a->items;
    const blockrow *got = a->received ? next_spare(a) : &b->in;

    recv_row(a->s, b, got, first, n, from);
    reduce_row(a->s, b, a->received ? got : &b->out, &b->in, first, n);
    a->received = true;
}

/* The items that I keep in round k; the others begin at `first` with that bit changed. */
static int half_at(const butterfly *f, int k, int *first)
{
    int half = 1 << (f->rounds - 1 - k);

    *first = f->at & -half;
    return half;
}

void butterfly_reduce_scatter(const butterfly *f, const group *g, accumulator *a)
{
    for (int k = 0; k < f->rounds; k++) {
        int first, half = half_at(f, k, &first), with = peer(g, f->with[k]);

        send_row(a->s, a->items, a->received ? &a->items->in : &a->items->out, first ^ half, half,
                 with);
        accumulate(a, first, half, with);
    }
}

void butterfly_allgather(const butterfly *f, const group *g, const blockmap *items,
                         sched_builder *s)
{
    for (int k = f->rounds - 1; k >= 0; k--) {
        int first, half = half_at(f, k, &first), with = peer(g, f->with[k]);

        send_blocks(s, items, first, half, 1, with);
        recv_blocks(s, items, first ^ half, half, 1, with);
    }
}

void butterfly_allreduce(const butterfly *f, const group *g, accumulator *a)
{
    const blockmap *b = a->items;

    sched_phase(a->s, "reduce-scatter");
    butterfly_reduce_scatter(f, g, a);
    if (!a->received)
        copy_row(a->s, b, &b->out, &b->in, 0, b->n);
    sched_phase(a->s, "allgather");
    butterfly_allgather(f, g, b, a->s);
}
