/* SPDX-License-Identifier: BSD-3-Clause */
/* typed.c - see typed.h. */
#include "nbc/run/typed.h"

#include <stdlib.h>

typed_blocks *typed_make(int n)
{
    typed_blocks *t = malloc(sizeof *t + (size_t)n * sizeof *t->block);

    if (t) {
        atomic_init(&t->refs, 1);
        t->n = 0;
    }
    return t;
}

int typed_add(typed_blocks *t, MPI_Datatype type, int64_t count, int64_t offset)
{
    const typed_block *last = t->n ? &t->block[t->n - 1] : NULL;
    typed_block *b = &t->block[t->n];
    int error = datatype_describe(type, &b->type);

    if (!error)
        error = datatype_hold(&b->type);
    if (error)
        return error;
    b->at = last ? last->at + last->bytes + TYPED_GAP : 0;
    b->bytes = count * b->type.size;
    b->offset = offset;
    b->count = count;
    b->given = type;
    if (b->bytes == 0)
        datatype_release(&b->type);
    t->n += b->bytes > 0;
    return MPI_SUCCESS;
}

typed_blocks *typed_share(typed_blocks *t)
{
    if (t)
        atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void typed_free(typed_blocks *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (int i = 0; i < t->n; i++)
        datatype_release(&t->block[i].type);
    free(t);
}

bool typed_predefined(const typed_blocks *t)
{
    bool all = true;

    for (int i = 0; t && i < t->n; i++)
        all &= t->block[i].type.predefined;
    return all;
}

bool typed_lasts(const typed_blocks *t)
{
    bool all = true;

    for (int i = 0; t && i < t->n; i++)
        all &= datatype_lasts(&t->block[i].type);
    return all;
}

bool typed_equal(const typed_blocks *a, const typed_blocks *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) {
        const typed_block *x = &a->block[i], *y = &b->block[i];
        if (x->given != y->given || x->count != y->count || x->offset != y->offset)
            return false;
    }
    return true;
}

const typed_block *typed_find(const typed_blocks *t, int64_t at)
{
    int low = 0, high = t->n;

    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (t->block[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &t->block[low];
}
