/* constants.h - what messages, copies and reductions cost on a machine. Pure.
 *
 * A file of constants is text: the line `tutti constants 1`, then one line for each constant, in
 * any order: its name, a number, its unit. `#` begins a comment.
 *
 *   tutti constants 1
 *   node.latency    4e-7    s          # measured by ...
 *   node.shared     1.2e10  bytes/s
 */
#ifndef TUTTI_CONSTANTS_H
#define TUTTI_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Which way messages go. */
typedef enum way { WAY_NODE, WAY_NETWORK, WAYS } way;

/* Seconds, bytes per second, bytes: see constants.def. */
typedef struct way_constants {
    double latency, overhead, bandwidth, shared, eager;
} way_constants;

typedef struct constants {
    double copy, reduce;
    way_constants way[WAYS];
} constants;

/* "ethernet": 10 Gbit/s and TCP; "fast": 100 Gbit/s and messages without the kernel. NULL: no such
 * machine. Nodes are the same. */
const constants *constants_builtin(const char *name);

/* All of them, from a file. False: it is not one, or not all right, and `why` says so in one line.
 */
bool constants_read(FILE *in, constants *result, char *why, size_t size);

/* The same, with what each of them means. */
void constants_print(FILE *out, const constants *k);

#endif
