/* SPDX-License-Identifier: BSD-3-Clause */
/* planner.c - see planner.h. */
#include "tune/planner.h"

#include "tune/memory.h"
#include "tune/size.h"

#include <string.h>

_Thread_local bool tune_out_of_memory;

/* CLOSED_ERROR: by which factor a closed form may be too short or too long. FITTING_PART: within
 * one such part of the best time other pieces are tried. */
enum { CLOSED_ERROR = 2, FITTING_PART = 4 };

/* ---- the list ---- */

typedef struct listing {
    forecast *list;
    int n;
} listing;

int64_t planner_score(const forecast *f)
{
    return f->executed ? f->time : CLOSED_ERROR * f->time;
}

/* Is it faster, or, if both take as long, earlier in algos.def, and so simpler? */
static bool is_before(const forecast *f, const forecast *other)
{
    int64_t time = planner_score(f), others = planner_score(other);

    return time < others || (time == others && f->choice.algo < other->choice.algo);
}

static void insert(listing *l, const forecast *f)
{
    int i = l->n++;

    for (; i > 0 && is_before(f, &l->list[i - 1]); i--)
        l->list[i] = l->list[i - 1];
    l->list[i] = *f;
}

/* What takes longer is neither the best, nor the next, nor as good as try_fitting asks for. */
static int64_t time_limit(const listing *l)
{
    int64_t least[2], fitting;
    int n = 0;

    for (int i = 0; i < l->n && n < 2; i++)
        if (l->list[i].executed && !l->list[i].longer)
            least[n++] = l->list[i].time;
    if (n < 2)
        return ESTIMATE_ALL;
    fitting = least[0] + least[0] / FITTING_PART;
    return fitting > least[1] ? fitting : least[1];
}

/* Too slow by its closed form to be executed? Closed forms of ranks that share cores are less
 * right.
 */
static bool is_too_slow(const forecaster *q, const forecast *f, const listing *l)
{
    int64_t error = q->shares_cores ? 2 * CLOSED_ERROR : CLOSED_ERROR;

    return l->n > 0 && f->time / error >= planner_score(&l->list[0]);
}

static void try(forecaster *q, const choice *c, const first_estimate *first, listing *l)
{
    forecast f = {.choice = *c, .time = first->time};

    if (!is_too_slow(q, &f, l))
        forecaster_execute(q, c, first, time_limit(l), &f);
    if (l->n < PLANNER_MOST)
        insert(l, &f);
}

/* Pieces of less are not worth their messages. */
enum { PIECE_LEAST = 2048 };

static void try_parameter(forecaster *q, choice c, int pieces, listing *l)
{
    first_estimate first;

    c.parameter = pieces;
    if (q->asked.count * q->asked.size / pieces >= PIECE_LEAST &&
        forecaster_first_estimate(q, &c, &first))
        try(q, &c, &first, l);
}

/* The fastest one with other numbers of pieces, if they can be executed: closed forms are too short
 * and would win. */
static void try_pieces(forecaster *q, listing *l)
{
    choice c = l->list[0].choice;
    int had = c.parameter > 0 ? c.parameter : 1;

    if (!l->list[0].executed || !candidates_have_pieces(&c))
        return;
    for (int n = 4; n <= 64; n *= 4)
        if (n != c.parameter && forecaster_affords(q, &c, n > had ? n / had : 1))
            try_parameter(q, c, n, l);
}

/* Into how many pieces it has to be cut that no message between nodes waits for its receive, where
 * that is slower when others come the other way. 0: none does, or it does not matter. */
static int pieces_that_fit(const forecaster *q, const choice *c)
{
    const way_constants *k = &q->call->k->way[WAY_NETWORK];
    int64_t longest, eager = (int64_t)k->eager, n;

    if (q->is_large || k->both >= k->shared || eager < PIECE_LEAST || !candidates_have_pieces(c))
        return 0;
    longest = modeled_call_longest_message(&q->asked, c, &q->whole);
    n = (longest + eager - 1) / eager * (c->parameter > 0 ? c->parameter : 1);
    return longest > eager && n <= PIECES_MOST ? (int)n : 0;
}

/* The same of the fastest ones that wait: what seems to be as fast as others may gain by it. */
static void try_fitting(forecaster *q, listing *l)
{
    enum { FEW = 3 };
    choice of[FEW];
    int pieces[FEW], n = 0;

    for (int i = 0; i < l->n && n < FEW; i++) {
        const forecast *f = &l->list[i];
        if (!f->executed || f->time - l->list[0].time > l->list[0].time / FITTING_PART)
            break;
        pieces[n] = pieces_that_fit(q, &f->choice);
        of[n] = f->choice;
        n += pieces[n] > 0;
    }
    for (int i = 0; i < n; i++)
        try_parameter(q, of[i], pieces[i], l);
}

/* Is there another one that may be as fast, so far as executions on samples say? */
static bool is_tied(const listing *l)
{
    return l->n > 1 && planner_score(&l->list[1]) / CLOSED_ERROR < planner_score(&l->list[0]);
}

/* Move one to where its new time belongs. */
static void move_forecast(listing *l, int i, const forecast *f)
{
    l->n--;
    memmove(l->list + i, l->list + i + 1, (size_t)(l->n - i) * sizeof *l->list);
    insert(l, f);
}

/* False: it is too much work. */
static bool verify_one(forecaster *q, listing *l, int i)
{
    forecast f = l->list[i];

    if (!forecaster_verify(q, &f))
        return false;
    move_forecast(l, i, &f);
    return true;
}

/* All that are tied for the best are executed on the whole machine, or none is: else those would
 * win of which the least is known. */
static void verify_first(forecaster *q, listing *l)
{
    forecast before[PLANNER_MOST];
    int n = l->n;

    memcpy(before, l->list, (size_t)n * sizeof *before);
    while (!l->list[0].verified && (is_tied(l) || l->list[0].longer))
        if (!verify_one(q, l, 0)) {
            memcpy(l->list, before, (size_t)n * sizeof *before);
            l->n = n;
            break;
        }
}

/* The fastest by its closed form alone, if it could be the best; or -1. */
static int find_promising(const listing *l)
{
    int found = -1;
    int64_t least = planner_score(&l->list[0]);

    for (int i = 1; i < l->n; i++)
        if (!l->list[i].executed && l->list[i].time < least) {
            found = i;
            least = l->list[i].time;
        }
    return found;
}

/* Those with a closed form only are executed where there is time for it. */
static void verify(forecaster *q, listing *l)
{
    int i;

    verify_first(q, l);
    while (l->list[0].verified && (i = find_promising(l)) > 0)
        if (!verify_one(q, l, i))
            break;
}

/* On shared cores who has one when is not known so well that a little less counts against a simpler
 * one. Ranks of a scan leave when theirs is done: calls one after the other overlap, and few
 * messages count for more than how long one call takes. */
static int64_t simple_most(coll_kind kind, int64_t least)
{
    enum { LITTLE = 8, SCANS = 4 };
    coll_kind family = coll_shapes[kind].family;

    return family == COLL_scan || family == COLL_exscan ? SCANS * least : least + least / LITTLE;
}

/* Put to the front, of all that take no longer than `most`, the one that is first in algos.def. */
static void prefer_simple(listing *l, coll_kind kind)
{
    int64_t most = simple_most(kind, l->list[0].time);
    forecast first;
    int at = 0;

    for (int i = 1; i < l->n; i++) {
        const forecast *f = &l->list[i];
        if (f->executed && !f->longer && f->choice.algo < l->list[at].choice.algo &&
            f->time <= most)
            at = i;
    }
    first = l->list[at];
    memmove(l->list + 1, l->list, (size_t)at * sizeof first);
    l->list[0] = first;
}

int planner_list(const forecast_call *call, forecast list[PLANNER_MOST])
{
    candidate all[PLANNER_MOST];
    listing l = {.list = list};
    forecaster q;
    int n;

    tune_out_of_memory = false;
    forecaster_begin(&q, call);
    n = candidates_find(&q, all);
    for (int i = 0; i < n; i++)
        try(&q, &all[i].choice, &all[i].first_estimate, &l);
    if (l.n > 0) {
        try_fitting(&q, &l);
        try_pieces(&q, &l);
        verify(&q, &l);
    }
    if (q.shares_cores && l.n > 0)
        prefer_simple(&l, call->kind);
    forecaster_end(&q);
    return tune_out_of_memory ? PLANNER_NO_MEMORY : l.n;
}

int planner_class(coll_kind kind, int p, int64_t bytes)
{
    return size_class(coll_is_vector(kind) ? bytes : bytes / p);
}

int64_t planner_octave(coll_kind kind, int p, int64_t bytes)
{
    int64_t blocks = coll_is_vector(kind) ? 1 : p, each = bytes / blocks;

    return each < 4 ? bytes : blocks << (63 - __builtin_clzll((unsigned long long)each));
}

/* Sizes of one class are estimated as the least of it. */
static forecast_call forecast_call_of(const coll *c, int64_t bytes, const algo_set *without,
                                      const topo *t, const constants *k)
{
    int64_t least = size_least(planner_class(c->kind, c->p, bytes));

    return (forecast_call){.kind = c->kind,
                           .p = c->p,
                           .bytes = coll_is_vector(c->kind) ? least : least * c->p,
                           .noncommutative = c->noncommutative,
                           .user_op = c->user_op,
                           .without = *without,
                           .t = t,
                           .k = k};
}

int planner_choose(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                   const constants *k, choice *result, forecast best[2], const char **why)
{
    forecast list[PLANNER_MOST];
    forecast_call call = forecast_call_of(c, bytes, without, t, k);
    int n = select_rule(c, call.bytes, without, result, why) ? 0 : planner_list(&call, list);

    n = n > 2 ? 2 : n;
    for (int i = 0; i < n; i++)
        best[i] = list[i];
    if (n <= 0)
        return n;
    *result = list[0].choice;
    result->by_rule = true;
    *why = "the fastest by the estimate";
    return n;
}

int planner_best(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                 const constants *k, forecast *best)
{
    forecast all[PLANNER_MOST];
    forecast_call call = forecast_call_of(c, bytes, without, t, k);
    int n = coll_has_common_size(c->kind) ? planner_list(&call, all) : 0;

    if (n <= 0)
        return n;
    *best = all[0];
    best->choice.by_rule = true;
    return 1;
}
