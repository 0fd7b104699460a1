/* bench_allgather.c - what an allgather costs: Tutti against the native calls and the same messages
 * by hand (interleave.h says how it is measured).
 *
 * By hand means what a programmer would write for an all-to-all exchange of blocks: receive from
 * and send to every other rank, copy the own block meanwhile, wait; as persistent messages or as
 * plain ones. The faster of the two is the floor.
 */
#include "interleave.h"

#include <stdio.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* ---- native ---- */

static void run_native(bench *b)
{
    MPI_Allgather(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD);
}

static void run_native_i(bench *b)
{
    MPI_Request r;

    MPI_Iallgather(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

#ifdef OPEN_MPI
static void init_native_init(bench *b)
{
    MPIX_Allgather_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &b->native);
}

static void run_native_init(bench *b)
{
    MPI_Start(&b->native);
    MPI_Wait(&b->native, MPI_STATUS_IGNORE);
}

static void finish_native_init(bench *b)
{
    MPI_Request_free(&b->native);
}
#endif

/* ---- by hand ---- */

static void init_persistent_messages(bench *b)
{
    b->nrequests = 0;
    for (int k = 1; k < b->p; k++) {
        int from = (b->rank - k + b->p) % b->p, to = (b->rank + k) % b->p;
        MPI_Recv_init(b->recv + (size_t)from * (size_t)b->size, b->size, MPI_BYTE, from, 0,
                      MPI_COMM_WORLD, &b->requests[b->nrequests++]);
        MPI_Send_init(b->send, b->size, MPI_BYTE, to, 0, MPI_COMM_WORLD,
                      &b->requests[b->nrequests++]);
    }
}

static void copy_own(bench *b)
{
    memcpy(b->recv + (size_t)b->rank * (size_t)b->size, b->send, (size_t)b->size);
}

static void run_persistent_messages(bench *b)
{
    MPI_Startall(b->nrequests, b->requests);
    copy_own(b);
    MPI_Waitall(b->nrequests, b->requests, MPI_STATUSES_IGNORE);
}

static void finish_persistent_messages(bench *b)
{
    for (int i = 0; i < b->nrequests; i++)
        MPI_Request_free(&b->requests[i]);
}

static void run_plain_messages(bench *b)
{
    int n = 0;

    for (int k = 1; k < b->p; k++) {
        int from = (b->rank - k + b->p) % b->p, to = (b->rank + k) % b->p;
        MPI_Irecv(b->recv + (size_t)from * (size_t)b->size, b->size, MPI_BYTE, from, 0,
                  MPI_COMM_WORLD, &b->requests[n++]);
        MPI_Isend(b->send, b->size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &b->requests[n++]);
    }
    copy_own(b);
    MPI_Waitall(n, b->requests, MPI_STATUSES_IGNORE);
}

/* ---- Tutti ---- */

static void run_tutti_i_linear(bench *b)
{
    MPI_Request r;

    MPIX_Iallgather_linear(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                           &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void run_tutti_i_ring(bench *b)
{
    MPI_Request r;

    MPIX_Iallgather_ring(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                         &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void init_tutti_linear(bench *b)
{
    MPIX_Allgather_linear_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE,
                               MPI_COMM_WORLD, MPI_INFO_NULL, &b->tutti);
}

static void init_tutti_ring(bench *b)
{
    MPIX_Allgather_ring_init(b->send, b->size, MPI_BYTE, b->recv, b->size, MPI_BYTE, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &b->tutti);
}

/* ---- the variants, in the order of the columns ---- */

static const variant variants[] = {
    {"native", interleave_nothing, run_native, interleave_nothing},
    {"native-i", interleave_nothing, run_native_i, interleave_nothing},
#ifdef OPEN_MPI /* MPICH 4.0.2's is wrong from the second start on (mpich#6423) */
    {"native-init", init_native_init, run_native_init, finish_native_init},
#endif
    {"hand-start", init_persistent_messages, run_persistent_messages, finish_persistent_messages},
    {"hand-plain", interleave_nothing, run_plain_messages, interleave_nothing},
    {"i-linear", interleave_nothing, run_tutti_i_linear, interleave_nothing},
    {"i-ring", interleave_nothing, run_tutti_i_ring, interleave_nothing},
    {"init-linear", init_tutti_linear, interleave_run_tutti, interleave_finish_tutti},
    {"init-ring", init_tutti_ring, interleave_run_tutti, interleave_finish_tutti},
};

enum { NVARIANTS = sizeof variants / sizeof *variants };

static double of(const double t[], const char *name)
{
    return t[interleave_find(variants, NVARIANTS, name)];
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void print_row(int size, const double t[])
{
    double floor = smaller(of(t, "hand-start"), of(t, "hand-plain")), i = of(t, "native-i");

    printf("%8d", size);
    for (int k = 0; k < NVARIANTS; k++)
        printf(" %11.2f", t[k]);
    printf("   %6.2f %6.2f   %6.2f %6.2f\n", of(t, "init-linear") / floor,
           of(t, "init-ring") / floor, of(t, "i-linear") / i, of(t, "i-ring") / i);
}

static void print_head(int p, int repetitions)
{
    printf("# allgather, %d ranks, median of %d repetitions of the slowest rank, us per operation\n"
           "# last columns: persistent linear, ring / floor; non-blocking linear, ring / native-i\n"
           "#  bytes",
           p, repetitions);
    for (int k = 0; k < NVARIANTS; k++)
        printf(" %11s", variants[k].name);
    printf("   %6s %6s   %6s %6s\n", "lin/fl", "ring/fl", "ilin/i", "iring/i");
}

int main(int argc, char **argv)
{
    interleave m = {.variants = variants,
                    .n = NVARIANTS,
                    .least = 8,
                    .most = 1 << 20,
                    .factor = 2,
                    .repetitions = 300,
                    .head = print_head,
                    .row = print_row};

    return interleave_main(&m, argc, argv);
}
