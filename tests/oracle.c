/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.c - see oracle.h. */
#include "oracle.h"

static const uint64_t prime = 4294967291u; /* 2^32 - 5 */

/* splitmix64's last steps: equal only by a rare accident for different arguments. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Any number as a map, with a from 1 to prime - 1: so no operand ever hides the ones before it. */
static uint64_t map_of(uint64_t x)
{
    return (1 + (x >> 32) % (prime - 1)) << 32 | (x & 0xffffffffu) % prime;
}

uint64_t oracle_sent(const oracle *o, int from, int to, int64_t i)
{
    uint64_t ranks = (uint64_t)from << 32 | (uint64_t)to << 16 | (uint64_t)o->turn;
    uint64_t value = mix(mix(ranks + 1) + (uint64_t)i * 0x9e3779b97f4a7c15u);

    return o->noncommutative ? map_of(value) : value;
}

void oracle_add(const uint64_t *in, uint64_t *inout, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        inout[i] += in[i];
}

void oracle_compose(const uint64_t *in, uint64_t *inout, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t a = in[i] >> 32, b = in[i] & 0xffffffffu;
        uint64_t c = inout[i] >> 32, d = inout[i] & 0xffffffffu;

        inout[i] = a * c % prime << 32 | (a * d + b) % prime;
    }
}

/* ---- the families ---- */

uint64_t oracle_allgather(const oracle *o, int me, int block, int64_t i)
{
    (void)me;
    return oracle_sent(o, block, 0, i);
}

uint64_t oracle_alltoall(const oracle *o, int me, int block, int64_t i)
{
    return oracle_sent(o, block, me, i);
}

/* Nothing is received. */
uint64_t oracle_barrier(const oracle *o, int me, int block, int64_t i)
{
    (void)o, (void)me, (void)block, (void)i;
    return 0;
}

uint64_t oracle_bcast(const oracle *o, int me, int block, int64_t i)
{
    (void)me, (void)block;
    return oracle_sent(o, o->root, 0, i);
}

/* Ranks 0 to last combined, rank 0 leftmost, of what they send to `to`. */
static uint64_t sum(const oracle *o, int last, int to, int64_t i)
{
    uint64_t sum = oracle_sent(o, last, to, i);

    for (int r = last - 1; r >= 0; r--) {
        uint64_t left = oracle_sent(o, r, to, i);
        (o->noncommutative ? oracle_compose : oracle_add)(&left, &sum, 1);
    }
    return sum;
}

uint64_t oracle_allreduce(const oracle *o, int me, int block, int64_t i)
{
    (void)me, (void)block;
    return sum(o, o->p - 1, 0, i);
}

uint64_t oracle_reduce(const oracle *o, int me, int block, int64_t i)
{
    return oracle_allreduce(o, me, block, i);
}

uint64_t oracle_reduce_scatter(const oracle *o, int me, int block, int64_t i)
{
    (void)block;
    return sum(o, o->p - 1, me, i);
}

uint64_t oracle_scan(const oracle *o, int me, int block, int64_t i)
{
    (void)block;
    return sum(o, me, 0, i);
}

/* Rank 0 receives nothing. */
uint64_t oracle_exscan(const oracle *o, int me, int block, int64_t i)
{
    (void)block;
    return me > 0 ? sum(o, me - 1, 0, i) : 0;
}

uint64_t oracle_gather(const oracle *o, int me, int block, int64_t i)
{
    return oracle_allgather(o, me, block, i);
}

uint64_t oracle_scatter(const oracle *o, int me, int block, int64_t i)
{
    (void)block;
    return oracle_sent(o, o->root, me, i);
}

/* `block` is a rank: which of its blocks, and where it lies, is a matter of the topology. */
uint64_t oracle_neighbor_alltoall(const oracle *o, int me, int block, int64_t i)
{
    return oracle_sent(o, block, me, i);
}

typedef uint64_t received(const oracle *o, int me, int block, int64_t i);

static received *const families[COLL_KINDS] = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    [COLL_##name] = oracle_##family,
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
};

bool oracle_is_common(coll_kind kind)
{
    received *f = families[kind];

    return f == oracle_allgather || f == oracle_bcast || f == oracle_allreduce;
}

uint64_t oracle_received(const oracle *o, int me, int block, int64_t i)
{
    return families[o->kind](o, me, block, i);
}
