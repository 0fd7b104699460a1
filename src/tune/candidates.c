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

/* On cores that ranks share whole vectors first: pieces are tried behind them. */
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

static int compare_looks(const void *left, const void *right)
{
    const first_look *a = left, *b = right;

    if (a->sight.time != b->sight.time)
        return a->sight.time < b->sight.time ? -1 : 1;
    if (a->sight.steps != b->sight.steps)
        return a->sight.steps < b->sight.steps ? -1 : 1;
    return a->number - b->number;
}

/* Does one whose ranks are reordered look like one before it? Then they have the best order
 * already, or no order matters. */
static bool is_known_look(const first_look *list, int n, const first_look *c)
{
    bool known = false;

    for (int i = n - 1; i >= 0 && !known && list[i].sight.time == c->sight.time; i--)
        known = list[i].sight.steps == c->sight.steps && list[i].choice.form == c->choice.form &&
                !algo_table[list[i].choice.algo]->orders;
    return known && algo_table[c->choice.algo]->orders;
}

static int drop_known(first_look *list, int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++)
        if (!is_known_look(list, kept, &list[i]))
            list[kept++] = list[i];
    return kept;
}

int candidates_look(forecaster *q, first_look list[CANDIDATES_MOST])
{
    candidates all = {.n = 0};
    int n = 0;

    find_candidates(&all, q);
    for (int i = 0; i < all.n; i++) {
        first_look c = {.choice = all.choice[i], .number = i};
        if (forecaster_look(q, &c.choice, &c.sight))
            list[n++] = c;
    }
    qsort(list, (size_t)n, sizeof *list, compare_looks);
    return drop_known(list, n);
}
