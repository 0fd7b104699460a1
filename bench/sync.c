/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c - see sync.h. */
#include "sync.h"

#include <math.h>
#include <mpi.h>
#include <time.h>

const char *const sync_names[SYNC_KINDS] = {
    [SYNC_BARRIER] = "barrier", [SYNC_DISSEMINATION] = "dissem", [SYNC_ROUNDTIME] = "roundtime"};

enum { TAG = 77, ROUND_TRIPS = 100 };

/* seconds */
static const double fresh = 0.5;  /* for which an offset is used, with the drift as it is known */
static const double baseline = 1; /* between the offsets that give the drift, at least */
static const double remembered = 10; /* for which the drift is taken as constant */

typedef struct reading {
    double at, offset; /* my clock, rank 0's minus it */
} reading;

static reading last, first;
static double drift;    /* of the offset, seconds in a second */
static double headroom; /* seconds that the ranks get to know when to begin */
static bool late;

static double common_of(double mine)
{
    return mine + last.offset + drift * (mine - last.at);
}

static double mine_of(double common)
{
    return (common - last.offset + drift * last.at) / (1 + drift);
}

static void dissemination(int rank, int p)
{
    for (int d = 1; d < p; d *= 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + d) % p, TAG, NULL, 0, MPI_BYTE, (rank - d + p) % p,
                     TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take(reading now)
{
    if (now.at - first.at >= baseline && first.at > 0)
        drift = (now.offset - first.offset) / (now.at - first.at);
    if (now.at - first.at >= remembered)
        first = now;
    last = now;
}

/* Ask `other`, which answers with its common time. */
static void ask(int other)
{
    double best = 1e9;
    reading now = last;

    for (int i = 0; i < ROUND_TRIPS; i++) {
        double theirs, sent = MPI_Wtime(), back;
        MPI_Sendrecv(NULL, 0, MPI_BYTE, other, TAG, &theirs, 1, MPI_DOUBLE, other, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        back = MPI_Wtime();
        if (back - sent < best) {
            best = back - sent;
            now.at = (sent + back) / 2;
            now.offset = theirs - now.at;
        }
    }
    take(now);
}

static void answer(int other)
{
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double now;
        MPI_Recv(NULL, 0, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = common_of(MPI_Wtime());
        MPI_Send(&now, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
    }
}

/* Binomial tree: in step d the ranks below d, which know the time, send it to those d above. */
static void set_clock(int rank, int p)
{
    for (int d = 1; d < p; d *= 2) {
        if (rank < d && rank + d < p)
            answer(rank + d);
        else if (rank >= d && rank < 2 * d)
            ask(rank - d);
    }
    if (rank == 0)
        last.at = MPI_Wtime();
}

/* Three times what it takes to reach all ranks, seen from the last one. */
static void measure_headroom(void)
{
    double t = 0, worst = 0;

    for (int i = 0; i < 10; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        t = MPI_Wtime();
        MPI_Bcast(&headroom, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        t = MPI_Wtime() - t;
        if (i > 0 && t > worst)
            worst = t;
    }
    MPI_Allreduce(&worst, &headroom, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    headroom = 3 * headroom + 1e-6;
}

/* In SimGrid all ranks have one clock, which says later what a message costs, but looking at it
 * takes no time: one reduction says when to begin, and nobody is late. */
#ifdef TUTTI_SIMULATED

enum { simulated = 1 };

static void wait_until(double when)
{
    double rest = when - MPI_Wtime();
    struct timespec t = {(time_t)rest, (long)(1e9 * (rest - (double)(time_t)rest))};

    if (rest > 0)
        nanosleep(&t, NULL);
}

static double simulated_begin(void)
{
    double now = MPI_Wtime(), latest;

    MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    wait_until(latest + 0.1); /* nothing takes so long */
    return latest + 0.1;
}

#else

enum { simulated = 0 };

static void wait_until(double when)
{
    while (MPI_Wtime() < when)
        ;
}

static double simulated_begin(void)
{
    return 0;
}

#endif

void sync_prepare(sync_kind kind)
{
    int rank, p;

    if (kind != SYNC_ROUNDTIME || simulated)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    set_clock(rank, p);
    measure_headroom();
}

/* The begin, on rank 0's clock. */
static double agree(void)
{
    double when = MPI_Wtime();

    when = when - last.at < fresh ? when + headroom : 0; /* 0: the clocks must be compared again */
    MPI_Bcast(&when, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return when;
}

static double agreed_begin(int rank, int p)
{
    double when;

    dissemination(rank, p); /* nobody is still busy with what was before */
    while ((when = agree()) == 0)
        set_clock(rank, p);
    when = mine_of(when);
    late = MPI_Wtime() > when;
    wait_until(when);
    return when;
}

double sync_begin(sync_kind kind)
{
    int rank, p;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (kind == SYNC_ROUNDTIME)
        return simulated ? simulated_begin() : agreed_begin(rank, p);
    if (kind == SYNC_DISSEMINATION)
        dissemination(rank, p);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

bool sync_held(sync_kind kind)
{
    int spoilt = late;

    if (kind != SYNC_ROUNDTIME || simulated)
        return true;
    MPI_Allreduce(MPI_IN_PLACE, &spoilt, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (spoilt)
        headroom *= 1.2;
    return !spoilt;
}

double sync_drift(sync_kind kind)
{
    double most = fabs(drift);

    if (kind != SYNC_ROUNDTIME || simulated)
        return 0;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}
