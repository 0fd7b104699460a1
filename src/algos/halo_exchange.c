/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_exchange.c - see halo.h: the rounds of the size exchange. The first two stay inside the
 * node; in the others a rank sends a message to each group of each other node that it has edges to.
 */
#include "algos/halo.h"

/* ---- inside the node: lists ---- */

/* found: NULL in the first round, which asks how long they are. */
static void exchange_lists(const algo_options *o, const group *g, const regions *nodes,
                           const int64_t *found, sched_builder *s)
{
    const coll_neighbors *n = o->neighbors;
    int64_t words = found ? halo_list_words(n->ndestinations, n->nsources) : HALO_HEAD, at = 0;
    interval mine = interval_make(SPACE_SEND, 0, words);

    for (int k = 0; k < region_size(nodes, nodes->mine); k++) {
        int rank = region_rank(nodes, nodes->mine, k);
        interval theirs = interval_make(
            SPACE_RECV, at, found ? halo_list_words(found[2 * k], found[2 * k + 1]) : HALO_HEAD);
        if (rank == g->index) {
            sched_copy(s, mine, theirs);
        } else {
            sched_recv(s, theirs, rank);
            sched_send(s, mine, rank);
        }
        at = interval_end(theirs);
    }
}

/* ---- from each source to the receiver of its blocks ---- */

typedef struct exchange {
    const halo *h;
    sched_builder *s;
    bool pieces;         /* else what is fresh */
    const int64_t *list; /* word of SEND where my pieces for each destination begin */
} exchange;

/* Words of an edge in this round. */
static int64_t words_of(const exchange *x, const halo_edge *e)
{
    return x->pieces ? (int64_t)HALO_PIECE * e->npieces : 2;
}

/* The end of the edges of the same source. */
static int end_of_source(const halo_bundle *x, int first)
{
    int i = first + 1;

    while (i < x->n && x->edge[i]->from == x->edge[first]->from)
        i++;
    return i;
}

static int64_t receive_round(const exchange *x, int64_t at)
{
    for (int i = 0; i < x->h->in.n; i++) {
        const halo_bundle *b = &x->h->in.at[i];
        for (int first = 0, end; b->receiver == x->h->me && first < b->n; first = end) {
            int64_t words = 0;
            end = end_of_source(b, first);
            for (int k = first; k < end; k++)
                words += words_of(x, b->edge[k]);
            sched_recv(x->s, interval_make(SPACE_RECV, at, words), b->edge[first]->from);
            at += words;
        }
    }
    return at;
}

static interval sent_in_round(const exchange *x, const halo_edge *e)
{
    int64_t edge = HALO_HEAD + (int64_t)HALO_DESTINATION * e->at + 2;

    return interval_make(SPACE_SEND, x->pieces ? x->list[e->at] : edge, words_of(x, e));
}

static void send_round(const exchange *x)
{
    for (int i = 0; i < x->h->out.n; i++) {
        const halo_bundle *b = &x->h->out.at[i];
        sched_open(x->s, STEP_SEND, b->receiver);
        for (int k = 0; k < b->n; k++)
            if (b->edge[k]->from == x->h->me)
                sched_add(x->s, sent_in_round(x, b->edge[k]));
        sched_close(x->s);
    }
}

/* Of each destination's pieces; and the end. */
static int64_t *begins_of_pieces(const halo *h, const coll_neighbors *n, sched_builder *s)
{
    int64_t *at = sched_borrow(s, ((size_t)n->ndestinations + 1) * sizeof *at);

    if (!at)
        return NULL;
    for (int i = 0; i < h->leaving.n; i++)
        if (h->leaving.listed[i]->from == h->me)
            at[h->leaving.listed[i]->at + 1] = HALO_PIECE * h->leaving.listed[i]->npieces;
    at[0] = halo_list_words(n->ndestinations, n->nsources);
    for (int i = 0; i < n->ndestinations; i++)
        at[i + 1] += at[i];
    return at;
}

/* My own pieces are needed to compile, too. */
static void exchange_pieces(exchange *x, const coll_neighbors *n)
{
    const int64_t *at = begins_of_pieces(x->h, n, x->s);
    int64_t words = at ? at[n->ndestinations] - at[0] : 0;

    if (!at)
        return;
    x->list = at;
    sched_copy(x->s, interval_make(SPACE_SEND, at[0], words), interval_make(SPACE_RECV, 0, words));
    receive_round(x, words);
    send_round(x);
}

void halo_size_exchange(int split, const algo_options *o, const group *g, sched_builder *s)
{
    regions nodes;
    halo h;
    exchange x = {.h = &h, .s = s, .pieces = o->round > HALO_LISTS};

    if (o->round < HALO_LISTS) {
        if (halo_nodes(&nodes, g, s))
            exchange_lists(o, g, &nodes, o->round > 0 ? o->exchanged_sizes : NULL, s);
        return;
    }
    if (!halo_read(&h, split, o, g, s))
        return;
    if (x.pieces) {
        exchange_pieces(&x, o->neighbors);
    } else {
        receive_round(&x, 0);
        send_round(&x);
    }
}
