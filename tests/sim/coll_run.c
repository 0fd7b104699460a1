/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_run.c - what is to be run, see coll_run.h; coll_execute.c does it. */
#include "sim/coll_run.h"

#include "sim/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

void coll_run_fail(const coll_run *t, const char *what)
{
    fail_msg(
        "%s %s:%d form %d variant %d order %d p %d count %d root %d%s%s%s%s%s%s finer %d sends "
        "%d seed %llu %s: %s",
        coll_kind_name(t->kind), t->a->name, t->parameter, t->form, t->variant, t->order, t->p,
        t->count, t->root, t->in_place ? " in place" : "", t->noncommutative ? " ordered" : "",
        t->bits ? " bits" : "", t->packs ? " packs" : "", t->user_op ? " whole" : "",
        t->part ? " in parts" : "", t->finer, t->sends, (unsigned long long)t->seed,
        t->shape ? t->shape : "", what);
}

bool coll_run_fits(const coll_run *t)
{
    const coll_shape *shape = &coll_shapes[t->kind];
    coll c = {
        .kind = t->kind, .p = t->p, .noncommutative = t->noncommutative, .user_op = t->user_op};
    bool reduces = coll_has(t->kind, COLL_REDUCES);

    if (!algo_serves(t->a, t->kind) || (t->in_place && shape->send == COLL_NONE) ||
        ((t->noncommutative || t->bits) && !reduces) || (t->packs && (!t->a->parts || reduces)))
        return false;
    for (int r = 0; r < t->p && t->part; r++) {
        split s = {.p = t->p, .part = t->part};
        c.p = split_size(&s, r);
        if (algo_refuses(t->a, &c))
            return false;
    }
    return t->part || !algo_refuses(t->a, &c);
}
