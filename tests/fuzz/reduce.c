/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - see reduce.h. */
#include "reduce.h"

enum { LARGEST = 64 };

/* Element e without gaps. */
static void make_element(const reduction *r, uint64_t data, int e, void *element)
{
    uint64_t items[2] = {mix(data, 2 * (uint64_t)e), mix(data, 2 * (uint64_t)e + 1)};

    r->make(items, element);
}

MPI_Op reduce_operation(const reduction *r)
{
    MPI_Op op = r->op;

    if (r->function)
        MPI_Op_create(r->function, !r->noncommutative, &op);
    return op;
}

void reduce_put(const reduction *r, blocks *b, int block, uint64_t data)
{
    uint64_t element[LARGEST / sizeof(uint64_t)];

    for (int e = 0; e < b->count[block]; e++) {
        make_element(r, data, e, element);
        blocks_put_element(b, b->displ[block] + e, element);
    }
}

void reduce_put_result(const reduction *r, blocks *b, int n, int p, const uint64_t data[])
{
    uint64_t left[LARGEST / sizeof(uint64_t)], right[LARGEST / sizeof(uint64_t)];

    for (int e = 0; e < n; e++) {
        make_element(r, data[p - 1], e, right);
        for (int s = p - 2; s >= 0; s--) {
            make_element(r, data[s], e, left);
            r->combine(left, right, 1);
        }
        blocks_put_element(b, e, right);
    }
    if (r->padded)
        blocks_forgive(b, n);
}
