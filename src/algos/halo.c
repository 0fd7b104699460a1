/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c - see halo.h: which bundles there are, by what has been exchanged. */
#include "algos/halo.h"

#include <string.h>

/* ---- bundles ---- */

/* Are both blocks in one bundle? */
static bool are_together(const halo *h, const halo_edge *a, const halo_edge *b)
{
    return a->node == b->node && a->group == b->group &&
           (h->split != HALO_OF_SOURCES || a->from == b->from);
}

static int count_bundles(const halo *h, const halo_edges *e)
{
    int n = e->n > 0;

    for (int i = 1; i < e->n; i++)
        n += !are_together(h, e->bundled[i - 1], e->bundled[i]);
    return n;
}

static bool make_side(const halo *h, const halo_edges *e, halo_bundles *result, sched_builder *s)
{
    halo_bundle *at;

    halo_sort_by_group(h, e);
    at = sched_borrow(s, (size_t)count_bundles(h, e) * sizeof *at + 1);
    if (!at)
        return false;
    *result = (halo_bundles){at, 0};
    for (int i = 0; i < e->n; i++) {
        if (i == 0 || !are_together(h, e->bundled[i - 1], e->bundled[i])) {
            halo_bundle *x = &at[result->n++];
            *x = (halo_bundle){.edge = &e->bundled[i]};
            halo_assign(h, e->bundled[i], e == &h->leaving, x);
        }
        at[result->n - 1].n++;
    }
    return true;
}

/* ---- inside the node ---- */

bool halo_is_collected(const halo_bundle *x)
{
    return x->edge[0]->from != x->carrier || x->edge[x->n - 1]->from != x->carrier;
}

bool halo_is_one_message(const halo *h, int from, int to)
{
    enum { MOST = 16384 }; /* to copy more takes longer than a message */
    int64_t direct = *halo_between(h, h->direct, from, to);
    int64_t collected = *halo_between(h, h->collected, from, to);

    return direct > 0 && collected > 0 && direct + collected <= MOST;
}

static void count_collected(const halo *h)
{
    size_t members = (size_t)halo_members(h);

    memset(h->collected, 0, members * members * sizeof *h->collected);
    for (int i = 0; i < h->out.n; i++) {
        const halo_bundle *x = &h->out.at[i];
        int carrier = halo_member(h, x->carrier);
        for (int k = 0; k < x->n; k++)
            if (x->edge[k]->from != x->carrier)
                *halo_between(h, h->collected, x->edge[k]->from_at, carrier) += x->edge[k]->fresh;
    }
}

/* ---- what is fresh, and pieces of the rest ---- */

/* What the third round has found for the receiver of these bundles. NULL: blocks have other lengths
 * at their sources. */
static const int64_t *read_fresh(const halo *h, const int64_t *at)
{
    bool fits = true;

    for (int i = 0; i < h->in.n; i++)
        for (int k = 0; h->in.at[i].receiver == h->me && k < h->in.at[i].n; k++) {
            halo_edge *e = h->in.at[i].edge[k];
            e->fresh = *at++;
            e->npieces = (int)*at++;
            fits &= e->npieces > 0 || e->fresh == e->length;
        }
    return fits ? at : NULL;
}

static const int64_t *take_pieces(halo_edge *e, const int64_t *at)
{
    e->piece = (const byte_range *)(const void *)at;
    return at + HALO_PIECE * e->npieces;
}

static bool pieces_fit(const halo_edge *e)
{
    int64_t length = 0;

    for (int i = 0; i < e->npieces; i++)
        length += e->piece[i].length;
    return e->npieces == 0 || length == e->length;
}

/* Mine are in the order of my list; then come, to a receiver, those of others. */
static bool read_pieces(const halo *h, int ndestinations, const int64_t *at, sched_builder *s)
{
    halo_edge **mine = sched_borrow(s, (size_t)ndestinations * sizeof(halo_edge *) + 1);

    if (!mine)
        return false;
    for (int i = 0; i < h->leaving.n; i++)
        if (h->leaving.listed[i]->from == h->me)
            mine[h->leaving.listed[i]->position] = h->leaving.listed[i];
    for (int i = 0; i < ndestinations; i++)
        if (mine[i])
            at = take_pieces(mine[i], at);
    for (int i = 0; i < h->in.n; i++)
        for (int k = 0; h->in.at[i].receiver == h->me && k < h->in.at[i].n; k++) {
            at = take_pieces(h->in.at[i].edge[k], at);
            if (!pieces_fit(h->in.at[i].edge[k]))
                return sched_fail(s, SCHED_MISMATCH);
        }
    return true;
}

static void set_offsets(halo_bundles *all)
{
    for (halo_bundle *x = all->at; x < all->at + all->n; x++)
        for (int k = 0; k < x->n; k++) {
            halo_edge *e = x->edge[k];
            const halo_edge *last = k > 0 ? x->edge[k - 1] : e;
            e->offset = x->length;
            e->part = k > 0 && last->from == e->from ? last->part : x->length;
            x->length += e->fresh;
        }
}

static void finish_bundles(halo *h)
{
    count_collected(h);
    set_offsets(&h->out);
    set_offsets(&h->in);
}

static bool make_bundles(halo *h, int split, sched_builder *s)
{
    h->split = split;
    return make_side(h, &h->leaving, &h->out, s) && make_side(h, &h->coming, &h->in, s);
}

/* Set `fresh` to the most that it can be: what all blocks of a source for the group have, up to
 * this one, or what is fresh in all of its blocks for the node, if that is less. */
static bool limit_fresh(halo *h, sched_builder *s)
{
    int64_t *for_node = sched_borrow(s, (size_t)halo_members(h) * sizeof *for_node);
    int64_t for_group = 0, fresh = 0; /* of the blocks up to here: their bytes, and what is fresh */
    const halo_edge *last = NULL;

    for (int i = 0; for_node && i < h->leaving.n; i++) {
        halo_edge *e = h->leaving.bundled[i];
        if (!last || last->node != e->node)
            memset(for_node, 0, (size_t)halo_members(h) * sizeof *for_node);
        if (!last || !are_together(h, last, e) || last->from != e->from)
            for_group = fresh = 0;
        for_node[e->from_at] += e->listed;
        for_group += e->length;
        e->fresh = (for_group < for_node[e->from_at] ? for_group : for_node[e->from_at]) - fresh;
        fresh += e->fresh;
        last = e;
    }
    return for_node != NULL;
}

bool halo_make_bundles(halo *h, int split, sched_builder *s)
{
    bool made = make_bundles(h, split, s) && limit_fresh(h, s);

    if (made)
        finish_bundles(h);
    return made;
}

bool halo_read(halo *h, int split, const algo_options *o, const group *g, sched_builder *s)
{
    const int64_t *at;

    if (!halo_read_edges(h, split, o, g, s) || !make_bundles(h, split, s))
        return false;
    at = h->rest;
    if (o->round > HALO_LISTS && !(at = read_fresh(h, at)))
        return sched_fail(s, SCHED_MISMATCH);
    if (o->round > HALO_LISTS + 1 && !read_pieces(h, o->neighbors->ndestinations, at, s))
        return false;
    finish_bundles(h);
    return true;
}
