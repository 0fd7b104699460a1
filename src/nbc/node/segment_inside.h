/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_inside.h - what segment_state.c, segment_slice.c, segment_map.c and segment_make.c know
 * of the memory that the processes of a node share.
 */
#ifndef TUTTI_SEGMENT_INSIDE_H
#define TUTTI_SEGMENT_INSIDE_H

#include "nbc/node/arena.h"
#include "nbc/node/segment.h"
#include "nbc/node/vmread.h"

#include <stdatomic.h>
#include <sys/types.h>

typedef struct segment {
    char *base;           /* NULL: there is none */
    size_t size;          /* bytes without the shared heaps */
    size_t mapped;        /* bytes with the shared heaps */
    size_t header;        /* bytes */
    size_t slice;         /* of each process */
    int processes;        /* of the node */
    int sharing;          /* processes that have mapped it */
    int channel_size;     /* ranks of the channel */
    int32_t *index_of;    /* [channel_size]: of a process of this node that shares, or -1 */
    int64_t *pids;        /* [processes] */
    bool reads;           /* it reads memory of others that is not shared */
    bool exposes_all;     /* it exposes its own */
    const char *absent;   /* why there is no segment, or NULL */
    const char *no_heaps; /* why there are no shared heaps, or NULL */
    arena mine;           /* my slice */
    pid_t owner;          /* a child does not have it */
} segment;

extern segment segment_here;

/* What the first process of a node sends to the others. No padding. */
typedef struct segment_offer {
    uint64_t nonce[2];
    uint64_t heap; /* bytes of each */
    int32_t pid, fd;
    vmread_offer memory; /* of all processes */
} segment_offer;

typedef struct segment_header {
    uint64_t nonce[2];
    _Atomic unsigned char has[]; /* [processes]: it has mapped the file, and read the nonce */
} segment_header;

static inline size_t segment_rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* There is none any more. */
void segment_forget(const char *why);

/* What other threads may ask for from now on. */
void segment_publish(void);

/* For n processes of this node: where the slice of each is. The same on all of them. */
void segment_divide(int n);

/* The first process makes the file and maps it; the others, of which this is the mine-th, open it.
 * NULL, or what was not possible. */
const char *segment_begin_file(segment_offer *o);
const char *segment_join_file(const segment_offer *o, int mine);

#endif
