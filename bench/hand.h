/* SPDX-License-Identifier: BSD-3-Clause */
/* hand.h - the messages of a collective as a programmer would write them, for one rank.
 *
 * Phases, one after the other: messages, all at once; copies while they travel; and reductions when
 * they have come. calls_hand.c sends them, plain or persistent. */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

#include "calls.h"

typedef struct hand_message {
    bool sends;
    char *block;
    int peer, tag;
} hand_message;

/* A copy, or a reduction of what is at `from` into what is at `to`. */
typedef struct hand_local {
    const char *from;
    char *to;
} hand_local;

/* Up to which message, copy and reduction. */
typedef struct hand_phase {
    int messages, copies, reductions;
} hand_phase;

typedef struct hand {
    hand_phase *phases; /* [nphases], the last one is the current one while they are made */
    int nphases;
    hand_message *messages;
    hand_local *copies, *reductions;
    char *scratch[2];      /* of a block */
    MPI_Request *requests; /* of the messages */
} hand;

/* What this rank has to do, for its buffers and block size. NULL: no memory. */
hand *hand_make(const run *r);
void hand_free(hand *h);

#endif
