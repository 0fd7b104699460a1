/* SPDX-License-Identifier: BSD-3-Clause */
/* hand.c - see hand.h. One function for each family; p ranks, n bytes a block.
 *
 *   allgather       to and from all others at once                          (p-1) n
 *   alltoall        one partner after the other                             p-1 phases
 *   barrier         dissemination: distance 1, 2, 4, ...                    log2 p phases
 *   bcast           a binomial tree; the children of a rank all at once     log2 p phases
 *   reduce          a binomial tree                                         log2 p phases
 *   allreduce       recursive doubling; who is beyond the power of two gives its vector away before
 *                   and gets the result after                               log2 p phases
 *   reduce_scatter  one partner after the other                             p-1 phases
 *   gather, scatter the root and all others at once                         (p-1) n at the root
 *   scan, exscan    a chain                                                 p-1 phases
 *   neighborhoods   all at once                                             a phase
 *
 * Of two vectors that a rank adds up one is its own: what comes is received where the sum will be.
 */
#include "hand.h"

#include <stdlib.h>

/* ---- the words ---- */

static hand_phase *current(hand *h)
{
    return &h->phases[h->nphases - 1];
}

static hand_phase before(const hand *h)
{
    return h->nphases > 1 ? h->phases[h->nphases - 2] : (hand_phase){0};
}

/* Has nothing been said since the phase began? */
static bool is_empty(hand *h)
{
    hand_phase last = before(h), *now = current(h);

    return now->messages == last.messages && now->copies == last.copies &&
           now->reductions == last.reductions;
}

/* The next phase. */
static void phase(hand *h)
{
    if (h->nphases == 0) {
        h->nphases = 1;
    } else if (!is_empty(h)) {
        h->phases[h->nphases] = *current(h);
        h->nphases++;
    }
}

static void message(hand *h, bool sends, char *block, int peer, int tag)
{
    h->messages[current(h)->messages++] =
        (hand_message){.sends = sends, .block = block, .peer = peer, .tag = tag};
}

static void send(hand *h, char *block, int to)
{
    message(h, true, block, to, 0);
}

static void receive(hand *h, char *block, int from)
{
    message(h, false, block, from, 0);
}

static void copy(hand *h, const char *from, char *to)
{
    h->copies[current(h)->copies++] = (hand_local){from, to};
}

static void reduce(hand *h, const char *from, char *to)
{
    h->reductions[current(h)->reductions++] = (hand_local){from, to};
}

/* ---- the families ---- */

static char *at(char *buffer, const run *r, int block)
{
    return buffer + (size_t)block * (size_t)r->size;
}

/* The rank so many after this one, on the circle. */
static int rank_at(const run *r, int distance)
{
    return (r->rank + distance % r->p + r->p) % r->p;
}

static void make_allgather(const run *r, hand *h)
{
    phase(h);
    for (int k = 1; k < r->p; k++) {
        receive(h, at(r->recv, r, rank_at(r, -k)), rank_at(r, -k));
        send(h, r->send, rank_at(r, k));
    }
    copy(h, r->send, at(r->recv, r, r->rank));
}

/* Whom to send to in step k, and from whom to receive: one rank where p is a power of two. */
static void find_partners(const run *r, int k, int *to, int *from)
{
    bool power = !(r->p & (r->p - 1));

    *to = power ? r->rank ^ k : rank_at(r, k);
    *from = power ? r->rank ^ k : rank_at(r, -k);
}

static void make_alltoall(const run *r, hand *h)
{
    int to, from;

    for (int k = 1; k < r->p || k == 1; k++) {
        phase(h);
        find_partners(r, k, &to, &from);
        if (k < r->p) {
            receive(h, at(r->recv, r, from), from);
            send(h, at(r->send, r, to), to);
        }
        if (k == 1)
            copy(h, at(r->send, r, r->rank), at(r->recv, r, r->rank));
    }
}

static void make_barrier(const run *r, hand *h)
{
    for (int d = 1; d < r->p; d *= 2) {
        phase(h);
        receive(h, r->recv, rank_at(r, -d));
        send(h, r->send, rank_at(r, d));
    }
}

/* From the root on: its number is 0. */
static int number(const run *r)
{
    return rank_at(r, -r->root);
}

static int rank_of(const run *r, int number)
{
    return (number + r->root) % r->p;
}

static void make_bcast(const run *r, hand *h)
{
    int me = number(r), d = 1;

    while (d < r->p && !(me & d))
        d *= 2;
    if (me) {
        phase(h);
        receive(h, r->recv, rank_of(r, me - d));
    }
    phase(h);
    while ((d /= 2) > 0)
        if (me + d < r->p)
            send(h, r->recv, rank_of(r, me + d));
}

static void make_reduce(const run *r, hand *h)
{
    int me = number(r), d;
    char *sum = me ? h->scratch[0] : r->recv;
    bool alone = true; /* the sum is what I send myself */

    for (d = 1; d < r->p && !(me & d); d *= 2) {
        if (me + d >= r->p)
            continue;
        phase(h);
        receive(h, alone ? sum : h->scratch[1], rank_of(r, me + d));
        reduce(h, alone ? r->send : h->scratch[1], sum);
        alone = false;
    }
    if (me || alone)
        phase(h);
    if (me)
        send(h, alone ? r->send : sum, rank_of(r, me - d));
    else if (alone)
        copy(h, r->send, sum);
}

static void make_allreduce(const run *r, hand *h)
{
    int power = 1, me = r->rank;
    char *have = r->send; /* my sum so far */

    while (2 * power <= r->p)
        power *= 2;
    phase(h);
    if (me >= power) {
        send(h, have, me - power);
        phase(h);
        receive(h, r->recv, me - power);
        return;
    }
    if (me + power < r->p) {
        receive(h, r->recv, me + power);
        reduce(h, have, r->recv);
        have = r->recv;
    }
    for (int d = 1; d < power; d *= 2) {
        bool first = have == r->send;
        phase(h);
        receive(h, first ? r->recv : h->scratch[0], me ^ d);
        send(h, have, me ^ d);
        reduce(h, first ? have : h->scratch[0], r->recv);
        have = r->recv;
    }
    if (r->p == 1)
        copy(h, have, r->recv);
    phase(h);
    if (me + power < r->p)
        send(h, r->recv, me + power);
}

static void make_reduce_scatter(const run *r, hand *h)
{
    int to, from;

    phase(h);
    if (r->p == 1)
        copy(h, r->send, r->recv);
    for (int k = 1; k < r->p; k++) {
        char *come = k == 1 ? r->recv : h->scratch[0];
        find_partners(r, k, &to, &from);
        receive(h, come, from);
        send(h, at(r->send, r, to), to);
        reduce(h, k == 1 ? at(r->send, r, r->rank) : come, r->recv);
        phase(h);
    }
}

static void make_gather(const run *r, hand *h)
{
    phase(h);
    if (r->rank != r->root) {
        send(h, r->send, r->root);
        return;
    }
    for (int k = 1; k < r->p; k++)
        receive(h, at(r->recv, r, rank_at(r, k)), rank_at(r, k));
    copy(h, r->send, at(r->recv, r, r->rank));
}

static void make_scatter(const run *r, hand *h)
{
    phase(h);
    if (r->rank != r->root) {
        receive(h, r->recv, r->root);
        return;
    }
    for (int k = 1; k < r->p; k++)
        send(h, at(r->send, r, rank_at(r, k)), rank_at(r, k));
    copy(h, at(r->send, r, r->rank), r->recv);
}

static void make_scan(const run *r, hand *h)
{
    phase(h);
    if (r->rank > 0) {
        receive(h, r->recv, r->rank - 1);
        reduce(h, r->send, r->recv);
        phase(h);
    } else {
        copy(h, r->send, r->recv);
    }
    if (r->rank < r->p - 1)
        send(h, r->rank ? r->recv : r->send, r->rank + 1);
}

static void make_exscan(const run *r, hand *h)
{
    bool last = r->rank == r->p - 1;

    phase(h);
    if (r->rank == 0) {
        if (!last)
            send(h, r->send, 1);
        return;
    }
    receive(h, r->recv, r->rank - 1);
    if (last)
        return;
    phase(h);
    copy(h, r->recv, h->scratch[0]);
    reduce(h, r->send, h->scratch[0]);
    phase(h);
    send(h, h->scratch[0], r->rank + 1);
}

/* What goes in one direction arrives at the opposite side. */
static void make_neighbor_alltoall(const run *r, hand *h)
{
    bool each = coll_shapes[r->what].send != COLL_ONE;

    phase(h);
    for (int i = 0; i < r->blocks; i++) {
        char *block = each ? at(r->send, r, i) : r->send;
        if (r->neighbors[i] == r->rank) {
            copy(h, block, at(r->recv, r, i ^ 1));
            continue;
        }
        message(h, false, at(r->recv, r, i), r->neighbors[i], i);
        message(h, true, block, r->neighbors[i], i ^ 1);
    }
}

/* ---- make ---- */

typedef void make(const run *r, hand *h);

static make *const families[COLL_KINDS] = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    [COLL_##name] = make_##family,
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
};

hand *hand_make(const run *r)
{
    size_t n = 2 * (size_t)(r->p > r->blocks ? r->p : r->blocks) + 2; /* of anything */
    size_t block = r->size ? (size_t)r->size : 1;
    hand *h = calloc(1, sizeof *h);

    if (!h)
        return NULL;
    *h = (hand){.phases = calloc(n, sizeof *h->phases),
                .messages = calloc(n, sizeof *h->messages),
                .copies = calloc(n, sizeof *h->copies),
                .reductions = calloc(n, sizeof *h->reductions),
                .scratch = {calloc(block, 1), calloc(block, 1)},
                .requests = calloc(n, sizeof *h->requests)};
    if (!h->phases || !h->messages || !h->copies || !h->reductions || !h->scratch[0] ||
        !h->scratch[1] || !h->requests) {
        hand_free(h);
        return NULL;
    }
    families[r->what](r, h);
    if (h->nphases > 0 && is_empty(h))
        h->nphases--;
    return h;
}

void hand_free(hand *h)
{
    if (!h)
        return;
    free(h->requests);
    free(h->scratch[1]);
    free(h->scratch[0]);
    free(h->reductions);
    free(h->copies);
    free(h->messages);
    free(h->phases);
    free(h);
}
