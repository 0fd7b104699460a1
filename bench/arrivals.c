/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.c - see arrivals.h. */
#include "arrivals.h"

#include <sched.h>

enum { TAG_COMES = 81, TAG_HAS_LEFT, LOOKS = 2000 };

static int early; /* on the late rank */

static int late_rank(const run *r, int seed)
{
    return seed % r->p;
}

static void take(const run *r, int tag)
{
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, tag, r->comm, MPI_STATUS_IGNORE);
}

void arrivals_begin(const run *r, int seed)
{
    int late = late_rank(r, seed), found;

    if (r->rank != late) {
        MPI_Send(NULL, 0, MPI_BYTE, late, TAG_COMES, r->comm);
        return;
    }
    for (int i = 1; i < r->p; i++)
        take(r, TAG_COMES);
    early = 0;
    for (int i = 0; i < LOOKS; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_HAS_LEFT, r->comm, &found, MPI_STATUS_IGNORE);
        if (found) {
            take(r, TAG_HAS_LEFT);
            early++;
        }
        sched_yield();
    }
}

int64_t arrivals_early(const run *r, int seed)
{
    int late = late_rank(r, seed);

    if (r->rank != late) {
        MPI_Send(NULL, 0, MPI_BYTE, late, TAG_HAS_LEFT, r->comm);
        return 0;
    }
    for (int i = 1 + early; i < r->p; i++)
        take(r, TAG_HAS_LEFT);
    return early;
}
