/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - how data travels: the decisions that are measured, in one place, and local steps.
 *
 * The choice is local: a message packed by its sender may be received as a derived datatype.
 */
#ifndef TUTTI_WIRE_H
#define TUTTI_WIRE_H

#include "nbc/process/copy.h"
#include "nbc/process/simulated.h"
#include "nbc/run/bound.h"

#include <string.h>

/* Use persistent MPI messages in a persistent exec whose largest message has so many bytes? */
bool wire_persistent(int64_t bytes);

/* Does the step's list name more than one space? */
bool wire_spans_spaces(const bound *b, const step *st);

/* Resolve the message of a step; packed messages get an offset in the packing buffer, which
 * *pack_at is the fill level of. */
int wire_resolve(const bound *b, const step *st, message *m, int64_t *pack_at);

/* Bytes of data in a message. */
int64_t wire_bytes(const bound *b, const step *st);

/* Resolve a local step. */
raw_local wire_resolve_local(const bound *b, const step *st);

/* Run a COPY or REDUCE step that could not be resolved. */
int wire_local(const bound *b, const step *st);

/* In pieces: from about the size of the second-level cache on memcpy writes past the caches, and
 * the peer that fetches the block from its copy has to go to memory: 5 % of an exchange of 1 MiB on
 * Open MPI (docs/results/measurements.md). */
static inline void wire_copy_bytes(char *to, const char *from, size_t n)
{
    enum { PIECE = 131072 };

    for (; n > PIECE; n -= PIECE, to += PIECE, from += PIECE)
        memcpy(to, from, PIECE);
    if (n > COPY_FEW)
        memcpy(to, from, n);
    else
        copy_few(to, from, n);
}

static inline void wire_copy(const bound *b, const raw_local *c)
{
    simulated_copy((int64_t)c->amount);
    if (!simulated_folded())
        wire_copy_bytes(b->base[c->to_base] + c->to, b->base[c->from_base] + c->from, c->amount);
}

static inline int wire_reduce_items(const bound *b, const raw_local *r, const char *from, char *to,
                                    size_t n)
{
    if (b->reduce && n <= reduce_most()) {
        b->reduce(from, to, n);
        return MPI_SUCCESS;
    }
    return PMPI_Reduce_local(from, to, (int)n, b->space[r->to_base].type.type, b->given.op.op);
}

static inline int wire_reduce(const bound *b, const raw_local *r)
{
    simulated_copy((int64_t)r->amount * b->space[r->to_base].type.size);
    return wire_reduce_items(b, r, b->base[r->from_base] + r->from, b->base[r->to_base] + r->to,
                             r->amount);
}

/* Reduce so many bytes, after the first `done`, with what lies at `from`. The type has no gaps. */
static inline int wire_reduce_some(const bound *b, const raw_local *r, const char *from,
                                   int64_t done, int64_t bytes)
{
    return wire_reduce_items(b, r, from, b->base[r->to_base] + r->to + done,
                             (size_t)(bytes / b->space[r->to_base].type.size));
}

/* All of it but the first `done` bytes. */
static inline int wire_reduce_rest(const bound *b, const raw_local *r, int64_t done)
{
    int64_t all = (int64_t)r->amount * b->space[r->to_base].type.size;

    if (done == 0)
        return wire_reduce(b, r);
    if (done >= all)
        return MPI_SUCCESS;
    return wire_reduce_some(b, r, b->base[r->from_base] + r->from + done, done, all - done);
}

static inline bool wire_packed(const message *m)
{
    return m->base == BASE_PACK;
}

#endif
