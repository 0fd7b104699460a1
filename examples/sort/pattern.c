/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern.c - see pattern.h. */
#include "pattern.h"

#include <stddef.h>
#include <string.h>

/* splitmix64: the i-th number of a sequence. Steele, Lea, Flood, OOPSLA 2014. */
static uint64_t uniform(uint64_t seed, uint64_t i, uint64_t n)
{
    uint64_t z = (seed << 32) + (i + 1) * 0x9e3779b97f4a7c15;

    (void)n;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t few(uint64_t seed, uint64_t i, uint64_t n)
{
    return uniform(seed, i, n) % 10;
}

static uint64_t equal(uint64_t seed, uint64_t i, uint64_t n)
{
    (void)seed, (void)i, (void)n;
    return 7;
}

/* As many numbers of each length in bits. */
static uint64_t skewed(uint64_t seed, uint64_t i, uint64_t n)
{
    return uniform(seed, i, n) >> (uniform(~seed, i, n) % 64);
}

static uint64_t sorted(uint64_t seed, uint64_t i, uint64_t n)
{
    (void)seed, (void)n;
    return i;
}

static uint64_t reversed(uint64_t seed, uint64_t i, uint64_t n)
{
    (void)seed;
    return n - i;
}

pattern *pattern_find(const char *name)
{
    static const struct {
        const char *name;
        pattern *function;
    } patterns[] = {{"uniform", uniform}, {"few", few},       {"equal", equal},
                    {"skewed", skewed},   {"sorted", sorted}, {"reversed", reversed}};

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(name, patterns[i].name) == 0)
            return patterns[i].function;
    return NULL;
}
