/* circulant_reduce.c - see circulant_reduce.h.
 *
 * Items that come for the first time are received at the place of the sum and combined with what I
 * contribute, later ones come to scratch: two rows in turn. The last one to come is received at the
 * place of the result, and the sum is added to it: no copies.
 */
#include "algos/circulant_reduce.h"

#include "algos/circulant.h"

typedef struct ranges {
    const group *g;
    const blockmap *items;
    sched_builder *s;
    blockrow sum, result;
    blockrow spare[2]; /* scratch */
    int placed;        /* R[0 .. placed-1] lie in `sum`, the others where they came from */
} ranges;

/* The items R[first .. first + n - 1], from where they lie. */
static void send_range(const ranges *r, int first, int n, int to)
{
    int me = r->g->index, early = first + n < r->placed ? n : r->placed - first;

    if (early < 0)
        early = 0;
    sched_open(r->s, STEP_SEND, to);
    add_row(r->s, r->items, &r->sum, me + first, early);
    add_row(r->s, r->items, &r->items->out, me + first + early, n - early);
    sched_close(r->s);
}

/* R[0 .. n-1] are reduced with what comes. */
static void reduce_range(ranges *r, int n, int from, const blockrow *spare)
{
    int me = r->g->index, early = n < r->placed ? n : r->placed;
    const blockmap *items = r->items;

    sched_open(r->s, STEP_RECV, from);
    add_row(r->s, items, spare, me, early);
    add_row(r->s, items, &r->sum, me + early, n - early);
    sched_close(r->s);
    reduce_row(r->s, items, spare, &r->sum, me, early);
    reduce_row(r->s, items, &items->out, &r->sum, me + early, n - early);
    if (n > r->placed)
        r->placed = n;
}

/* R[0] is all there but for what comes now. If I contribute from where the result goes to, it must
 * not come there. */
static void reduce_last(const ranges *r, int from)
{
    const blockmap *items = r->items;
    int me = r->g->index;
    bool direct = r->placed > 0 || !in_place(items);
    const blockrow *to = direct ? &r->result : &r->sum;

    recv_row(r->s, items, to, me, 1, from);
    reduce_row(r->s, items, r->placed ? &r->sum : &items->out, to, me, 1);
    if (!direct)
        copy_row(r->s, items, to, &r->result, me, 1);
}

void circulant_reduce_scatter(const group *g, const blockmap *items, const blockrow *sum,
                              const blockrow *result, sched_builder *s)
{
    int p = g->size, me = g->index, early;
    circulant c = circulant_make(p);
    ranges r = {.g = g, .items = items, .s = s, .result = *result};

    r.sum = sum ? *sum : scratch_items(s, items, me, p / 2);
    r.placed = same_row(&r.sum, &items->out) ? p : 0;
    early = r.placed ? 0 : 1; /* rounds that need no scratch */
    for (int k = early; k < 2 + early && k < c.rounds; k++)
        r.spare[k % 2] = scratch_items(s, items, me, circulant_over(&c, c.rounds - 1 - k));
    if (p == 1)
        copy_row(s, items, &items->out, result, me, 1);
    for (int k = c.rounds - 1; k >= 0; k--) {
        int n = circulant_over(&c, k), from = peer(g, me - c.skip[k]);

        send_range(&r, c.skip[k], n, peer(g, me + c.skip[k]));
        if (k > 0 || same_row(&r.sum, &r.result))
            reduce_range(&r, n, from, &r.spare[(c.rounds - 1 - k) % 2]);
        else
            reduce_last(&r, from);
    }
}
