/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant_reduce.c - see circulant.h.
 *
 * What comes first is received in the buffer of the sum and combined with what I contribute, later
 * items come to scratch: two rows in turn. Of an odd number of items one is still missing in the
 * sum then, and is copied: for it alone every MPI would pack all of the next message. The last one
 * to come is received in the buffer of the result, and the sum is added to it.
 */
#include "algos/circulant.h"

/* One round: R[skip .. skip + n - 1] are sent to me + skip, R[0 .. n-1] come from me - skip. */
typedef struct round {
    const group *g;
    const blockmap *items;
    const blockrow *from; /* where R is */
    const blockrow *got;  /* where it comes to */
    const blockrow *sum;  /* where the result goes: `from`, or `got` */
    int skip, n;
    bool split; /* circulant_send */
} round;

/* How many of the n items from `first` on lie before the end of the vector. */
static int before_end(const blockmap *b, int first, int n)
{
    int left = b->n - wrap(first, b->n);

    return n < left ? n : left;
}

void circulant_send(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n,
                    int peer)
{
    int head = before_end(b, first, n);

    send_row(s, b, row, first, head, peer);
    if (head < n)
        send_row(s, b, row, first + head, n - head, peer);
}

void circulant_recv(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n,
                    int peer)
{
    int head = before_end(b, first, n);

    recv_row(s, b, row, first, head, peer);
    if (head < n)
        recv_row(s, b, row, first + head, n - head, peer);
}

static void exchange_reduce(const round *r, sched_builder *s)
{
    int me = r->g->index, to = peer(r->g, me + r->skip), from = peer(r->g, me - r->skip);

    if (r->split) {
        circulant_send(s, r->items, r->from, me + r->skip, r->n, to);
        circulant_recv(s, r->items, r->got, me, r->n, from);
    } else {
        send_row(s, r->items, r->from, me + r->skip, r->n, to);
        recv_row(s, r->items, r->got, me, r->n, from);
    }
    reduce_row(s, r->items, r->sum == r->got ? r->from : r->got, r->sum, me, r->n);
}

/* Where sums lie meanwhile, and where items come to, two rows in turn. */
typedef struct rows {
    const blockrow *result;
    blockrow own, spare[2];
    bool received; /* my items are in `own` already */
    bool split;
    bool late; /* results lie where other pieces are still to be sent: they are copied at last */
} rows;

static rows make_rows(const circulant *c, const blockmap *items, const blockrow *sum,
                      const blockrow *result, int me, sched_builder *s)
{
    rows w = {.result = result, .split = sum != NULL};
    int early;

    w.own = sum ? *sum : scratch_items(s, items, me, c->skip[c->rounds - 1]);
    w.received = same_row(&w.own, &items->out);
    early = w.received ? 0 : 1; /* rounds that need no scratch */
    for (int k = early; k < 2 + early && k < c->rounds; k++)
        w.spare[k % 2] = scratch_items(s, items, me, circulant_over(c, c->rounds - 1 - k));
    return w;
}

static void run_rounds(const circulant *c, const group *g, const blockmap *items, const rows *w,
                       sched_builder *s)
{
    int me = g->index;
    bool received = w->received;

    for (int k = c->rounds - 1; k >= 0; k--, received = true) {
        bool last = k == 0 && !same_row(&w->own, w->result);
        bool direct =
            last && !w->late && (received || !in_place(items)); /* else `result` is what I send */
        const blockrow *got = received ? &w->spare[(c->rounds - 1 - k) % 2] : &w->own;
        round r = {.g = g, .items = items, .skip = c->skip[k], .n = circulant_over(c, k)};

        r.split = w->split || !received; /* scratch of my own begins with R[0] */
        r.from = received ? &w->own : &items->out;
        r.got = direct ? w->result : got;
        r.sum = received && !direct ? &w->own : r.got;
        exchange_reduce(&r, s);
        if (last && !direct && !w->late)
            copy_row(s, items, &w->own, w->result, me, 1);
        if (!received)
            copy_row(s, items, &items->out, &w->own, me + r.n, r.skip - r.n);
    }
}

/* Pieces go through all rounds one after the other, a few at a time, and not round by round: so a
 * link is always full, whoever is late. */
void circulant_reduce_scatter(const group *g, const blockmap *items, const blockrow *sum,
                              const blockrow *result, sched_builder *s)
{
    circulant c = circulant_make(g->size);
    int slices = slices_of(items, s);
    rows w;

    if (c.rounds == 0) {
        copy_row(s, items, &items->out, result, g->index, 1);
        return;
    }
    w = make_rows(&c, items, sum, result, g->index, s);
    w.late = slices > 1 && in_place(items) && !same_row(&w.own, result);
    if (slices > 1)
        sched_throttle(s, SLICES_IN_FLIGHT * (g->size - 1));
    for (int q = 0; q < slices; q++) {
        blockmap part = slice(items, q, s);
        run_rounds(&c, g, &part, &w, s);
    }
    if (w.late)
        copy_row(s, items, &w.own, result, g->index, 1);
    if (slices > 1)
        sched_rounds(s, false);
}
