/* SPDX-License-Identifier: BSD-3-Clause */
/* constants.h - what messages, copies and reductions cost on a machine. Pure.
 *
 * A file of constants is text: the line `tutti constants 1`, then one line for each constant, in
 * any order: its name, a number, its unit. `#` begins a comment.
 *
 *   tutti constants 1
 *   node.latency    4e-7    s          # measured by ...
 *   node.shared     1.2e10  bytes/s
 *
 * Older files have no node.cores and node.turn: then these are as in the built-in ones.
 */
#ifndef TUTTI_CONSTANTS_H
#define TUTTI_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Which way messages go: between ranks that share the coarsest region that is smaller than a node
 * (topo.h: a package, say); between others of a node; between nodes. */
typedef enum way { WAY_INNER, WAY_NODE, WAY_NETWORK, WAYS } way;

/* Seconds, bytes per second, bytes: see constants.def. `shared` of INNER and of `mpi` is not used:
 * messages of a node share its memory; `both` is NETWORK's only. */
typedef struct way_constants {
    double latency, overhead, bandwidth, shared, both, eager;
    double turn; /* of constants_shared: what is in latency and overhead of a turn */
} way_constants;

typedef struct constants {
    double copy, reduce, switches, cores, turn;
    way_constants way[WAYS]; /* of our messages */
    way_constants mpi;       /* of the MPI's own messages, INNER and NODE the same */
    double load;             /* of constants_shared: ranks of a node for each core; 0: at most 1 */
} constants;

enum {
#define CONSTANT(name, unit, field, meaning) +1
    CONSTANTS = 0
#include "tune/constants.def"
#undef CONSTANT
    ,
    CONSTANTS_NOTE = 144
};

/* "ethernet": 10 Gbit/s and TCP; "fast": 100 Gbit/s and messages without the kernel. NULL: no such
 * machine. Nodes are the same. */
const constants *constants_builtin(const char *name);

/* All of them, from a file. False: it is not one, or not all right, and `why` says so in one line.
 */
bool constants_read(FILE *in, constants *result, char *why, size_t size);

/* The one of this name; `*index` is where it stands in constants.def. NULL: there is none. */
double *constants_find(constants *k, const char *name, int *index);

/* All of them, with what each means, and after that, of those that have one, a note. notes:
 * [CONSTANTS] by index, each NULL or so short that the line can be read again
 * (CONSTANTS_NOTE bytes with the final 0 are); or NULL. `heading`: lines of comments, or "". */
void constants_print(FILE *out, const constants *k, const char *heading, const char *const *notes);

/* The same where so many ranks are on each node: if they share its cores, whoever waits for a
 * message waits for its turn, and each end of a message costs half of one; what all ranks do takes
 * as much longer as there are more of them than cores, and no more messages than cores are copied
 * at a time. That holds for ranks that all do the same. */
constants constants_shared(const constants *k, int ranks);

/* From the result of that: of a rank that has a core whenever it wants one. */
constants constants_alone(const constants *shared);

/* In two bytes each, for other ranks: with 8 bits, of which the same numbers come out on
 * every rank. */
enum { CONSTANTS_PACKED = 24 };
void constants_pack(const constants *k, uint16_t packed[CONSTANTS_PACKED]);
constants constants_unpack(const uint16_t packed[CONSTANTS_PACKED]);

#endif
