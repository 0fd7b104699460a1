/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c - a program from its seed: the same on every rank. */
#include "rows.h"

#include <stdio.h>
#include <string.h>

enum { FREES = 24, REACH = 12 };

int random_comm(fuzz *f)
{
    int slot;

    do
        slot = rng_below(&f->shared, f->comm_count);
    while (!f->comms[slot].live);
    return slot;
}

bool generate_on_any(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    return true;
}

bool generate_of(fuzz *f, op *o, void (*made_by)(fuzz *, op *), bool to_free)
{
    int made[MAX_OPS], n = 0;

    for (int i = 0; i < f->op_count; i++)
        if (f->ops[i].what->start == made_by && !f->ops[i].freed)
            made[n++] = i;
    if (n == 0)
        return false;
    op *init = &f->ops[made[rng_below(&f->shared, n)]];
    if (init->last >= 0 && f->ops[init->last].wait_from > o->index)
        f->ops[init->last].wait_from = o->index; /* one start at a time */
    o->of = init->index;
    o->comm = init->comm;
    o->turn = init->last < 0 ? 0 : f->ops[init->last].turn + 1;
    if (to_free)
        init->freed = true;
    else
        init->last = o->index;
    return true;
}

static bool named(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

static bool allowed(const fuzz *f, const operation *row)
{
    /* natively, Open MPI 4.1 hangs with collectives, and MPICH 4.0.2 with communicators made, in
     * several threads at a time; MPICH also when one of them is MPI_Comm_idup */
    if (f->thread > 0 && row->traits & COLLECTIVE)
        return false;
    if (f->opt->threads > 1 && row->traits & MAKES && row->argument == IDUP)
        return false;
    if (row->traits & PERSISTENT && !f->opt->persistent)
        return false;
    return !f->opt->without || !named(f->opt->without, row->name);
}

static const operation *random_row(fuzz *f, unsigned traits)
{
    int total = 0;

    for (int i = 0; i < operation_count; i++)
        if (allowed(f, &operations[i]) && (operations[i].traits & traits) == traits)
            total += operations[i].weight;
    int at = total > 0 ? rng_below(&f->shared, total) : -1;
    for (int i = 0; i < operation_count && at >= 0; i++) {
        if (!allowed(f, &operations[i]) || (operations[i].traits & traits) != traits)
            continue;
        at -= operations[i].weight;
        if (at < 0)
            return &operations[i];
    }
    return NULL;
}

static bool add(fuzz *f, const operation *row)
{
    op *o = &f->ops[f->op_count];

    if (!row)
        return false;
    *o = (op){.what = row, .index = f->op_count, .comm = 0, .made = -1, .of = -1, .last = -1};
    o->key = rng_next(&f->shared);
    if (f->opt->few) { /* other data in each call */
        o->turn = (int)(o->key % 1000);
        o->key = mix(0, (uint64_t)rng_below(&f->shared, f->opt->few));
    }
    o->wait_from = o->index + rng_below(&f->shared, REACH);
    if (rng_chance(&f->shared, 20))
        o->wait_from = MAX_OPS; /* at the end */
    if (!row->generate(f, o))
        return false;
    f->op_count++;
    return true;
}

static const operation *row_named(const char *name)
{
    for (int i = 0; i < operation_count; i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

void program_generate(fuzz *f)
{
    int goal = f->opt->ops < MAX_OPS - FREES ? f->opt->ops : MAX_OPS - FREES;

    for (int n = rng_below(&f->shared, 5); n > 0; n--)
        add(f, random_row(f, MAKES));
    for (int n = rng_below(&f->shared, 2 * f->comm_count); n > 0; n--)
        add(f, row_named("ours_nonblocking")); /* first uses of several communicators at once */
    for (int tries = 0; f->op_count < goal && tries < 10 * MAX_OPS; tries++)
        add(f, random_row(f, 0));
    while (f->op_count < MAX_OPS && add(f, row_named("ours_free")))
        ;
    while (f->op_count < MAX_OPS && add(f, row_named("letters_free")))
        ;
    for (int i = 0; i < f->op_count; i++)
        if (f->ops[i].wait_from > f->op_count)
            f->ops[i].wait_from = f->op_count;
}

void program_print(const fuzz *f)
{
    for (int i = 0; i < f->op_count; i++) {
        const op *o = &f->ops[i];
        printf("%3d %-22s comm %2d", i, o->what->name, o->comm);
        if (o->made >= 0)
            printf(" makes comm %d", o->made);
        if (o->of >= 0)
            printf(" of %d, turn %d", o->of, o->turn);
        printf("\n");
    }
    fflush(stdout);
}
