/* SPDX-License-Identifier: BSD-3-Clause */
/* held.c - what one process holds of a communicator, by what it grows with: see compile.h.
 *
 * The first exchange and the topology are made as the library makes them (nbc/comm/handshake.c),
 * and what malloc gave and the kernel had to find is counted. The other tables are the library's
 * types times their lengths: each needs MPI to be made.
 */
#define _GNU_SOURCE
#include "compile.h"

#include "nbc/comm/comm.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counted ---- */

/* A line of /proc/self/status, in bytes; -1: there is none. */
static int64_t status_of(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    int64_t kib = -1;

    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtoll(line + strlen(name), NULL, 10);
    if (file)
        fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

static int64_t before = -1;

/* What malloc has and nobody uses goes back, large pieces come by mmap, and the kernel's maximum
 * begins anew. */
void held_peak_begin(void)
{
    FILE *file;
    bool cleared;

    malloc_trim(0);
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    file = fopen("/proc/self/clear_refs", "w");
    cleared = file && fputs("5", file) >= 0;
    if (file)
        cleared &= fclose(file) == 0;
    before = cleared ? status_of("VmRSS:") : -1;
}

int64_t held_peak(void)
{
    int64_t most = before < 0 ? -1 : status_of("VmHWM:");

    mallopt(M_MMAP_THRESHOLD, 1 << 25); /* its largest: what comes next is not slowed down */
    return most < 0 ? -1 : most > before ? most - before : 0;
}

static int64_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();

    return (int64_t)(m.uordblks + m.hblkhd);
}

/* ---- the table ---- */

void held_title(void)
{
    printf("# what one process holds of a communicator\n%-9s %-14s %12s %10s  %s\n", "# ranks",
           "what", "bytes", "a rank", "when");
}

static void row(int p, const char *what, int64_t bytes, const char *when)
{
    if (bytes >= 0)
        printf("%-9d %-14s %12" PRId64 " %10.3f  %s\n", p, what, bytes, (double)bytes / p, when);
    else
        printf("%-9d %-14s %12s %10s  %s\n", p, what, "-", "-", when);
}

/* The first exchange as it has come, and the topology made of it. */
static topo *meet(const location *at, int p, int64_t *exchange, int64_t *peak, int64_t *kept,
                  double *seconds)
{
    int64_t begin = allocated(), with;
    hello *all;
    topo *t;

    held_peak_begin();
    all = calloc((size_t)p, sizeof *all);
    if (!all)
        return NULL;
    for (int r = 0; r < p; r++)
        all[r] = (hello){.at = at[r], .mark = HELLO_MARK};
    *exchange = allocated() - begin;
    with = allocated();
    *seconds = compile_now();
    t = topo_make_apart(&all[0].at, sizeof all[0], p);
    *seconds = compile_now() - *seconds;
    *peak = held_peak();
    *kept = allocated() - with;
    free(all);
    return t;
}

/* Ranks of the node of rank 0, and from the first to the last of them. */
static void shm_ranks(const topo *t, int *n, int *span)
{
    *n = 0;
    for (int r = 0; r < t->p; r++)
        if (t->node[r] == t->node[0]) {
            ++*n;
            *span = r + 1;
        }
}

void held_print(const location *at, int p)
{
    int64_t exchange, peak, kept, ints = (int64_t)sizeof(int32_t) * p;
    double seconds;
    topo *t = meet(at, p, &exchange, &peak, &kept, &seconds);
    int n = 0, span = 0;

    if (!t) {
        printf("%-9d out of memory\n", p);
        return;
    }
    shm_ranks(t, &n, &span);
    row(p, "exchange", exchange, "until the first operation has begun");
    row(p, "peak", peak, "exchange and topology while that is made");
    row(p, "topology", kept, "kept");
    row(p, "context ids", ints, "kept, only if ranks have different ones; of each context id");
    row(p, "channel ranks", ints, "kept, only if ranks are not those of MPI_COMM_WORLD");
    row(p, "shm", (int64_t)sizeof(int32_t) * span, "kept: which ranks share memory");
    row(p, "shm_peers", (int64_t)sizeof(shm_peer) * (n - 1), "kept: to ranks of the same node");
    row(p, "state", (int64_t)sizeof(comm), "kept");
    row(p, "key", 2 * (int64_t)sizeof(int64_t) * p,
        "kept, a schedule of a collective of listed "
        "blocks; alltoallv twice; at most 64");
    printf("%-9d %-14s %9.3f ms\n", p, "topo_make", 1e3 * seconds);
    topo_free(t);
}
