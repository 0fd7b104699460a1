/* allreduce_circulant.c - reduce-scatter and allgather in fewest rounds for any number of ranks.
 *
 *   p = 5, skips 3, 2, 1      rank me holds R[i], its part of what rank me + i will own
 *   reduce    send R[3..4] to me + 3, R[2] to me + 2, R[1] to me + 1; reduce what comes into
 *             R[0..1], R[0], R[0]
 *   gather    the same way back: send R[0] to me - 1, R[0] to me - 2, R[0..1] to me - 3
 *
 * The skips are those of circulant.h: with s' = p, and s = ceil(s' / 2) until s is 1, a round sends
 * R[s .. s'-1] and receives s' - s parts. A part that comes for the first time is received at its
 * place and combined with the send buffer, later ones come to scratch: two vectors in turn. Every
 * part is reduced on one rank in one order: all ranks get the same bits.
 *
 * 2 ceil(log2 p) alpha + 2 n (p-1)/p beta. For middle and large vectors, any p. Needs an operation
 * that commutes, of MPI's. Traeff, arXiv 2410.14234.
 */
#include "algos/algo.h"
#include "algos/circulant.h"

typedef struct ranges {
    const group *g;
    blockmap items;
    sched_builder *s;
    blockrow spare[2]; /* scratch */
    int placed;        /* R[0 .. placed-1] lie at their places, the others where they came from */
} ranges;

/* The parts R[first .. first + n - 1], from where they lie. */
static void send_range(const ranges *r, int first, int n, int to)
{
    int me = r->g->index, early = first + n < r->placed ? n : r->placed - first;

    if (early < 0)
        early = 0;
    sched_open(r->s, STEP_SEND, to);
    add_row(r->s, &r->items, &r->items.in, me + first, early);
    add_row(r->s, &r->items, &r->items.out, me + first + early, n - early);
    sched_close(r->s);
}

/* R[0 .. n-1] are reduced with what comes. */
static void reduce_range(ranges *r, int n, int from, const blockrow *spare)
{
    int me = r->g->index, early = n < r->placed ? n : r->placed;
    const blockmap *items = &r->items;

    sched_open(r->s, STEP_RECV, from);
    add_row(r->s, items, spare, me, early);
    add_row(r->s, items, &items->in, me + early, n - early);
    sched_close(r->s);
    reduce_row(r->s, items, spare, &items->in, me, early);
    reduce_row(r->s, items, &items->out, &items->in, me + early, n - early);
    if (n > r->placed)
        r->placed = n;
}

/* The parts that are sent over skip k, and come back over it. */
static int over(const circulant *c, int k)
{
    return c->skip[k + 1] - c->skip[k];
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    circulant c = circulant_make(g->size);
    int me = g->index, early = in_place(b) ? 0 : 1; /* rounds that need no scratch */
    ranges r = {.g = g, .items = cut(b, g->size, s), .s = s};

    (void)o;
    if (!r.items.list)
        return;
    r.placed = in_place(b) ? g->size : 0;
    for (int i = 0; i < 2 && i + early < c.rounds; i++)
        r.spare[i] = scratch_row(s, b);
    if (g->size == 1 && !in_place(b))
        copy_row(s, b, &b->out, &b->in, 0, b->n);
    sched_phase(s, "reduce-scatter");
    for (int k = c.rounds - 1; k >= 0; k--) {
        send_range(&r, c.skip[k], over(&c, k), peer(g, me + c.skip[k]));
        reduce_range(&r, over(&c, k), peer(g, me - c.skip[k]),
                     &r.spare[(c.rounds - 1 - k + early) % 2]);
    }
    sched_phase(s, "allgather");
    for (int k = 0; k < c.rounds; k++) {
        send_row(s, &r.items, &b->in, me, over(&c, k), peer(g, me - c.skip[k]));
        recv_row(s, &r.items, &b->in, me + c.skip[k], over(&c, k), peer(g, me + c.skip[k]));
    }
}

static algo_cost cost(int p, int parameter)
{
    (void)parameter;
    return (algo_cost){.messages = 2 * ceil_log2(p), .blocks = 2.0 * (p - 1) / p};
}

const algo algo_allreduce_circulant = {
    .name = "circulant",
    .kind = COLL_allreduce,
    .summary = "reduce-scatter over skips p/2, p/4, ..., and allgather back over them",
    .steps = "2 ceil(log2 p)",
    .volume = "2(p-1)/p vectors",
    .restriction = "any; MPI's ops",
    .source = "Traeff, arXiv 2410.14234",
    .commutes = true,
    .parts = algo_parts_of_ranks,
    .compile = compile,
    .cost = cost,
};
