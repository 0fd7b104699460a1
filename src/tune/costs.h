/* SPDX-License-Identifier: BSD-3-Clause */
/* costs.h - what a step costs, in whole numbers: then nothing depends on how a compiler orders
 * additions. Times are picoseconds, rates picoseconds for 2^20 bytes. Pure.
 */
#ifndef TUTTI_COSTS_H
#define TUTTI_COSTS_H

#include "nbc/sched/sched.h"

static inline int64_t costs_time(double seconds)
{
    return (int64_t)(seconds * 1e12 + 0.5);
}

/* Time of 1 MiB; 0, if the bandwidth is 0. */
static inline int64_t costs_rate(double bytes_per_second)
{
    return bytes_per_second > 0 ? costs_time((1 << 20) / bytes_per_second) : 0;
}

static inline int64_t costs_work(int64_t bytes, int64_t rate)
{
    return (int64_t)((__int128)bytes * rate >> 20);
}

static inline int64_t costs_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A message is as long as its intervals; COPY and REDUCE name what they write after what they
 * read. count: items of an element (sched_cut), of `size` bytes each. */
static inline int64_t costs_bytes(const sched *s, const step *st, int64_t count, int64_t size)
{
    int64_t sum = 0;

    for (int k = 0; k < (step_is_message(st) ? st->n : st->n > 0); k++) {
        interval x = s->list[st->first + k];
        sum +=
            sched_items(s->parts, count, interval_end(x)) - sched_items(s->parts, count, x.offset);
    }
    return sum * size;
}

#endif
