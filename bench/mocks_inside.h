/* SPDX-License-Identifier: BSD-3-Clause */
/* mocks_inside.h - what a mock-up consists of: for mocks.c and compositions.c alone.
 *
 * Calls of collectives, one after the other, with buffers that are known before; and local work
 * before and after them. */
#ifndef BENCH_MOCKS_INSIDE_H
#define BENCH_MOCKS_INSIDE_H

#include "mocks.h"

typedef struct mock {
    const composition *row; /* or NULL */
    void (*set)(run *r);    /* makes the parts; none if the size does not suit */
    way calls[2];           /* of the parts of a row; else of all */
    int64_t limit;          /* of the size of a part */
    int factor;             /* of sizes */
    run *parts;
    int n;
    void (*before)(run *r), (*after)(run *r);
    char *area[2];  /* scratch */
    char *vector;   /* that before and after have to do with */
    buffers lists;  /* of parts whose blocks are not those of the left side */
    int64_t padded; /* bytes of a vector rounded up to a multiple of p blocks */
} mock;

/* The i-th call, with blocks of this size. */
static inline run *mock_part(run *r, int i, char *send, char *recv, int64_t size)
{
    mock *m = r->mock;
    run *x = &m->parts[i];

    *x = *r;
    x->what = m->row ? m->row->right[i] : r->what;
    x->send = send;
    x->recv = recv;
    x->size = (int)size;
    x->count = (int)(size / buffers_unit(r->what));
    m->n = i + 1;
    return x;
}

#endif
