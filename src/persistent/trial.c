/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.c - see trial.h. */
#include "persistent/trial.h"

#include "nbc/comm/windows.h"
#include "nbc/plan/plan.h"
#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/process_wisdom.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/engine.h"
#include "tune/select.h"

#include <stdio.h>
#include <stdlib.h>

int64_t (*trial_test_time)(int candidate, int round, int rank);

/* ---- who wins ---- */

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static int64_t median_of(const int64_t *times, int n, int candidate)
{
    int64_t sorted[TRIAL_ROUNDS];

    for (int round = 0; round < TRIAL_ROUNDS; round++)
        sorted[round] = times[round * n + candidate];
    qsort(sorted, TRIAL_ROUNDS, sizeof *sorted, compare_times);
    return (sorted[(TRIAL_ROUNDS - 1) / 2] + sorted[TRIAL_ROUNDS / 2]) / 2;
}

/* How many rounds it has been faster in than the first one. */
static int rounds_won(const int64_t *times, int n, int candidate)
{
    int won = 0;

    for (int round = 0; round < TRIAL_ROUNDS; round++)
        won += times[round * n + candidate] < times[round * n];
    return won;
}

int trial_winner(const int64_t *times, int n, int64_t *median)
{
    int64_t first = median_of(times, n, 0);
    int winner = 0;

    *median = first;
    for (int i = 1; i < n; i++) {
        int64_t m = median_of(times, n, i);
        if (m <= first / 20 * 19 && m < *median && rounds_won(times, n, i) >= TRIAL_ROUNDS - 1) {
            *median = m;
            winner = i;
        }
    }
    return winner;
}

/* ---- starts ---- */

static int64_t length(const trial *t)
{
    return (int64_t)t->n * (1 + TRIAL_ROUNDS);
}

/* Which one runs in this start. In each round they begin with another one. */
static int candidate_of(const trial *t, int64_t start)
{
    return start < length(t) ? (int)((start + start / t->n) % t->n) : 0;
}

bool trial_is_over(const trial *t)
{
    return t->winner >= 0;
}

exec *trial_next(const trial *t)
{
    return t->candidate[trial_is_over(t) ? t->winner : candidate_of(t, t->start)];
}

void trial_begin(trial *t, exec *e)
{
    if (t->start == length(t)) {
        e->beside = t->vote;
        engine_start(t->vote);
    }
    t->start++;
    t->inside = 0;
}

void trial_enter(trial *t)
{
    t->entered = clock_now();
}

void trial_leave(trial *t)
{
    t->inside += clock_now() - t->entered;
}

/* All ranks have found the same, and rank 0 remembers it. */
static void remember_winner(const trial *t, const exec *e, int64_t median)
{
    verdict v = {
        .key = t->key, .choice = t->choice[t->winner], .ns = median, .starts = TRIAL_ROUNDS};

    if (e->comm->rank == 0 && !coll_has((coll_kind)e->plan->key.kind, COLL_NEIGHBORS))
        process_wisdom_learn(&v);
}

/* "; lane:ring,block 12.3 us" of each candidate. */
static void print_times(const trial *t, char *text, size_t size)
{
    size_t n = 0;

    *text = '\0';
    for (int i = 0; i < t->n && n < size; i++) {
        char name[64];
        select_print(&t->choice[i], name, sizeof name);
        n += (size_t)snprintf(text + n, size - n, "; %s %.3g us", name,
                              1e-3 * (double)median_of(t->slowest, t->n, i));
    }
}

/* For people. */
static void say_winner(const trial *t, const exec *e)
{
    char name[64], times[TRIAL_MOST * 96];

    if (!env_verbose() || e->comm->rank != 0)
        return;
    select_print(&t->choice[t->winner], name, sizeof name);
    print_times(t, times, sizeof times);
    env_say_here("persistent %s on %d ranks: measured, goes on by %s (medians of %d starts%s)",
                 coll_kind_name((coll_kind)e->plan->key.kind), e->comm->p, name, TRIAL_ROUNDS,
                 times);
}

static void count_votes(trial *t, exec *e)
{
    int64_t median;

    e->beside = NULL;
    atomic_store_explicit(&t->vote->state, EXEC_IDLE, memory_order_relaxed);
    if (t->vote->run.error) { /* others may know the winner: no more operations there */
        e->comm->failure = t->vote->run.error;
        t->winner = 0;
        return;
    }
    t->winner = trial_winner(t->slowest, t->n, &median);
    remember_winner(t, e, median);
    say_winner(t, e);
}

void trial_note(trial *t, const exec *e, bool native)
{
    int64_t start = t->start - 1, round = start / t->n - 1;
    int candidate = candidate_of(t, start);
    double seconds = native ? e->stats.seconds : t->inside;

    if (trial_is_over(t))
        return;
    if (start == length(t))
        count_votes(t, t->candidate[0]);
    else if (round >= 0)
        t->mine[round * t->n + candidate] =
            trial_test_time ? trial_test_time(candidate, (int)round, e->comm->rank)
                            : 1 + (int64_t)(1e9 * seconds);
}

static void give_back(exec *e)
{
    e->beside = NULL;
    e->stats.count.form = STATS_FORM_NONE;
    comm_persistent_release(e->comm, &e->ticket);
    plan_return_exec(e);
}

void trial_free(trial *t, const exec *kept)
{
    for (int i = 0; i < t->n; i++)
        if (t->candidate[i] && t->candidate[i] != kept)
            give_back(t->candidate[i]);
    if (t->vote)
        give_back(t->vote);
    free(t);
}
