/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_pair.h - both ends of a ring, and messages whose bytes are known, for the tests of rings
 * (test_ring*.c). */
#ifndef TUTTI_RING_PAIR_H
#define TUTTI_RING_PAIR_H

#include "nbc/node/ring.h"

enum { MOST = 5 * RING_BLOCK, BEGINS = 4 }; /* MOST: bytes of a message */

/* Positions for ring_test_begin: 0, and a little below limits of 32, 48 and 64 bits. */
extern const uint64_t ring_begins[BEGINS];

/* The receiver's end and the sender's, on shared memory of their own. */
typedef struct pair {
    ring in, out;
    void *shared;
    size_t size;
} pair;

pair pair_make(ring_kind kind, uint64_t lines);
void pair_drop(pair *x);

/* The ring that carries a message of so many bytes, and how many lines it occupies there. */
ring_kind kind_of(int64_t bytes);
uint64_t lines_of(int64_t bytes);

/* The bytes of one message. */
extern unsigned char sent[MOST], got[MOST];

/* Data that looks like stamps of positions near `at`, wherever a stamp might be looked for. */
void fill(unsigned char *to, int64_t bytes, uint64_t at);

/* Write the message at position `at`; read it, and check its bytes. */
void pair_put(pair *x, uint64_t at, int64_t bytes);
void pair_get(pair *x, uint64_t at, int64_t bytes);

/* Nothing has come of the message at position `at`. */
void pair_expect_empty(pair *x, uint64_t at, int64_t bytes);

/* Read what has come of a message, in a ring of either kind; what was exposed is acknowledged. */
ring_state take(ring *r, uint64_t at, unsigned char *to, int64_t bytes, ring_progress *so);

#endif
