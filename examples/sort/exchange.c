/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - see exchange.h. */
#include "exchange.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = sizeof(place) / sizeof(uint64_t) };

void *allocated(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);

    if (!memory) {
        fprintf(stderr, "npysort: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* One call in all manners, so that its arguments stand once; persistent: make the request. */
#define CALL(Name, iname, ...)                                                                     \
    (e->manner == NATIVE               ? MPI_##Name(__VA_ARGS__, MPI_COMM_WORLD)                   \
     : e->manner == NATIVE_NONBLOCKING ? MPI_I##iname(__VA_ARGS__, MPI_COMM_WORLD, &e->native[o])  \
     : e->manner == TUTTI              ? MPIX_##Name##_auto(__VA_ARGS__, MPI_COMM_WORLD)           \
     : e->manner == TUTTI_NONBLOCKING                                                              \
         ? MPIX_I##iname##_auto(__VA_ARGS__, MPI_COMM_WORLD, &e->native[o])                        \
         : MPIX_##Name##_auto_init(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &e->tutti[o]))

/* What exact splitters need. */
static void call_exact(exchange *e, operation o)
{
    const MPI_Datatype word = MPI_UINT64_T;

    switch (o) {
    case RANGE:
        CALL(Allreduce, allreduce, MPI_IN_PLACE, e->range, 2, MPI_INT64_T, MPI_MAX);
        break;
    case PROBES:
        CALL(Allgather, allgather, e->probes, e->pieces, word, e->all_probes, e->pieces, word);
        break;
    case RANKS:
        CALL(Reduce_scatter_block, reduce_scatter_block, e->up_to, e->ranks, e->pieces, word,
             MPI_SUM);
        break;
    case LESS:
        CALL(Allreduce, allreduce, MPI_IN_PLACE, e->less, e->buckets, word, MPI_SUM);
        break;
    case EQUAL:
        CALL(Exscan, exscan, e->equal, e->before, e->buckets, word, MPI_SUM);
        break;
    default:
        break;
    }
}

static void call(exchange *e, operation o)
{
    const MPI_Datatype word = MPI_UINT64_T;

    switch (o) {
    case SAMPLES:
        CALL(Gatherv, gatherv, e->samples, e->sample_counts[e->rank], word, e->all_samples,
             e->sample_counts, e->sample_displs, word, 0);
        break;
    case SPLITTERS:
        CALL(Bcast, bcast, e->splitters, e->buckets * WORDS, word, 0);
        break;
    case COUNTS:
        CALL(Alltoall, alltoall, e->to_send, e->pieces, MPI_INT, e->to_receive, e->pieces, MPI_INT);
        break;
    case OFFSET:
        CALL(Exscan, exscan, &e->received, &e->offset, 1, word, MPI_SUM);
        break;
    case SUMS:
        CALL(Reduce, reduce, e->sums, e->all_sums, 3, word, MPI_SUM, 0);
        break;
    default:
        call_exact(e, o);
    }
}

/* Rank 0 knows how many samples each rank sends, because it knows how many keys each has. */
static void open_samples(exchange *e, long long samples, const int slices[])
{
    int most = INT_MAX / WORDS / e->p, all = 0; /* that an int counts at the root */

    if (samples > most)
        samples = most;
    e->sample_counts = allocated((size_t)e->p, sizeof(int));
    e->sample_displs = allocated((size_t)e->p, sizeof(int));
    for (int r = 0; r < e->p; r++) {
        e->sample_displs[r] = all;
        e->sample_counts[r] = WORDS * (slices[r] < samples ? slices[r] : (int)samples);
        all += e->sample_counts[r];
    }
    e->samples = allocated((size_t)e->sample_counts[e->rank] / WORDS, sizeof(place));
    e->all_samples = e->rank == 0 ? allocated((size_t)all / WORDS, sizeof(place)) : NULL;
}

void exchange_open(exchange *e, manner manner, int pieces, long long samples, const int slices[])
{
    size_t words, k = (size_t)pieces;

    *e = (exchange){.manner = manner, .pieces = pieces};
    MPI_Comm_size(MPI_COMM_WORLD, &e->p);
    MPI_Comm_rank(MPI_COMM_WORLD, &e->rank);
    e->buckets = e->p * pieces;
    words = (size_t)e->buckets;
    open_samples(e, samples, slices);
    e->splitters = allocated(words, sizeof(place));
    e->probes = allocated(k, sizeof(key));
    e->all_probes = allocated(words, sizeof(key));
    e->up_to = allocated(words, sizeof(uint64_t));
    e->ranks = allocated(k, sizeof(uint64_t));
    e->less = allocated(words, sizeof(uint64_t));
    e->equal = allocated(words, sizeof(uint64_t));
    e->before = allocated(words, sizeof(uint64_t));
    e->to_send = allocated(words, sizeof(int));
    e->to_receive = allocated(words, sizeof(int));
    e->keys = allocated(k, sizeof(MPI_Request));
    for (int i = 0; i < pieces; i++)
        e->keys[i] = MPI_REQUEST_NULL;
    for (int o = 0; o < OPERATIONS; o++) {
        e->native[o] = MPI_REQUEST_NULL;
        if (manner == TUTTI_PERSISTENT)
            call(e, (operation)o);
    }
}

void exchange_close(exchange *e)
{
    for (int o = 0; o < OPERATIONS; o++)
        if (e->tutti[o] != MPIX_REQUEST_NULL)
            MPIX_Request_free(&e->tutti[o]);
    free(e->sample_counts);
    free(e->sample_displs);
    free(e->samples);
    free(e->all_samples);
    free(e->splitters);
    free(e->probes);
    free(e->all_probes);
    free(e->up_to);
    free(e->ranks);
    free(e->less);
    free(e->equal);
    free(e->before);
    free(e->to_send);
    free(e->to_receive);
    free(e->keys);
}

void exchange_start(exchange *e, operation o)
{
    if (e->manner == TUTTI_PERSISTENT)
        MPIX_Start(&e->tutti[o]);
    else
        call(e, o);
}

void exchange_finish(exchange *e, operation o)
{
    if (e->manner == TUTTI_PERSISTENT)
        MPIX_Wait(&e->tutti[o], MPI_STATUS_IGNORE);
    else
        MPI_Wait(&e->native[o], MPI_STATUS_IGNORE);
    if (e->rank == 0 &&
        o == OFFSET) /* MPI leaves it undefined what an exscan gives the first rank */
        e->offset = 0;
    for (int b = 0; e->rank == 0 && o == EQUAL && b < e->buckets; b++)
        e->before[b] = 0;
}

void exchange_do(exchange *e, operation o)
{
    exchange_start(e, o);
    exchange_finish(e, o);
}

void exchange_keys_start(exchange *e, int piece, const key *send, const int send_counts[],
                         const int send_displs[], key *recv, const int recv_counts[],
                         const int recv_displs[])
{
    const MPI_Datatype word = MPI_UINT64_T;
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request *request = &e->keys[piece];

    if (e->manner == NATIVE)
        MPI_Alltoallv(send, send_counts, send_displs, word, recv, recv_counts, recv_displs, word,
                      comm);
    else if (e->manner == NATIVE_NONBLOCKING)
        MPI_Ialltoallv(send, send_counts, send_displs, word, recv, recv_counts, recv_displs, word,
                       comm, request);
    else if (e->manner == TUTTI)
        MPIX_Alltoallv_auto(send, send_counts, send_displs, word, recv, recv_counts, recv_displs,
                            word, comm);
    else
        MPIX_Ialltoallv_auto(send, send_counts, send_displs, word, recv, recv_counts, recv_displs,
                             word, comm, request);
}

void exchange_keys_finish(exchange *e, int piece)
{
    MPI_Wait(&e->keys[piece], MPI_STATUS_IGNORE);
}

void exchange_advance(void *context)
{
    exchange *e = context;
    int complete;

    if (e->manner >= TUTTI)
        tutti_progress();
    else
        MPI_Testall(e->pieces, e->keys, &complete, MPI_STATUSES_IGNORE);
}
