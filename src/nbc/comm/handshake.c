/* SPDX-License-Identifier: BSD-3-Clause */
/* handshake.c - see handshake.h. */
#include "nbc/comm/handshake.h"

#include "nbc/comm/hooks.h"
#include "nbc/process/layout.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/simulated.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(hello) == sizeof(location) + sizeof(shm_offer) + 2 * CONSTANTS_PACKED + 48,
               "sent as bytes: no padding");

/* Ranks up to which everybody writes to everybody, so that it is known who has not come; of more,
 * p * p messages take longer than all the rest. When Tutti starts that is the price for names. */
enum { LINEAR = 16, LINEAR_AT_START = 64 };

/* What the collectives read until they are complete. */
typedef struct arguments {
    int *ones, *zeros, *displs; /* [p] */
    MPI_Datatype *types;        /* [p] */
} arguments;

static void *make_arguments(int p)
{
    arguments shape, *a;
    const layout_array arrays[] = {LAYOUT(shape.ones, p), LAYOUT(shape.zeros, p),
                                   LAYOUT(shape.displs, p), LAYOUT(shape.types, p)};

    a = layout_make(sizeof *a, arrays, LAYOUT_LENGTH(arrays));
    if (!a)
        return NULL;
    *a = shape;
    for (int r = 0; r < p; r++) {
        a->ones[r] = (int)sizeof(hello);
        a->displs[r] = r * (int)sizeof(hello);
        a->types[r] = MPI_BYTE;
    }
    return a;
}

int handshake_open(handshake *h, int p, int rank, const hello *mine, bool at_start)
{
    *h = (handshake){.p = p,
                     .rank = rank,
                     .linear = p <= (at_start ? LINEAR_AT_START : LINEAR),
                     .mine = *mine,
                     .request = MPI_REQUEST_NULL};
    h->mine.mark = HELLO_MARK;
    h->all = calloc((size_t)p, sizeof *h->all);
    h->arguments = h->linear ? make_arguments(p) : NULL;
    if (h->all && (h->arguments || !h->linear))
        return MPI_SUCCESS;
    handshake_close(h);
    return MPI_ERR_NO_MEM;
}

void handshake_close(handshake *h)
{
    free(h->all);
    free(h->arguments);
    h->all = NULL;
    h->arguments = NULL;
}

/* Non-blocking collectives of some MPIs are slow: blocking ones serve where operations advance in
 * them. SimGrid has no trustworthy non-blocking ones: p * p messages at once. */
static int exchange(handshake *h, MPI_Comm user, bool blocks)
{
    const arguments *a = h->arguments;

    if (simulated() || (blocks && !h->linear))
        return native_mpi.Allgather(&h->mine, sizeof(hello), MPI_BYTE, h->all, sizeof(hello),
                                    MPI_BYTE, user);
    if (blocks)
        return native_mpi.Alltoallw(&h->mine, a->ones, a->zeros, a->types, h->all, a->ones,
                                    a->displs, a->types, user);
    if (h->linear)
        return native_mpi.Ialltoallv(&h->mine, a->ones, a->zeros, MPI_BYTE, h->all, a->ones,
                                     a->displs, MPI_BYTE, user, &h->request);
    return native_mpi.Iallgather(&h->mine, sizeof(hello), MPI_BYTE, h->all, sizeof(hello), MPI_BYTE,
                                 user, &h->request);
}

int handshake_begin(handshake *h, MPI_Comm user, int p, int rank, const hello *mine)
{
    int error = handshake_open(h, p, rank, mine, false);

    if (!error)
        error = exchange(h, user, false);
    if (error)
        handshake_close(h);
    return error;
}

static bool is_over(MPI_Request *request, int *error)
{
    int flag = *request == MPI_REQUEST_NULL; /* which SimGrid does not test */

    *error = flag ? MPI_SUCCESS : native_mpi.Test(request, &flag, MPI_STATUS_IGNORE);
    return *error || flag;
}

bool handshake_test(handshake *h, int *error)
{
    return is_over(&h->request, error);
}

/* error: that with which it has been started. */
static int wait_for_native(MPI_Request *request, int error)
{
    for (int idle = 0; !error && !is_over(request, &error);)
        comm_above.idle_turn(&idle);
    return error;
}

int handshake_run(handshake *h, MPI_Comm user, bool may_block)
{
    bool hooked = false;
    int error;

    if (!may_block || !comm_above.hook_progress(&hooked))
        return wait_for_native(&h->request, exchange(h, user, false));
    error = exchange(h, user, true);
    comm_above.unhook_progress(hooked);
    return error;
}

int handshake_max(unsigned char *bytes, int n, MPI_Comm user)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool hooked = false;
    int error;

    if (!comm_above.hook_progress(&hooked))
        return wait_for_native(&request,
                               native_mpi.Iallreduce(MPI_IN_PLACE, bytes, n, MPI_UNSIGNED_CHAR,
                                                     MPI_MAX, user, &request));
    error = native_mpi.Allreduce(MPI_IN_PLACE, bytes, n, MPI_UNSIGNED_CHAR, MPI_MAX, user);
    comm_above.unhook_progress(hooked);
    return error;
}

/* Looked at while MPI writes it: only for people. */
static bool has_come(const handshake *h, int r)
{
    return r == h->rank || *(volatile const uint32_t *)&h->all[r].mark == HELLO_MARK;
}

void handshake_missing(const handshake *h, char *text, size_t size)
{
    int missing = 0;
    size_t n = 0;

    if (!h->linear) { /* an allgather writes them when it ends */
        snprintf(text, size, "some ranks");
        return;
    }
    for (int r = 0; r < h->p; r++)
        missing += !has_come(h, r);
    n = (size_t)snprintf(text, size, "%s",
                         missing == 0   ? "no rank"
                         : missing == 1 ? "rank"
                                        : "ranks");
    for (int r = 0, k = 0; r < h->p && n < size; r++)
        if (!has_come(h, r))
            n += (size_t)snprintf(text + n, size - n, "%s %d",
                                  k++ == 0       ? ""
                                  : k == missing ? " and"
                                                 : ",",
                                  r);
}

bool handshake_is_ours(const handshake *h)
{
    bool all = true;

    for (int r = 0; r < h->p; r++)
        all &= has_come(h, r);
    return all;
}

bool handshake_is_first(const handshake *h)
{
    int first = 0;

    if (!h->linear) /* at most one of these is missing, most often */
        return h->rank < 2;
    while (!has_come(h, first))
        first++;
    return first == h->rank;
}

bool handshake_has_context_ids(const handshake *h)
{
    bool all = true;

    for (int r = 0; r < h->p; r++)
        all &= h->all[r].context_id >= 0;
    return all;
}

bool handshake_has_one_context_id(const handshake *h)
{
    bool all = true;

    for (int r = 0; r < h->p; r++)
        all &= h->all[r].context_id == h->mine.context_id;
    return all;
}

/* The first rank whose member there is not that of rank 0; or 0. */
static int differs(const handshake *h, size_t member, size_t size)
{
    const char *first = (const char *)&h->all[0] + member;

    for (int r = 1; r < h->p; r++)
        if (memcmp(first + (size_t)r * sizeof(hello), first, size) != 0)
            return r;
    return 0;
}

#define DIFFERS(h, member) differs(h, offsetof(hello, member), sizeof(h)->mine.member)

int handshake_other_environment(const handshake *h)
{
    return DIFFERS(h, environment_digest);
}

int handshake_other_wisdom(const handshake *h)
{
    return DIFFERS(h, wisdom_digest);
}

int handshake_other_stats(const handshake *h)
{
    return DIFFERS(h, counts_stats);
}

int handshake_other_reproducible(const handshake *h)
{
    return DIFFERS(h, reproducible);
}

/* Reads the locations where they are: they are 144 bytes of each rank, and a copy would double
 * that. */
topo *handshake_topo(const handshake *h)
{
    return topo_make_apart(&h->all[0].at, sizeof h->all[0], h->p);
}
