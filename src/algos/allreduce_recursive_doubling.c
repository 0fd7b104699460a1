/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_recursive_doubling.c - swap the whole vector with a rank at distance 1, 2, 4, ...
 *
 *   p = 6    fold       0 -> 1   2 -> 3        pairs while there are more than 4 ranks
 *            swap       1 <-> 3   4 <-> 5      then 1 <-> 4   3 <-> 5
 *            unfold     0 <- 1   2 <- 3
 *
 * Whoever swaps has reduced a range of ranks, and its partner the range beside it: the lower one is
 * the left operand, on both sides. So operations need not commute, and all ranks get the same bits;
 * where these do not depend on which is the left one, it is whichever saves a copy.
 *
 * What comes from below is reduced into what I have; what I have is reduced into what comes from
 * above, and the two buffers change their roles. Three buffers in turn, so that the next message
 * finds a buffer to come to; their names are given so that the last result lies in RECV.
 *
 * ceil(log2 p) (alpha + n beta), two more where p is no power of two; up to two vectors of scratch.
 * For small vectors, for operations that do not commute, and for those of the program.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"
#include "algos/fold.h"

enum { SWAPS = 33, BUFFERS = 3 };

/* Something comes; from a lower member, it is the left operand. */
typedef struct swap {
    int with; /* member */
    bool left, sends;
    int have, into; /* buffers: what I have, where it comes to */
} swap;

typedef struct swaps {
    int n, last; /* last: the buffer that the result is in */
    swap at[SWAPS];
} swaps;

static void add_swap(swaps *w, const algo_options *o, const group *g, int with, bool sends)
{
    w->at[w->n++] = (swap){.with = with, .left = with < g->index && !o->symmetric, .sends = sends};
}

/* Whom I swap with, in which order. */
static void find_swaps(swaps *w, const algo_options *o, const group *g, fold f)
{
    int me = fold_number(f, g->index);

    if (fold_paired(f, g->index))
        add_swap(w, o, g, g->index - 1, false);
    for (int d = 1; d < f.power; d *= 2)
        add_swap(w, o, g, fold_member(f, me ^ d), true);
}

/* Which buffer each one comes to: of those that hold nothing the one that was used longest ago. */
static void name_buffers(swaps *w)
{
    int used[BUFFERS] = {0}, have = 0;

    for (int i = 0; i < w->n; i++) {
        int into = have == 0 ? 1 : 0;
        for (int k = 0; k < BUFFERS; k++)
            if (k != have && used[k] < used[into])
                into = k;
        w->at[i].have = have;
        w->at[i].into = into;
        used[have] = used[into] = i + 1;
        if (!w->at[i].left)
            have = into;
    }
    w->last = have;
}

/* The buffers: the last one is RECV, the others scratch, if they are used at all. */
static void assign_buffers(const swaps *w, const blockmap *b, blockrow rows[BUFFERS],
                           sched_builder *s)
{
    bool used[BUFFERS] = {false};

    for (int i = 0; i < w->n; i++)
        used[w->at[i].have] = used[w->at[i].into] = true;
    for (int k = 0; k < BUFFERS; k++)
        if (k == w->last)
            rows[k] = b->in;
        else if (used[k])
            rows[k] = scratch_row(s, b);
}

static void run_swaps(const swaps *w, const group *g, const blockmap *b,
                      const blockrow rows[BUFFERS], sched_builder *s)
{
    const blockrow *have = &b->out;

    /* in place, RECV may be wanted before I have reduced what lies there */
    if (in_place(b) && !same_row(have, &rows[0])) {
        copy_row(s, b, have, &rows[0], 0, b->n);
        have = &rows[0];
    }
    for (int i = 0; i < w->n; i++) {
        const swap *x = &w->at[i];

        if (x->sends)
            send_row(s, b, have, 0, b->n, peer(g, x->with));
        recv_row(s, b, &rows[x->into], 0, b->n, peer(g, x->with));
        if (!x->left) {
            reduce_row(s, b, have, &rows[x->into], 0, b->n);
            have = &rows[x->into];
            continue;
        }
        if (!same_row(have, &rows[x->have]))
            copy_row(s, b, have, &rows[x->have], 0, b->n);
        have = &rows[x->have];
        reduce_row(s, b, &rows[x->into], have, 0, b->n);
    }
    if (!same_row(have, &b->in)) /* nobody else is there */
        copy_row(s, b, have, &b->in, 0, b->n);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    fold f = fold_make(g->size);
    int me = g->index;
    swaps w = {.n = 0};
    blockrow rows[BUFFERS];

    if (fold_leaves(f, me)) {
        send_row(s, b, &b->out, 0, b->n, peer(g, me + 1));
        recv_row(s, b, &b->in, 0, b->n, peer(g, me + 1));
        return;
    }
    find_swaps(&w, o, g, f);
    name_buffers(&w);
    assign_buffers(&w, b, rows, s);
    run_swaps(&w, g, b, rows, s);
    if (fold_paired(f, me))
        send_row(s, b, &b->in, 0, b->n, peer(g, me - 1));
}

static algo_cost cost(int p, int parameter)
{
    double n = ceil_log2(p) + (p & (p - 1) ? 1 : 0);

    return (algo_cost){.messages = n, .blocks = n, .copies = 1};
}

const algo algo_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .kind = COLL_allreduce,
    .summary = "swap the whole vector at distance 1, 2, 4, ..., in the order of the ranks",
    .steps = "ceil(log2 p) + 1",
    .volume = "log2 p vectors",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .compile = compile,
    .cost = cost,
};
