/* SPDX-License-Identifier: BSD-3-Clause */
/* rest.c - see rest.h.
 *
 *   yield --took long--> NAPS times: a nap, BURST turns without rest --> yield
 *
 * sched_yield is best as long as it comes back soon: nobody else wants the processor, or those who
 * do yield as well. Beside programs that compute it comes back only after a time slice of each of
 * them (Linux 6.18 lets whoever yields forfeit one of its own), for every message anew. A thread
 * that sleeps keeps its claim and is given the processor when it wakes up. So a yield that took
 * long is followed by naps, each twice as long as the one before, which costs others little however
 * long the wait is. Behind each nap the thread looks for some 30 us: what comes in answer to what
 * it found, messages of the program's among it, need not wait for a nap each.
 *
 * A yield that took longer than one alone, but no time slice, has let somebody else run who yields
 * as well: most likely the rank that this one waits for, on the same processor, where the kernel
 * had put both. Each such yield halves the turns before the next one, each quick one doubles them.
 *
 * Where processes of the job share processors, a yield takes as long as those need that have work:
 * that says nothing of other programs, and nobody naps.
 */
#include "nbc/process/rest.h"

#include "nbc/process/clock.h"
#include "nbc/process/simulated.h"

#include <sched.h>

enum { NAPS = 100, NAP = 50 * 1000 /* ns */, DOUBLED = 4, BURST = 256 };
static const double slow = 1e-3;  /* seconds; a time slice takes longer */
static const double alone = 2e-6; /* a yield to nobody takes less */

_Thread_local int rest_patience = REST_MOST;

static void nap_after(int before)
{
    struct timespec t = {0, (long)NAP << (before < DOUBLED ? before : DOUBLED)};

    nanosleep(&t, NULL);
}

atomic_bool rest_shared;

void rest_share(bool shared)
{
    atomic_store_explicit(&rest_shared, shared, memory_order_relaxed);
}

/* Returns how long it took. */
static double yield(void)
{
    double before = clock_now(), took;

    sched_yield();
    took = clock_now() - before;
    if (took < alone)
        rest_patience = rest_patience < REST_MOST / 2 ? 2 * rest_patience : REST_MOST;
    else if (took < slow && rest_patience > 1)
        rest_patience /= 2;
    return took;
}

bool rest(int again)
{
    static _Thread_local int naps, turns, last; /* turns: of one wait, with naps */

    if (rest_shares()) {
        sched_yield();
        return true;
    }
    if (again == 0 || again < last)
        turns = 0;
    last = again;
    if (naps > 0) {
        if (turns % BURST == 0) {
            naps--;
            nap_after(turns / BURST);
        }
        turns++;
        return true;
    }
    double took = yield();
    if (took > slow && !simulated()) /* a nap would take simulated time */
        naps = NAPS;
    turns = 0;
    return naps > 0;
}
