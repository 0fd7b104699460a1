/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom.h - what was learned about which algorithm is best: a table of verdicts, each a line of
 * text (wisdom_text.h). Pure. nbc/process has the files, and what is in force in a process.
 */
#ifndef TUTTI_WISDOM_H
#define TUTTI_WISDOM_H

#include "topo/topo.h"
#include "tune/select.h"

/* Bytes of a shape, or of the name of an MPI, with the final 0. */
enum { WISDOM_SHAPE = 84 };

/* What a verdict is about: only what all ranks know. No padding: looked up as bytes, so that
 * `shape` is 0 after its end. */
typedef struct wisdom_key {
    coll_kind kind;
    int p;
    int class;                    /* of size (planner_class): of the vector, or of a block */
    bool noncommutative, user_op; /* REDUCES: as in coll */
    bool in_place;                /* where all ranks know: of allreduce, allgather, alltoall */
    bool server; /* the verdict is who serves blocking calls under the MPI's names, in all
                            of an octave of sizes; class: the first one of it */
    char shape[WISDOM_SHAPE];
} wisdom_key;

typedef struct verdict {
    wisdom_key key;
    choice choice; /* as select_parse reads it; key.server: 0 */
    bool native;   /* key.server: the MPI does, else we do */
    int64_t ns;    /* nanoseconds of a start; 0: nobody has measured it */
    int starts;    /* over which they were measured; 0: the same */
} verdict;

typedef struct wisdom wisdom;

/* Held once. NULL: out of memory. */
wisdom *wisdom_make(void);

/* Once more: then it must not change. From any thread, as wisdom_free, which gives it back: with
 * the last time all is freed. */
wisdom *wisdom_hold(wisdom *w);
void wisdom_free(wisdom *w);

/* The key of a call; bytes: of all blocks that a rank receives, or of the vector. */
wisdom_key wisdom_key_of(const coll *c, int64_t bytes, const char *shape);

/* The key of who serves such a call. */
wisdom_key wisdom_server_key(const wisdom_key *key);

/* A copy of it, instead of one with the same key. NULL: it is there; else why not, in one
 * line, static: it cannot be right (the algorithm does not serve such a call, ...), or there is no
 * memory. Then nothing has changed. */
const char *wisdom_add(wisdom *w, const verdict *v);

/* Until the next call that changes w. NULL: there is none. */
const verdict *wisdom_find(const wisdom *w, const wisdom_key *key);

/* Add all of `later`; where both know something, `later` counts. False: out of memory, and some of
 * them may be there. */
bool wisdom_merge(wisdom *w, const wisdom *later);

/* All, each once. before: NULL for the first one. NULL: there are no more. w must not change
 * meanwhile. */
const verdict *wisdom_next(const wisdom *w, const verdict *before);

/* Sort the verdicts by collective, ranks, shape, operation, in place, bytes. */
void wisdom_sort(wisdom *w);

size_t wisdom_count(const wisdom *w);

/* What ranks compare: they only have to choose the same, so times are no matter. */
uint32_t wisdom_digest_of(const wisdom *w);

/* Bytes to ask select.h for: of all blocks, or of the vector. The least of the class; at most
 * INT64_MAX. */
int64_t wisdom_bytes(const wisdom_key *key);

/* The FNV-1a hash of 64 bits, continued: begins with WISDOM_HASH. Not against malice. */
#define WISDOM_HASH 0xcbf29ce484222325u
uint64_t wisdom_hash(uint64_t hash, const void *bytes, size_t n);

/* The same in fewer bits. */
static inline uint32_t wisdom_digest(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* Where the ranks are, without names of hosts: for each level (topo.h), from coarse to fine, how
 * many ranks its regions have, in the order of the level before.
 *
 *   node:8 package:4        all nodes have 8 ranks, all packages 4
 *   node:8*7,5              seven nodes of 8, one of 5
 *   node:8@cyclic           ranks are dealt to the nodes one by one
 *   node:8@1f3c5a70         neither that nor one node after the other; a hash of how
 *   switch1:32 node:8       a switch with switches below it; one above the nodes is `switch`
 *   node:3-8 ~0123456789abcdef    too long: least and most ranks, and a hash of the whole
 *   one-place               all in one region, or t is NULL
 *
 * At most WISDOM_SHAPE bytes with the final 0. O(p log p) per level, no memory. */
void wisdom_shape(const topo *t, char *text, size_t size);

#endif
