/* SPDX-License-Identifier: BSD-3-Clause */
/* execute.c - this rank's part of a program: see fuzz.h. */
#include "call.h"

enum { WINDOW = 16 };

/* Calls with different keys may be made in any order. */
static int order_key(const op *o)
{
    return o->of >= 0 ? MAX_COMMS + o->of : o->comm;
}

/* A member of its communicator, or the owner of the persistent request? */
static bool concerns_me(const fuzz *f, const op *o)
{
    return o->of >= 0 ? f->ops[o->of].state != NULL : f->comms[o->comm].comm != MPI_COMM_NULL;
}

/* The last start of a persistent request must be complete before the next one. */
static void end_last_start(fuzz *f, const op *o)
{
    for (int i = 0; o->of >= 0 && i < f->pending_count; i++) {
        if (f->pending[i].o->of == o->of) {
            complete_op(f, f->pending[i].o);
            i = -1;
        }
    }
}

void native_block(fuzz *f)
{
    if (f->restricted)
        clear_ours(f, NULL);
}

static void execute(fuzz *f, op *o)
{
    f->current = o;
    if (!concerns_me(f, o))
        return;
    end_last_start(f, o);
    if (o->what->traits & BLOCKS)
        native_block(f);
    f->doing = "start";
    o->what->start(f, o);
    if (o->open == 0)
        watch_beat();
}

static int window_length(const fuzz *f)
{
    int n = 0;

    for (; f->at + n < f->op_count && n < WINDOW; n++) {
        const op *o = &f->ops[f->at + n];
        if (!(o->what->traits & LOCAL))
            break;
        for (int i = 0; i < n; i++)
            if (o->of >= 0 && f->ops[f->at + i].of == o->of)
                return n;
    }
    return n;
}

/* The first not yet made among the calls with the key of a random one. */
static int next_of(fuzz *f, int n, const bool made[])
{
    int pick = rng_below(&f->mine, n);

    while (made[pick])
        pick = (pick + 1) % n;
    for (int i = 0; i < pick; i++)
        if (!made[i] && order_key(&f->ops[f->at + i]) == order_key(&f->ops[f->at + pick]))
            return i;
    return pick;
}

static void execute_window(fuzz *f, int n)
{
    bool made[WINDOW] = {false};

    for (int left = n; left > 0; left--) {
        int i = next_of(f, n, made);
        made[i] = true;
        execute(f, &f->ops[f->at + i]);
        if (rng_chance(&f->mine, 30))
            delay(f);
        if (rng_chance(&f->mine, 20))
            complete_some(f, 0);
    }
}

void program_execute(fuzz *f)
{
    f->at = 0;
    while (f->at < f->op_count) {
        int n = window_length(f);
        if (n > 0) {
            execute_window(f, n);
        } else {
            n = 1;
            execute(f, &f->ops[f->at]);
        }
        f->at += n;
        if (rng_chance(&f->mine, 60))
            delay(f);
        for (int k = rng_below(&f->mine, 4); k > 0; k--)
            complete_some(f, 40);
    }
    complete_all(f);
}
