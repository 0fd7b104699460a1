/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.c - splitmix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers on every machine. */
#include "fuzz.h"

static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t mix(uint64_t a, uint64_t b)
{
    return scramble(scramble(a + 0x9e3779b97f4a7c15u) ^ (b + 0x9e3779b97f4a7c15u));
}

uint64_t rng_next(rng *r)
{
    return scramble(r->state += 0x9e3779b97f4a7c15u);
}

int rng_below(rng *r, int n)
{
    return n > 1 ? (int)(rng_next(r) % (uint64_t)n) : 0;
}

bool rng_chance(rng *r, int percent)
{
    return rng_below(r, 100) < percent;
}
