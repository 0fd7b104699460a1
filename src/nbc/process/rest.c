/* rest.c - see rest.h.
 *
 *   yield --took long--> NAPS naps --> yield
 *
 * sched_yield is best as long as it comes back soon: nobody else wants the processor, or those who
 * do yield as well. Beside programs that compute it comes back only after a time slice of each of
 * them (Linux 6.18 lets whoever yields forfeit one of its own), for every message anew. A thread
 * that sleeps keeps its claim and is given the processor when it wakes up. So a yield that took
 * long is followed by naps, each twice as long as the one before, which costs others little however
 * long the wait is.
 */
#include "nbc/process/rest.h"

#include "nbc/process/clock.h"
#include "nbc/process/simulated.h"

#include <sched.h>

enum { NAPS = 100, NAP = 50 * 1000 /* ns */, DOUBLED = 4 };
static const double slow = 1e-3; /* seconds; a time slice takes longer */

static bool nap(int again)
{
    struct timespec t = {0, (long)NAP << (again < DOUBLED ? again : DOUBLED)};

    nanosleep(&t, NULL);
    return true;
}

bool rest(int again)
{
    static _Thread_local int naps;

    if (naps > 0) {
        naps--;
        return nap(again);
    }
    double before = clock_now();
    sched_yield();
    if (clock_now() - before > slow && !simulated()) /* a nap would take simulated time */
        naps = NAPS;
    return naps > 0;
}
