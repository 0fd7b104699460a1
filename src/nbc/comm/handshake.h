/* SPDX-License-Identifier: BSD-3-Clause */
/* handshake.h - the members of a communicator exchange something, by one native collective
 * on the user's communicator, as a part of the collective call that the program has just made: so
 * it is one call in the order of the program's collectives on that communicator.
 *
 *   hello (mine) -> [rank 0 | rank 1 | ... ] on every rank
 *
 * Inside a call that may not block it is MPI_Ialltoallv, whose tag or context both MPIs choose when
 * it is called. Inside one that may block it is the same on MPICH, while operations advance; on
 * Open MPI it is MPI_Alltoallw, because a non-blocking one would hang beside an MPI_Comm_idup of
 * the program that is under way (that is so natively, and a blocking collective beside it is fine);
 * operations advance by the progress hook. These, because the MPIs send them in p - 1 messages that
 * arrive one by one: so one can see who has not come yet. (Open MPI's MPI_Alltoallv goes in
 * steps, its MPI_Ialltoallw crashes on Cartesian communicators.) Above 16 ranks,
 * and when Tutti starts above 64, it is an allgather.
 */
#ifndef TUTTI_HANDSHAKE_H
#define TUTTI_HANDSHAKE_H

#include "nbc/node/shm_peers.h"
#include "topo/topo.h"
#include "tune/constants.h"

#include <mpi.h>
#include <stdbool.h>

/* What a rank sends to the others. No padding: sent as bytes. */
typedef struct hello {
    location at;
    shm_offer shm; /* for messages inside a node */
    uint16_t machine
        [CONSTANTS_PACKED]; /* constants of the sender's machine; those of rank 0 are used by all */
    uint64_t digest;        /* of what must be the same on all ranks, or 0 */
    int32_t world, serial;  /* TUTTI_STATS: rank in MPI_COMM_WORLD, and stats_comm_add */
    int32_t context_id;     /* of the communicator here (channel.h), or -1: none is left */
    int32_t error; /* an MPI error class that the sender has found in its arguments, or 0 */
    int32_t destinations, sources; /* how many neighbors it has; -1 without a virtual topology */
    uint32_t environment_digest;   /* of the algorithms that the environment asks for (env_asked) */
    uint32_t wisdom_digest;        /* of the wisdom in force (process_wisdom.h) */
    uint32_t mark;                 /* HELLO_MARK: it has come, and is one of ours */
    uint8_t channel;               /* has the sender the channel? */
    uint8_t threaded;              /* MPI_THREAD_MULTIPLE? */
    uint8_t counts_stats;          /* TUTTI_STATS=summary or json? */
    uint8_t reproducible;          /* TUTTI_REPRODUCIBLE=topology? */
} hello;

#define HELLO_MARK ((uint32_t)0x69747574)

typedef struct handshake {
    int p, rank;
    bool linear; /* it is known who has not come */
    hello mine;
    hello *all; /* [p]; NULL: not under way */
    void *arguments;
    MPI_Request request;
} handshake;

/* Begin; complete it with handshake_test. Local. */
int handshake_begin(handshake *h, MPI_Comm user, int p, int rank, const hello *mine);

/* True when it is over, then *error is valid. */
bool handshake_test(handshake *h, int *error);

/* The whole, waited for; operations advance. may_block: is the program's call one that may block?
 * The same on all ranks. It can be looked at meanwhile, from the engine: set up by handshake_open.
 * at_start: it is known who has not come among more ranks than in later ones. */
int handshake_open(handshake *h, int p, int rank, const hello *mine, bool at_start);
int handshake_run(handshake *h, MPI_Comm user, bool may_block);

/* "ranks 3, 5 and 7": who has not come yet, or "some ranks". */
void handshake_missing(const handshake *h, char *text, size_t size);
bool handshake_is_first(const handshake *h); /* of the ranks that have come */

/* When it is over: have all come? Else the MPI has taken for it what a rank without Tutti was
 * sending in another collective. */
bool handshake_is_ours(const handshake *h);

/* Has every rank sent a context id? And is it the same on all? It is where all of them have had the
 * same communicators before. */
bool handshake_has_context_ids(const handshake *h);
bool handshake_has_one_context_id(const handshake *h);

/* A rank whose environment asks for other algorithms than that of rank 0, or that has other wisdom;
 * 0: there is none. */
int handshake_other_environment(const handshake *h);
int handshake_other_wisdom(const handshake *h);

/* A rank that counts for TUTTI_STATS where rank 0 does not, or the other way round; 0: there is
 * none. */
int handshake_other_stats(const handshake *h);

/* The same of TUTTI_REPRODUCIBLE. */
int handshake_other_reproducible(const handshake *h);

/* The topology of what all have sent. NULL: out of memory. */
topo *handshake_topo(const handshake *h);

void handshake_close(handshake *h);

/* to = maximum over the ranks, as bytes, in a call that may block. */
int handshake_max(unsigned char *bytes, int n, MPI_Comm user);

#endif
