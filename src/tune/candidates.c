/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.c - see candidates.h. */
#include "tune/candidates.h"

#include <stdlib.h>

/* Bytes of a block, or vector, up to which messages of several go whole, and of all from which they
 * go one by one. */
enum { STEP_MOST = 256 << 10, BLOCK_LEAST = 8 << 10 };

typedef struct candidates {
    choice choice[CANDIDATES_MOST];
    int n;
} candidates;

static void add_candidate(candidates *all, choice c)
{
    if (all->n < CANDIDATES_MOST)
        all->choice[all->n++] = c;
}

/* Where one form is never the better one it is not looked at. */
static void add_forms(candidates *all, const forecaster *q, choice c)
{
    bool forms = algo_table[c.algo]->has_forms;
    int64_t bytes = q->asked.count * q->asked.size,
            all_bytes = coll_is_vector(q->asked.kind) ? bytes : bytes * q->whole.p;

    c.form = FORM_STEP;
    if (!forms || bytes <= STEP_MOST)
        add_candidate(all, c);
    c.form = FORM_BLOCK;
    if (forms && all_bytes >= BLOCK_LEAST)
        add_candidate(all, c);
}

bool candidates_have_pieces(const choice *c)
{
    const algo *a = algo_table[c->algo];

    return a->parameter.most == PIECES_MOST && !(a->has_forms && c->form == FORM_STEP);
}

/* On cores that ranks share whole vectors first: pieces are tried after them. */
static void find_candidates(candidates *all, const forecaster *q)
{
    const forecast_call *call = q->call;
    coll c = {.kind = call->kind,
              .p = call->p,
              .noncommutative = call->noncommutative,
              .user_op = call->user_op};

    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        choice one;
        if (!algo_serves(a, call->kind) || algo_refuses(a, &c) || algo_set_has(&call->without, i) ||
            !select_named(i, 0, call->p, 0, &one))
            continue;
        if (q->shares_cores && candidates_have_pieces(&one))
            one.parameter = 1;
        do
            add_forms(all, q, one);
        while (a->variants && a->variants[++one.variant]);
    }
}

static int compare_candidates(const void *left, const void *right)
{
    const candidate *a = left, *b = right;

    if (a->first_estimate.time != b->first_estimate.time)
        return a->first_estimate.time < b->first_estimate.time ? -1 : 1;
    if (a->first_estimate.steps != b->first_estimate.steps)
        return a->first_estimate.steps < b->first_estimate.steps ? -1 : 1;
    return a->number - b->number;
}

/* Has one whose ranks are reordered the same estimate as one before it? Then they have the best
 * order already, or no order matters. */
static bool is_known_candidate(const candidate *list, int n, const candidate *c)
{
    bool known = false;

    for (int i = n - 1; i >= 0 && !known && list[i].first_estimate.time == c->first_estimate.time;
         i--)
        known = list[i].first_estimate.steps == c->first_estimate.steps &&
                list[i].choice.form == c->choice.form && !algo_table[list[i].choice.algo]->orders;
    return known && algo_table[c->choice.algo]->orders;
}

static int drop_known(candidate *list, int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++)
        if (!is_known_candidate(list, kept, &list[i]))
            list[kept++] = list[i];
    return kept;
}

int candidates_find(forecaster *q, candidate list[CANDIDATES_MOST])
{
    candidates all = {.n = 0};
    int n = 0;

    find_candidates(&all, q);
    for (int i = 0; i < all.n; i++) {
        candidate c = {.choice = all.choice[i], .number = i};
        if (forecaster_first_estimate(q, &c.choice, &c.first_estimate))
            list[n++] = c;
    }
    qsort(list, (size_t)n, sizeof *list, compare_candidates);
    return drop_known(list, n);
}
