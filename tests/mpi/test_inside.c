/* SPDX-License-Identifier: BSD-3-Clause */
/* test_inside.c - messages inside a node go through shared memory, however long they are and
 * however many ranks there are, whether or not one process may read the memory of another. And only
 * pairs of ranks that exchange anything take memory. Looks inside the library.
 */
#include "mpi/mpi_test.h"

#include "nbc/node/pool.h"
#include "nbc/node/segment.h"
#include "nbc/node/shared_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

static char *out, *in;

/* May each rank read what the others have, in their shared heaps, or anywhere? */
enum { NOTHING, HEAPS, ALL };

static int can_be_read(void)
{
    int mine, all = 0;

    CHECK(tutti_init() == MPI_SUCCESS);
    mine = segment_processes() != world_size          ? NOTHING
           : segment_reads() && segment_exposes_all() ? ALL
           : shared_heap_is_readable()                ? HEAPS
                                                      : NOTHING;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static int start_of(int which, int n, MPIX_Request *r)
{
    switch (which) {
    case 0:
        return MPIX_Bcast_auto_init(out, n, MPI_BYTE, world_size - 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    r);
    case 1:
        return MPIX_Allgather_auto_init(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD,
                                        MPI_INFO_NULL, r);
    case 2:
        return MPIX_Alltoall_linear_init(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD,
                                         MPI_INFO_NULL, r);
    default:
        return MPIX_Allreduce_auto_init(out, in, n / 4, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD,
                                        MPI_INFO_NULL, r);
    }
}

/* What this rank has got. */
static bool is_right(int which, int n)
{
    const unsigned *sums = (const unsigned *)(const void *)in;
    unsigned p = (unsigned)world_size, sum = 0x01010101U * (p * (p + 1) / 2);
    bool right = true;

    for (int i = 0; which == 0 && i < n; i++)
        right &= out[i] == world_size;
    for (int i = 0; (which == 1 || which == 2) && i < n * world_size; i++)
        right &= in[i] == i / n + 1;
    for (int i = 0; which == 3 && i < n / 4; i++)
        right &= sums[i] == sum;
    return right;
}

/* But those of 1 MiB that meet others, if no memory but the shared heaps can be read. */
static void no_message_goes_by_mpi(void)
{
    static const int sizes[] = {8, 448, 452, 8192, 65536, MOST};
    int read = can_be_read();
    size_t room = (size_t)MOST * (size_t)world_size;

    out = malloc(room);
    in = malloc(room);
    for (int which = 0; which < 4; which++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int n = sizes[k];
            MPIX_Request r = MPIX_REQUEST_NULL;
            tutti_stats s = {0};

            mpi_test_context("collective %d, %d bytes", which, n);
            memset(out, world_rank + 1, room);
            CHECK(start_of(which, n, &r) == MPI_SUCCESS);
            for (int start = 0; start < 3; start++) {
                memset(in, 0, room);
                MPI_Barrier(MPI_COMM_WORLD);
                CHECK(MPIX_Start(&r) == MPI_SUCCESS);
                CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
                CHECK(is_right(which, n));
            }
            CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS);
            CHECK(read == NOTHING ||
                  (read == HEAPS && n == MOST && (which != 0 || world_size < 8)) ||
                  s.shared_messages == s.messages);
            CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
        }
    free(out);
    free(in);
}

/* Pages of what is shared that this process has touched. */
static long touched(void)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    bool ours = false;
    char line[512];
    long sum = 0, kib;

    while (f && fgets(line, sizeof line, f)) {
        if (line[0] < 'A' || line[0] > 'Z') /* an address: what follows is about this mapping */
            ours = strstr(line, "memfd:tutti") != NULL;
        if (ours && sscanf(line, "Rss: %ld", &kib) == 1)
            sum += kib * 1024 / sysconf(_SC_PAGESIZE);
    }
    if (f)
        fclose(f);
    return sum;
}

static void exchange(MPI_Comm c, bool all_pairs)
{
    MPI_Request r;

    if (all_pairs)
        CHECK(MPIX_Ialltoall_linear(out, 1024, MPI_BYTE, in, 1024, MPI_BYTE, c, &r) == MPI_SUCCESS);
    else
        CHECK(MPIX_Ibarrier_dissemination(c, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void many_barriers(void)
{
    for (int i = 0; i < 300; i++)
        exchange(MPI_COMM_WORLD, false);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A barrier has a sender and a receiver in each of its rounds: of each, some pages are needed. What
 * a communicator's rings have used goes with it, where it is more than 64 KiB. */
static void only_pairs_that_exchange_take_memory(void)
{
    bool shares = can_be_read() != NOTHING;
    long before, partners = 0, barrier, all;
    MPI_Comm c;

    for (int n = 1; n < world_size; n *= 2)
        partners += 2;
    out = calloc((size_t)world_size, 1024);
    in = calloc((size_t)world_size, 1024);
    many_barriers(); /* all around their rings */
    before = touched();
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &c) == MPI_SUCCESS);
    exchange(c, false);
    barrier = touched() - before;
    for (int i = 0; i < 16; i++)
        exchange(c, true);
    all = touched() - before;
    mpi_test_context("%ld pages for a barrier, %ld for all pairs", barrier, all);
    CHECK(!shares || barrier <= 3 * partners + 2);
    CHECK(!shares || world_size < 8 || all > barrier);
    CHECK(MPI_Comm_free(&c) == MPI_SUCCESS);
    many_barriers(); /* calls give it back, on each rank when it comes to it */
    mpi_test_context("%ld pages of %ld are left", touched() - before, all);
    CHECK(!shares || world_size < 8 || touched() - before <= all / 2);
    free(out);
    free(in);
}

enum { COPIED = 40000 };

/* Other data for each rank. */
static void fill_blocks(void)
{
    for (int to = 0; to < world_size; to++)
        memset(out + to * COPIED, world_rank + 1 + 7 * to, COPIED);
    memset(in, 0, (size_t)COPIED * (size_t)world_size);
}

static bool blocks_are_right(void)
{
    bool right = true;

    for (int i = 0; i < COPIED * world_size; i++)
        right &= in[i] == (char)(i / COPIED + 1 + 7 * world_rank);
    return right;
}

/* Where copies are exposed; what finds no room waits, or goes through MPI, or through the ring of a
 * persistent request. */
static void exchange_with_room_for(size_t bytes)
{
    pool_most = bytes;
    for (int turn = 0; turn < 3; turn++) {
        MPIX_Request r = MPIX_REQUEST_NULL;
        MPI_Request now;

        fill_blocks();
        CHECK(MPIX_Ialltoall_linear(out, COPIED, MPI_BYTE, in, COPIED, MPI_BYTE, MPI_COMM_WORLD,
                                    &now) == MPI_SUCCESS);
        CHECK(MPI_Wait(&now, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(blocks_are_right());
        fill_blocks();
        CHECK(start_of(2, COPIED, &r) == MPI_SUCCESS);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(blocks_are_right());
        CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    }
}

/* There is room for one copy at a time, or for none. */
static void copies_wait_for_memory(void)
{
    size_t most = pool_most, room = (size_t)COPIED * (size_t)world_size;

    out = malloc(room);
    in = malloc(room);
    exchange_with_room_for(65536);
    exchange_with_room_for(COPIED - 1);
    free(out);
    free(in);
    pool_most = most;
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        /* first, before idle operations have scratch that comes and goes */
        MPI_TEST(only_pairs_that_exchange_take_memory), MPI_TEST(no_message_goes_by_mpi),
        MPI_TEST(copies_wait_for_memory)};

    return mpi_test_main(argc, argv, "inside", tests, sizeof tests / sizeof *tests);
}
