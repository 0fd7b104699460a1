/* SPDX-License-Identifier: BSD-3-Clause */
/* waker.h - whoever sleeps until there is something to advance: the progress thread. */
#ifndef TUTTI_WAKER_H
#define TUTTI_WAKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* outlives: what has been started goes on when the call that starts it has returned. */
typedef void waker(bool outlives);

extern _Atomic(waker *) waker_registered;

/* NULL: nobody to wake. */
static inline void waker_set(waker *wake)
{
    atomic_store(&waker_registered, wake);
}

/* After each start, and when something else is to be polled: it may be asleep, or not there yet. */
static inline void waker_wake(bool outlives)
{
    waker *wake = atomic_load_explicit(&waker_registered, memory_order_relaxed);

    if (wake)
        wake(outlives);
}

#endif
