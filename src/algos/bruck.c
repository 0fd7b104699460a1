/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.c - the rounds of Bruck's index algorithm, and the algorithm as published. */
#include "algos/bruck.h"

bruck_round bruck_first(int p, int radix)
{
    return (bruck_round){.p = p, .radix = radix, .weight = 1, .digit = 1};
}

bool bruck_valid(const bruck_round *t)
{
    return t->weight < t->p;
}

void bruck_next(bruck_round *t)
{
    t->digit++;
    if (t->digit < t->radix && t->digit * t->weight < t->p)
        return;
    t->digit = 1;
    t->weight *= t->radix;
    t->phase++;
}

int bruck_distance(const bruck_round *t)
{
    return (int)(t->digit * t->weight);
}

bool bruck_moves(const bruck_round *t, int j)
{
    return j / t->weight % t->radix == t->digit;
}

int bruck_next_range(const bruck_round *t, int *j)
{
    int64_t cycle = t->weight * t->radix, at = *j % cycle, begin = t->digit * t->weight;
    int64_t first = *j, end;

    if (at < begin)
        first += begin - at;
    else if (at >= begin + t->weight)
        first += begin - at + cycle;
    if (first >= t->p)
        return 0;
    end = first - first % t->weight + t->weight;
    *j = (int)first;
    return (int)((end < t->p ? end : t->p) - first);
}

int bruck_count(const bruck_round *t)
{
    int sum = 0;

    for (int j = 0, n; (n = bruck_next_range(t, &j)); j += n)
        sum += n;
    return sum;
}

/* Blocks of the phase that has most. */
static int largest_phase(int p, int radix)
{
    int most = 0, sum = 0, phase = 0;

    for (bruck_round t = bruck_first(p, radix); bruck_valid(&t); bruck_next(&t)) {
        sum = (t.phase == phase ? sum : 0) + bruck_count(&t);
        phase = t.phase;
        most = sum > most ? sum : most;
    }
    return most;
}

int bruck_phases(int p, int radix)
{
    int n = 0;

    for (int64_t weight = 1; weight < p; weight *= radix)
        n++;
    return n;
}

int64_t bruck_volume(int p, int radix)
{
    int64_t sum = 0;

    for (bruck_round t = bruck_first(p, radix); bruck_valid(&t); bruck_next(&t))
        sum += bruck_count(&t);
    return sum;
}

/* ---- the algorithm as published ---- */

/* Pack the blocks of the round, send them, receive as many, and unpack them to the same positions.
 */
static void exchange_round(const bruck_round *t, const group *g, sched_builder *s, interval blocks,
                           interval pack, interval got, int64_t length)
{
    int at = 0;

    for (int j = 0, n; (n = bruck_next_range(t, &j)); j += n, at += n)
        sched_copy(s, part_of(blocks, j, n, length), part_of(pack, at, n, length));
    sched_send(s, part_of(pack, 0, at, length), peer(g, g->index + bruck_distance(t)));
    sched_recv(s, part_of(got, 0, at, length), peer(g, g->index - bruck_distance(t)));
    at = 0;
    for (int j = 0, n; (n = bruck_next_range(t, &j)); j += n, at += n)
        sched_copy(s, part_of(got, at, n, length), part_of(blocks, j, n, length));
}

void bruck_index(const group *g, const blockmap *b, sched_builder *s, int radix)
{
    int p = g->size, me = g->index, room = largest_phase(p, radix), used = 0, phase = 0;
    int64_t length = (int64_t)block(b, 0).length;
    interval blocks = sched_scratch(s, p * length);
    interval pack = sched_scratch(s, 2 * room * length); /* two phases in turn: the next one's */
    interval got = sched_scratch(s, 2 * room * length);  /* messages find a buffer to arrive in */

    copy_out(s, b, me, p, blocks);
    for (bruck_round t = bruck_first(p, radix); bruck_valid(&t); bruck_next(&t)) {
        int n = bruck_count(&t);

        if (t.phase != phase)
            used = t.phase % 2 * room;
        phase = t.phase;
        exchange_round(&t, g, s, blocks, part_of(pack, used, n, length),
                       part_of(got, used, n, length), length);
        used += n;
    }
    for (int j = 0; j < p; j++)
        sched_copy(s, part_of(blocks, j, 1, length), block(b, me - j));
}
