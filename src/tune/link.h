/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h - what messages share: a node's memory, or its links in one direction. Pure.
 *
 * All messages that are on their way get the same share of it, but none gets more than its own
 * bandwidth. So at any time all are equally fast, and the link counts only how far one would have
 * come that had been there from the start (processor sharing).
 *
 * Long messages are slower while others come the other way: where a message waits for an answer
 * before it leaves, the answer waits for what is ahead of it there (TCP; `both`).
 *
 * Times are picoseconds; costs are picoseconds for 2^20 bytes.
 */
#ifndef TUTTI_LINK_H
#define TUTTI_LINK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct link_flow {
    uint64_t until; /* how far the one that was there from the start is when this one ends */
    int id;
    bool is_long;
} link_flow;

typedef struct tune_link {
    int64_t alone, shared; /* costs: of one message; of all together */
    int64_t both;          /* cost of all together if there are long ones here and in `back` */
    int64_t at;            /* the time of `level` */
    uint64_t level;        /* how far it is by then: 2^-16 bytes */
    int64_t bytes;         /* of all messages so far */
    link_flow *flow;       /* [n], the next that ends first; room for all is the caller's */
    int n, nlong;
    struct tune_link *back; /* the other direction; NULL: there is none that matters */
} tune_link;

/* A message begins. Times never fall. It may change when those of `back` end, too. */
void link_add(tune_link *l, int64_t now, int64_t bytes, int id, bool is_long);

/* When the first of them ends, if none begins before; there are some. */
int64_t link_next(const tune_link *l);

/* It ends, now: whose id it was. */
int link_end(tune_link *l, int64_t now);

#endif
