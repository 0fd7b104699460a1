/* SPDX-License-Identifier: BSD-3-Clause */
/* rest.h - a thread that waits: how long it looks, and when it gives its processor away. */
#ifndef TUTTI_REST_H
#define TUTTI_REST_H

#include <stdatomic.h>
#include <stdbool.h>

/* Do processes of this job share processors (node/crowd.h)? Then what a thread waits for needs the
 * processor on which it looks. */
void rest_share(bool shared);
extern atomic_bool rest_shared;

static inline bool rest_shares(void)
{
    return atomic_load_explicit(&rest_shared, memory_order_relaxed);
}

/* How many fruitless turns a wait takes before it rests: at most REST_MOST; fewer while others have
 * been given the processor (rest.c). */
enum { REST_MOST = 500 };
extern _Thread_local int rest_patience;

static inline int rest_after(void)
{
    return rest_shares() ? 1 : rest_patience;
}

/* After fruitless turns. `again`: rests since the last fruitful turn, or any number that does not
 * fall until the next one. Returns whether to rest again after one more fruitless turn, else only
 * after as many as before. */
bool rest(int again);

/* One fruitless turn more of a wait, in which there have been *idle since the last fruitful one. */
static inline void rest_turn(int *idle)
{
    if (++*idle >= rest_after() && !rest(*idle - rest_after()))
        *idle = 0;
}

#endif
